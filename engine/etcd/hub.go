package etcd

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/stratagem-dev/stratagem/engine"
)

// hub is the one watch that feeds all caches of a Storage. It watches all keys below the Storage's prefix, so
// that it, and with it every cache, gets to know of each revision without asking for it.
type hub struct {
	storage *Storage
	stream  stream
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup

	// revision: each filled cache holds every change up to it.
	revision atomic.Int64
	advanced bell // rings when revision has grown
	nudges   chan struct{}
	gate     gate

	mu       sync.Mutex
	audience audience
	placed   bool // the watch has a revision to begin at: caches may list
}

// hubs are the shared parts of a Storage, made when they are first needed.
type hubs struct {
	mu  sync.Mutex
	hub *hub
}

// join adds a cache to the hub, which is started for the first one.
func (s *Storage) join(c *Cache) *hub {
	s.hubs.mu.Lock()
	defer s.hubs.mu.Unlock()
	if s.hubs.hub == nil {
		s.hubs.hub = startHub(s)
	}
	h := s.hubs.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.audience.add(c)
	if h.placed {
		c.refill()
	}
	return h
}

// leave takes a cache out of the hub, which ends with the last one.
func (s *Storage) leave(c *Cache) {
	s.hubs.mu.Lock()
	defer s.hubs.mu.Unlock()
	h := s.hubs.hub
	if h == nil {
		return
	}
	h.mu.Lock()
	h.audience.remove(c)
	last := len(h.audience.caches) == 0
	h.mu.Unlock()
	if last {
		s.hubs.hub = nil
		h.stop()
		h.running.Wait()
	}
}

func startHub(s *Storage) *hub {
	ctx, stop := context.WithCancel(context.Background())
	h := &hub{storage: s, stream: stream{storage: s, key: s.prefix + "/"}, ctx: ctx, stop: stop, nudges: make(chan struct{}, 1), audience: newAudience()}
	h.gate.check = h.check
	h.running.Go(h.run)
	h.running.Go(h.nudge)
	return h
}

// run watches until the hub is stopped or the client is closed. Where the watch cannot go on without a gap it
// begins anew, and so does every cache.
func (h *hub) run() {
	defer h.stop()
	st := &h.stream
	for {
		revision, err := h.storage.Revision(h.ctx)
		for gap := true; err == nil || errors.Is(err, errLost); gap = false {
			if err != nil {
				st.backoff.wait(h.ctx)
			}
			if gap {
				st.next = revision + 1
			}
			err = h.follow(st, gap)
		}
		if h.ctx.Err() != nil || errors.Is(err, engine.ErrStopped) {
			return
		}
		st.backoff.wait(h.ctx)
	}
}

// follow watches until the stream fails. After a gap every cache lists what was before the watch, which is open by then.
func (h *hub) follow(st *stream, gap bool) error {
	responses := st.open(h.ctx)
	defer st.close()
	if gap {
		h.refill()
		h.advance(st.next - 1)
	}
	for {
		select {
		case resp, open := <-responses:
			taken, err := st.take(h.ctx, resp, open)
			if err != nil {
				return err
			}
			h.dispatch(taken)
		case <-h.storage.client.Ctx().Done():
			return engine.ErrStopped
		case <-h.ctx.Done():
			return h.ctx.Err()
		}
	}
}

// refill makes every cache list.
func (h *hub) refill() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.placed = true
	for c := range h.audience.caches {
		c.refill()
	}
}

// dispatch hands the events to the caches, and only then says that they have them.
func (h *hub) dispatch(taken batch) {
	if len(taken.events) > 0 {
		h.mu.Lock()
		h.audience.take(taken.events)
		h.mu.Unlock()
	}
	h.advance(taken.revision)
}

func (h *hub) advance(revision int64) {
	if revision > h.revision.Load() {
		h.revision.Store(revision)
		h.advanced.ring()
	}
}
