package namespaces

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

const (
	// workers is how many namespaces are emptied at once, as many as in Kubernetes.
	workers = 10
	// finalizer keeps a namespace until it is empty.
	finalizer = "kubernetes"
	// terminating is the phase of a namespace that is being deleted.
	terminating = "Terminating"
)

var namespaces = schema.GroupResource{Resource: "namespaces"}

// Controller empties namespaces. It is a sink of a feed, which tells it of namespaces that are being deleted and of
// what leaves them.
type Controller struct {
	objects controllers.Objects
	queue   *controllers.Queue
	log     *slog.Logger

	mu     sync.Mutex
	ending map[string]string // the namespaces that are being deleted, with their uids
}

// New returns a controller that has seen nothing.
func New(cluster controllers.Cluster, log *slog.Logger) *Controller {
	return &Controller{
		objects: controllers.Objects{Cluster: cluster, User: controllers.User("namespace-controller")},
		queue:   controllers.NewQueue(), log: log, ending: map[string]string{},
	}
}

// Run empties namespaces until ctx ends.
func (c *Controller) Run(ctx context.Context) { c.queue.Run(ctx, workers, c.empty) }

// Seen takes note of a namespace that is being deleted.
func (c *Controller) Seen(kind *controllers.Kind, obj engine.Object, _ int64) {
	if kind.GroupResource != namespaces || !obj.Deleting() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending[obj.Name()] = obj.UID()
	c.queue.Add(obj.Name())
}

// Gone looks again at a namespace that something has left.
func (c *Controller) Gone(kind *controllers.Kind, obj engine.Object, _ int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kind.GroupResource == namespaces {
		delete(c.ending, obj.Name())
		return
	}
	if ns := obj.Namespace(); c.ending[ns] != "" {
		c.queue.Add(ns)
	}
}

// Listed forgets the namespaces that went while nobody looked.
func (c *Controller) Listed(kind *controllers.Kind, uids map[string]struct{}, _ int64) {
	if kind.GroupResource != namespaces {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.ending, func(_, uid string) bool {
		_, there := uids[uid]
		return !there
	})
}

// Dropped is of no interest: a look at a namespace reads everything.
func (c *Controller) Dropped(*controllers.Kind) {}

// empty is one look at a namespace.
func (c *Controller) empty(ctx context.Context, name string) (again time.Duration, err error) {
	ref := controllers.Ref{GroupResource: namespaces, Name: name}
	ns, err := c.objects.Get(ctx, ref)
	if err != nil {
		return 0, err
	}
	if ns == nil || !ns.Deleting() {
		return 0, c.behind(name)
	}
	if !hasFinalizer(ns) {
		return 0, nil
	}
	if ns.Get("status", "phase").Str != terminating {
		if err := c.objects.Update(ctx, ref, "status", setPhase{ns.UID()}); err != nil {
			return 0, err
		}
	}
	found := c.deleteContent(ctx, name)
	if err := c.objects.Update(ctx, ref, "status", setConditions{ns.UID(), found.conditions(), time.Now()}); err != nil {
		c.log.Warn("the conditions of a namespace cannot be written", "namespace", name, "error", err)
	}
	if err := found.err(); err != nil {
		c.log.Info("emptying a namespace is tried again", "namespace", name, "error", err)
		return 0, err
	}
	if found.estimate > 0 {
		return found.estimate/2 + time.Second, nil
	}
	return 0, c.objects.Update(ctx, ref, "finalize", dropFinalizer{ns.UID()})
}

// errBehind asks for another look: etcd tells watchers of a change a moment before reads show it.
var errBehind = errors.New("the namespace is not as it was seen")

// behind is errBehind for a namespace that is known to be deleted, and to be there.
func (c *Controller) behind(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending[name] != "" {
		return errBehind
	}
	return nil
}

func hasFinalizer(ns engine.Object) bool {
	return slices.ContainsFunc(ns.Get("spec", "finalizers").Array(), isFinalizer)
}

var _ controllers.Sink = (*Controller)(nil)
