package gc

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// workers is how many objects are looked at in parallel, as many as in Kubernetes.
const workers = 20

// Collector is the garbage collector. It is a sink of the feed that it is run with.
type Collector struct {
	objects controllers.Objects
	graph   *graph
	queue   *controllers.Queue
	feed    *controllers.Feed
	log     *slog.Logger
}

// New returns a collector that has seen nothing.
func New(cluster controllers.Cluster, log *slog.Logger) *Collector {
	return &Collector{
		objects: controllers.Objects{Cluster: cluster, User: controllers.User("generic-garbage-collector")},
		graph:   newGraph(), queue: controllers.NewQueue(), log: log,
	}
}

// Run collects until ctx ends. The feed has been started and has the collector among its sinks.
func (c *Collector) Run(ctx context.Context, feed *controllers.Feed) {
	c.feed = feed
	// With all resources listed most references are settled without a look. Where one cannot be listed, that costs
	// reads, and deletions are verified by reads in any case.
	if err := feed.Reached(ctx, 1); err != nil && ctx.Err() == nil {
		c.log.Warn("garbage collection begins without having seen everything", "error", err)
	}
	c.queue.Run(ctx, workers, c.look)
}

// Seen takes an object into the graph.
func (c *Collector) Seen(kind *controllers.Kind, obj engine.Object, revision int64) {
	c.queue.Add(c.graph.seen(kind, obj, revision)...)
}

// Gone takes an object out of the graph.
func (c *Collector) Gone(kind *controllers.Kind, obj engine.Object, _ int64) {
	c.queue.Add(c.graph.gone(kind, obj.UID())...)
}

// Listed takes the objects out of the graph that went while nobody looked.
func (c *Collector) Listed(kind *controllers.Kind, uids map[string]struct{}, revision int64) {
	c.queue.Add(c.graph.listed(kind, uids, revision)...)
}

// Dropped forgets the objects of a kind.
func (c *Collector) Dropped(kind *controllers.Kind) { c.graph.dropped(kind) }

// Both ask for another look, and say nothing that an operator has to know.
var (
	errUnseen = errors.New("an owner has not been seen yet")
	// errBehind: etcd tells watchers of a change a moment before reads show it.
	errBehind = errors.New("the object is not as it was seen")
)

// look does what an object is due, if anything.
func (c *Collector) look(ctx context.Context, uid string) (time.Duration, error) {
	item, ok := c.graph.view(uid)
	if !ok {
		return 0, nil
	}
	var err error
	switch {
	case item.deleting && item.orphan:
		err = c.orphanDependents(ctx, item)
	case item.deleting && item.foreground:
		err = c.deleteDependents(ctx, item)
	case item.deleting || item.settled:
		// One on its way out needs no push, one whose owners stay none either.
	default:
		err = c.collect(ctx, item)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, errUnseen) && !errors.Is(err, errBehind) {
		c.log.Info("garbage collection is tried again", "object", item.ref.String(), "uid", uid, "error", err)
	}
	return 0, err
}

var _ controllers.Sink = (*Collector)(nil)
