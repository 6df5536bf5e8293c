package etcd

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// Beyond either of these the events that come while a cache is being filled are dropped, and it lists again.
const (
	mostPending      = 100_000
	mostPendingBytes = 64 << 20
)

// fill is the state of a cache that is being filled.
type fill struct {
	under   bool          // a list is under way or due
	turn    int64         // grows with each gap: a list that began before the gap must not be used
	due     chan struct{} // wakes who fills
	pending []engine.Event
	bytes   int
	dropped bool // pending has been too much
}

func newFill() fill { return fill{under: true, due: make(chan struct{}, 1)} }

// keep holds events back until the list is there.
func (f *fill) keep(events []engine.Event) {
	for _, event := range events {
		f.bytes += eventSize(event)
	}
	f.pending = append(f.pending, events...)
	if len(f.pending) > mostPending || f.bytes > mostPendingBytes {
		f.pending, f.bytes, f.dropped = nil, 0, true
	}
}

// refill is called by the hub when its watch begins, or begins anew after a gap: what the cache holds is
// history until it has listed again.
func (c *Cache) refill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.view.Store(nil)
	c.fill.under, c.fill.dropped = true, false
	c.fill.pending, c.fill.bytes = nil, 0
	c.fill.turn++
	select {
	case c.fill.due <- struct{}{}:
	default:
	}
}

// keepFilled lists whenever it is due, until the cache is stopped.
func (c *Cache) keepFilled() {
	var retry backoff
	for {
		select {
		case <-c.fill.due:
		case <-c.ctx.Done():
			return
		}
		for c.ctx.Err() == nil {
			turn, due := c.beginFill()
			if !due {
				break
			}
			items, revision, err := c.storage.snapshot(c.ctx, c.prefix)
			switch {
			case errors.Is(err, engine.ErrStopped):
				return
			case err != nil:
				retry.wait(c.ctx)
			default:
				c.fillWith(turn, items, revision)
				retry.reset()
			}
		}
	}
}

// beginFill tells whether the cache has to be filled, and which gap that is for. Events that are kept from now on
// follow the list that begins after it.
func (c *Cache) beginFill() (turn int64, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fill.dropped = false
	return c.fill.turn, c.fill.under
}

// fillWith takes a list, and the events that came meanwhile, for the cache's state, unless the list is of no use:
// there has been a gap since it began, or events were dropped.
func (c *Cache) fillWith(turn int64, items []*engine.Item, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case turn != c.fill.turn || c.fill.dropped:
		return
	}
	// What happened in the gap nobody knows: the watches of before end.
	c.ring.clear()
	c.lanes.clear(c.ring.next)
	c.ring.after, c.gaps = revision, c.gaps+1
	c.current = view{index: newIndex(items), revision: revision}
	c.absorb(c.fill.pending)
	c.fill.pending, c.fill.bytes, c.fill.under = nil, 0, false
	c.publish()
	select {
	case <-c.ready:
	default:
		close(c.ready)
	}
}

// snapshot lists a prefix as it is now.
func (s *Storage) snapshot(ctx context.Context, prefix string) (items []*engine.Item, revision int64, err error) {
	start, end, err := s.listRange(prefix, engine.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	err = s.ranges(ctx, prefix, start, end, engine.ListOptions{}, func(resp *clientv3.GetResponse) {
		if revision == 0 {
			revision = resp.Header.GetRevision()
		}
		for _, kv := range resp.Kvs {
			item := s.item(kv)
			item.Memo = &engine.Memo{}
			items = append(items, &item)
		}
	})
	return items, revision, err
}
