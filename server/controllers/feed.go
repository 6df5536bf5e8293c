package controllers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// Kind names a resource without holding on to what serves it.
type Kind struct {
	schema.GroupResource
	Kind       string
	Namespaced bool
}

// GroupKind is the kind and its group.
func (k *Kind) GroupKind() schema.GroupKind { return schema.GroupKind{Group: k.Group, Kind: k.Kind} }

// Sink takes what a Feed has to tell: of one kind in order, of several kinds at once.
type Sink interface {
	// Seen tells of an object, as it is stored, that is there.
	Seen(kind *Kind, obj engine.Object, revision int64)
	// Gone tells of an object that is there no more, as it was last.
	Gone(kind *Kind, obj engine.Object, revision int64)
	// Listed ends a list: of the kind there are these uids and no others.
	Listed(kind *Kind, uids map[string]struct{}, revision int64)
	// Dropped tells that a kind is served no more; its objects may still be there.
	Dropped(kind *Kind)
}

// Feed follows every object of every served resource and tells sinks of them.
type Feed struct {
	cluster Cluster
	sinks   []Sink
	ignored map[schema.GroupResource]bool
	log     *slog.Logger

	mu       sync.Mutex
	ctx      context.Context // of Run; nil before
	monitors map[schema.GroupResource]*monitor
	running  sync.WaitGroup
}

// NewFeed returns a feed of all resources but Events, which own nothing and are owned by none.
func NewFeed(cluster Cluster, log *slog.Logger, sinks ...Sink) *Feed {
	return &Feed{
		cluster: cluster, sinks: sinks, log: log, monitors: map[schema.GroupResource]*monitor{},
		ignored: map[schema.GroupResource]bool{{Resource: "events"}: true, {Group: "events.k8s.io", Resource: "events"}: true},
	}
}

// Start begins to follow, until ctx ends.
func (f *Feed) Start(ctx context.Context) {
	f.mu.Lock()
	f.ctx = ctx
	f.mu.Unlock()
	snapshot, changed := f.cluster.Snapshot()
	f.sync(snapshot)
	f.running.Go(func() {
		for {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			snapshot, changed = f.cluster.Snapshot()
			f.sync(snapshot)
		}
	})
}

// Wait returns when everything has ended that Start began.
func (f *Feed) Wait() { f.running.Wait() }

// sync starts and stops monitors as the snapshot has resources, and returns those that it wants.
func (f *Feed) sync(snapshot *engine.Snapshot) []*monitor {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ctx == nil || f.ctx.Err() != nil {
		return nil
	}
	var wanted []*monitor
	seen := map[schema.GroupResource]bool{}
	for _, r := range snapshot.Resources() {
		gr := r.GroupResource()
		if f.ignored[gr] {
			continue
		}
		seen[gr] = true
		m := f.monitors[gr]
		if store := snapshot.Store(r.Group, r.Plural); m == nil {
			m = newMonitor(f, store)
			f.monitors[gr] = m
			f.start(m)
		} else {
			m.use(store)
		}
		wanted = append(wanted, m)
	}
	for gr, m := range f.monitors {
		if !seen[gr] {
			m.stop()
			delete(f.monitors, gr)
		}
	}
	return wanted
}

func (f *Feed) start(m *monitor) {
	ctx, cancel := context.WithCancel(f.ctx)
	m.stop = cancel
	f.running.Go(func() {
		m.run(ctx)
		if f.ctx.Err() == nil {
			for _, sink := range f.sinks {
				sink.Dropped(m.kind)
			}
		}
	})
}

// reachPatience is how long Reached waits for a resource, and progressEvery how often it asks for its progress.
const (
	reachPatience = 15 * time.Second
	progressEvery = 100 * time.Millisecond
)

var errNotRunning = errors.New("the feed does not run")

// Reached returns once the sinks know of everything that had happened up to a revision, to all resources that are
// active in the storage. An error names the resource that could not be followed.
func (f *Feed) Reached(ctx context.Context, revision int64) error {
	if err := f.cluster.Refresh(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reachPatience)
	defer cancel()
	snapshot, _ := f.cluster.Snapshot()
	monitors := f.sync(snapshot)
	if monitors == nil {
		return errNotRunning
	}
	for _, m := range monitors {
		if err := m.reach(ctx, revision); err != nil {
			return fmt.Errorf("%s has not been followed up to revision %d: %w", m.kind.GroupResource.String(), revision, err)
		}
	}
	return nil
}
