package etcd

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// CacheOptions tunes a Cache. The zero value is good.
type CacheOptions struct {
	// Events is how many of the newest events are kept for watches that start in the past; 0 is 16384.
	Events int
	// EventBytes is how many bytes these events may have; 0 is 32 MiB.
	EventBytes int
}

// Cache is a Storage that answers reads and watches below one prefix from memory, as consistently as etcd itself:
// a read sees every write that was acknowledged before it began, whichever server took it.
//
//   - What it cannot answer goes on to the Storage: other prefixes, revisions that it no longer has, and
//     everything while it is being filled or after Stop. Writes always do.
//   - Items and events are shared between all readers: their bytes must not be changed.
type Cache struct {
	storage *Storage
	prefix  string
	hub     *hub
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	leaving sync.Once

	// view is what readers see; nil while the cache is being filled and after Stop.
	view  atomic.Pointer[view]
	ready chan struct{} // closed when the cache has been filled for the first time

	mu      sync.RWMutex
	current view // as it was before a gap, while the cache is being filled again
	fill    fill
	ring    ring
	pins    pins
	lanes   lanes
	gaps    int64 // how often the cache has been filled: watches do not go on across a gap
	stopped bool

	newestWrite atomic.Int64 // the revision of the newest write that went through the cache

	changed bell          // rings for watchers when there are events
	dirty   chan struct{} // there are events that changed has not rung for
}

// view is the items of the prefix at a revision. It never changes.
type view struct {
	index    index
	revision int64 // of the newest change in it
}

// NewCache starts a cache of the keys below a prefix ("/pods/"). It serves at once, through the Storage until it is filled.
func NewCache(storage *Storage, prefix string, opts CacheOptions) *Cache {
	if !strings.HasPrefix(prefix, "/") {
		prefix = "/" + prefix
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Cache{
		storage: storage, prefix: prefix, ctx: ctx, stop: stop,
		ready: make(chan struct{}),
		dirty: make(chan struct{}, 1),
		ring:  ring{mostEvents: opts.Events, mostBytes: opts.EventBytes},
		fill:  newFill(),
	}
	if opts.Events <= 0 {
		c.ring.mostEvents = 16384
	}
	if opts.EventBytes <= 0 {
		c.ring.mostBytes = 32 << 20
	}
	c.hub = storage.join(c)
	c.running.Go(c.keepFilled)
	c.running.Go(c.notify)
	return c
}

// Ready waits until the cache has been filled for the first time.
func (c *Cache) Ready(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return engine.ErrStopped
	case <-c.hub.ctx.Done():
		return engine.ErrStopped
	}
}

// Stop gives the memory free. Watches end with engine.ErrStopped; everything else goes to the Storage from now on.
func (c *Cache) Stop() {
	c.leaving.Do(func() {
		c.mu.Lock()
		c.stopped = true
		c.view.Store(nil) // before the cache leaves: a view that the hub no longer feeds must not be read
		c.mu.Unlock()
		c.storage.leave(c)
		c.stop()
		c.running.Wait()

		c.mu.Lock()
		defer c.mu.Unlock()
		c.current, c.pins = view{}, pins{}
		c.ring.clear()
	})
}

// Create goes to the Storage.
func (c *Cache) Create(ctx context.Context, key string, value []byte, opts engine.WriteOptions) (int64, error) {
	revision, err := c.storage.Create(ctx, key, value, opts)
	c.wrote(revision)
	return revision, err
}

// Update goes to the Storage.
func (c *Cache) Update(ctx context.Context, key string, value []byte, ifRevision int64, opts engine.WriteOptions) (int64, error) {
	revision, err := c.storage.Update(ctx, key, value, ifRevision, opts)
	c.wrote(revision)
	return revision, err
}

// Delete goes to the Storage.
func (c *Cache) Delete(ctx context.Context, key string, ifRevision int64, opts engine.WriteOptions) (int64, error) {
	revision, err := c.storage.Delete(ctx, key, ifRevision, opts)
	c.wrote(revision)
	return revision, err
}

// wrote notes the revision of a write that went through the cache, for Peek.
func (c *Cache) wrote(revision int64) {
	for {
		newest := c.newestWrite.Load()
		if revision <= newest || c.newestWrite.CompareAndSwap(newest, revision) {
			return
		}
	}
}

// Revision goes to the Storage.
func (c *Cache) Revision(ctx context.Context) (int64, error) { return c.storage.Revision(ctx) }

// take is called by the hub with events below the prefix, whole revisions at a time.
func (c *Cache) take(mine []engine.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fill.under {
		c.fill.keep(mine)
		return
	}
	c.absorb(mine)
	c.publish()
}

// absorb applies events to the current view, and keeps them with the values before. Those that the view holds
// already are left out.
func (c *Cache) absorb(events []engine.Event) {
	since := c.current.revision
	for _, event := range events {
		if event.Revision <= since {
			continue
		}
		c.current.revision = event.Revision
		before := c.current.index.get(event.Key)
		if before != nil {
			event.Prev, event.PrevMemo = before.Data, before.Memo
		}
		switch {
		case event.Type == engine.Deleted && before == nil:
			continue
		case event.Type == engine.Deleted:
			c.current.index = c.current.index.remove(event.Key)
		default:
			event.Type = engine.Modified
			if before == nil {
				event.Type = engine.Created
			}
			item := engine.Item{Key: event.Key, Data: event.Data, Revision: event.Revision, Memo: &engine.Memo{}}
			event.Memo = item.Memo
			c.current.index = c.current.index.set(&item)
		}
		c.ring.add(event)
		c.lanes.sort(&event, c.ring.next-1, c.ring.first)
	}
}

// publish lets readers see the current view, and watchers its events.
func (c *Cache) publish() {
	if c.stopped {
		return
	}
	c.pins.expire(time.Now())
	published := c.current
	c.view.Store(&published)
	select {
	case c.dirty <- struct{}{}:
	default:
	}
}

// notify wakes the watchers, at most once in a while: under load each wakes to several events.
func (c *Cache) notify() {
	const pause = time.Millisecond
	for {
		select {
		case <-c.dirty:
			waited := c.changed.ring()
			for _, lane := range c.wokenLanes() {
				waited = lane.bell.ring() || waited
			}
			if waited {
				time.Sleep(pause)
			}
		case <-c.ctx.Done():
			return
		}
	}
}

// passes tells whether a barrier's error means that the Storage can still be asked.
func passes(err error) bool { return errors.Is(err, errBehind) }

var _ engine.Storage = (*Cache)(nil)
