package etcd

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// ErrSlowWatcher ends a watch whose consumer was so slow that the cache dropped events which it had not yet
// taken. Another Watch after the last event that it saw goes on without loss: to clients it is a watch that ended.
var ErrSlowWatcher = fmt.Errorf("the watcher was too slow: %w", engine.ErrStopped)

// Watch streams the changes under a prefix after a revision, in revision order.
//
//   - From a revision whose successors are no longer in memory it is a watch of the Storage.
//   - Where etcd has forgotten what the cache missed, as after a long loss of the connection, it ends with
//     *engine.CompactedError: its consumer has to list again.
//   - A consumer that does not keep up is ended with ErrSlowWatcher. Nobody waits for it.
func (c *Cache) Watch(ctx context.Context, prefix string, opts engine.WatchOptions) (engine.Watcher, error) {
	if !strings.HasPrefix(prefix, c.prefix) || opts.After < 0 {
		return c.storage.Watch(ctx, prefix, opts)
	}
	if opts.After == 0 {
		x, revision, err := c.fresh(ctx)
		if err != nil {
			return nil, err
		}
		if x == nil {
			return c.storage.Watch(ctx, prefix, opts)
		}
		opts.After = revision
	}
	w := &cacheWatcher{cache: c, prefix: prefix, after: opts.After, progress: opts.Progress, facet: opts.Facet, events: make(chan engine.Event, 16)}
	if !w.enter() {
		return c.storage.Watch(ctx, prefix, opts)
	}
	ctx, w.stop = context.WithCancel(ctx)
	go w.run(ctx)
	return w, nil
}

// enter finds the watch its place in the ring, after a revision and behind a gap; false where the ring does not reach back so
// far.
func (w *cacheWatcher) enter() (ok bool) {
	c := w.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current.revision == 0 || c.stopped {
		return false
	}
	if w.from, ok = c.ring.seek(w.after); !ok {
		return false
	}
	w.gaps, w.bell = c.gaps, &c.changed
	if w.facet != nil {
		if w.lanes, w.lane = c.lanes.take(w.facet, c.ring.next); w.lane != nil {
			w.bell = &w.lane.bell
		}
	}
	return true
}

// leave lets go of what enter took.
func (w *cacheWatcher) leave() {
	if w.lane != nil {
		w.cache.mu.Lock()
		w.cache.lanes.leave(w.facet, w.lanes, w.lane)
		w.cache.mu.Unlock()
	}
}

// cacheWatcher is a running watch of a Cache. It walks along the cache's ring at its own pace.
type cacheWatcher struct {
	cache    *Cache
	prefix   string
	after    int64
	progress bool
	from     int64        // where in the ring to go on
	gaps     int64        // the cache's when the watch began
	asked    atomic.Int64 // how often progress was asked for
	answered int64        // how much of that has been answered
	stop     context.CancelFunc
	events   chan engine.Event
	bell     *bell // rings when there may be events

	// Where the watch is of one value of a facet, and not too many are watched.
	facet *engine.Facet
	lanes *facetLanes
	lane  *lane

	mu  sync.Mutex
	err error
}

// Events is closed when the watch ends.
func (w *cacheWatcher) Events() <-chan engine.Event { return w.events }

// Err says why the watch ended; nil before that, and after its context ended or Stop.
func (w *cacheWatcher) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Stop ends the watch. It may be called again and does not wait.
func (w *cacheWatcher) Stop() { w.stop() }

// RequestProgress asks for a Progress event, at a revision not before the call, of a watch that wants such events.
func (w *cacheWatcher) RequestProgress(ctx context.Context) error {
	if err := w.cache.hub.catchUp(ctx); err != nil && !passes(err) {
		return err
	}
	w.asked.Add(1)
	w.bell.ring()
	return nil
}

func (w *cacheWatcher) run(ctx context.Context) {
	defer close(w.events)
	defer w.stop()
	defer w.leave()
	err := w.follow(ctx)
	if ctx.Err() != nil {
		err = nil
	}
	w.mu.Lock()
	w.err = err
	w.mu.Unlock()
}

// follow sends what comes until the watch cannot go on.
func (w *cacheWatcher) follow(ctx context.Context) error {
	c := w.cache
	due := false
	var ticks <-chan time.Time
	if w.progress {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	var buf [16]engine.Event
	for {
		changed, asked := w.bell.next(), w.asked.Load()
		_, _, newest := c.now()
		n, err := w.read(buf[:])
		if c.ctx.Err() != nil {
			return engine.ErrStopped
		}
		if err != nil {
			return err
		}
		if err := w.send(ctx, buf[:n]); err != nil {
			return err
		}
		if n == len(buf) {
			continue
		}
		if w.progress && (due || asked > w.answered) && newest >= w.after && newest > 0 {
			due, w.answered = false, asked
			if err := w.send(ctx, []engine.Event{{Type: engine.Progress, Revision: newest}}); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-ticks:
			due = true
		case <-ctx.Done():
			return ctx.Err()
		case <-c.ctx.Done():
			return engine.ErrStopped
		case <-c.hub.ctx.Done():
			return engine.ErrStopped
		}
	}
}

// read takes events out of the ring: fewer than buf has room for means that there are no more.
func (w *cacheWatcher) read(buf []engine.Event) (n int, err error) {
	w.cache.mu.RLock()
	defer w.cache.mu.RUnlock()
	if w.gaps != w.cache.gaps {
		return 0, &engine.CompactedError{Wanted: w.after, Compacted: w.cache.ring.after}
	}
	ring := &w.cache.ring
	var next int64
	ok := false
	if w.lane != nil && w.from >= w.lanes.since {
		n, next, ok = w.lanes.read(ring, w.lane, w.from, w.wants, buf)
	} else {
		n, next, ok = ring.read(w.from, w.wants, buf)
	}
	if !ok {
		return 0, ErrSlowWatcher
	}
	w.from = next
	return n, nil
}

func (w *cacheWatcher) wants(event *engine.Event) bool {
	return event.Revision > w.after && strings.HasPrefix(event.Key, w.prefix)
}

func (w *cacheWatcher) send(ctx context.Context, events []engine.Event) error {
	for i := range events {
		select {
		case w.events <- events[i]:
		case <-ctx.Done():
			return ctx.Err()
		}
		events[i] = engine.Event{}
	}
	return nil
}

var _ engine.Watcher = (*cacheWatcher)(nil)
