package etcd

import (
	"cmp"
	"context"
	"errors"
	"slices"

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
func (c *Cache) fillWith(turn int64, items []listed, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case turn != c.fill.turn || c.fill.dropped:
		return
	case c.current.revision == 0:
		c.ring.after = revision
	default:
		for _, event := range difference(&c.current.index, items, revision) {
			c.ring.add(event)
		}
	}
	pointers := make([]*engine.Item, len(items))
	for i := range items {
		pointers[i] = items[i].Item
	}
	c.current = view{index: newIndex(pointers), revision: revision}
	c.absorb(c.fill.pending)
	c.fill.pending, c.fill.bytes, c.fill.under = nil, 0, false
	c.publish()
	select {
	case <-c.ready:
	default:
		close(c.ready)
	}
}

// listed is an item and the revision of its creation.
type listed struct {
	*engine.Item
	created int64
}

// snapshot lists a prefix as it is now.
func (s *Storage) snapshot(ctx context.Context, prefix string) (items []listed, revision int64, err error) {
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
			items = append(items, listed{Item: &item, created: kv.CreateRevision})
		}
	})
	return items, revision, err
}

// difference is what happened, in order, between an index and a later list at a revision, as far as it can be
// told: of several changes of a key there is the last one, and a deletion that was the last one is
// taken to have happened at the list's revision.
func difference(old *index, now []listed, revision int64) []engine.Event {
	var events []engine.Event
	deleted := func(item *engine.Item, at int64) {
		events = append(events, engine.Event{Type: engine.Deleted, Key: item.Key, Prev: item.Data, Revision: at})
	}
	n := 0
	for _, chunk := range old.chunks {
		for _, before := range chunk.items {
			for n < len(now) && now[n].Key < before.Key {
				events = append(events, appeared(now[n].Item))
				n++
			}
			switch {
			case n == len(now) || now[n].Key != before.Key:
				deleted(before, revision)
				continue
			case now[n].created > before.Revision: // it was another one
				deleted(before, now[n].created-1)
				events = append(events, appeared(now[n].Item))
			case now[n].Revision != before.Revision:
				event := appeared(now[n].Item)
				event.Type, event.Prev = engine.Modified, before.Data
				events = append(events, event)
			}
			n++
		}
	}
	for ; n < len(now); n++ {
		events = append(events, appeared(now[n].Item))
	}
	slices.SortStableFunc(events, func(a, b engine.Event) int { return cmp.Compare(a.Revision, b.Revision) })
	return events
}

func appeared(item *engine.Item) engine.Event {
	return engine.Event{Type: engine.Created, Key: item.Key, Data: item.Data, Revision: item.Revision}
}
