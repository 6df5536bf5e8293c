package etcd

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// A hub that is behind etcd's revision for so long asks for progress: the revision may be of a key that it
	// does not watch. It asks again at growing intervals.
	firstNudge = time.Millisecond
	mostNudge  = 50 * time.Millisecond

	// A read waits so long for the hub, then it goes to etcd itself.
	mostBehind = 3 * time.Second

	checkTimeout = 10 * time.Second
)

// errBehind says that the caches did not get to know etcd's newest revision in time.
var errBehind = errors.New("the cache is behind etcd")

// catchUp returns once the caches hold everything that was written before the call. It is the barrier in front
// of every read.
func (h *hub) catchUp(ctx context.Context) error {
	if h.storage.local != nil {
		revision, err := h.storage.Revision(ctx)
		if err != nil {
			return err
		}
		return h.reach(ctx, revision)
	}
	return h.gate.pass(ctx)
}

// check is one barrier: etcd's revision, asked for now, and the caches at it.
func (h *hub) check() error {
	ctx, cancel := context.WithTimeout(h.ctx, checkTimeout)
	defer cancel()
	revision, err := h.storage.Revision(ctx)
	if err == nil {
		err = h.reach(ctx, revision)
	}
	if h.ctx.Err() != nil {
		return errBehind
	}
	return err
}

// reach waits until the caches are at a revision.
func (h *hub) reach(ctx context.Context, revision int64) error {
	if h.revision.Load() >= revision {
		return nil
	}
	delay, start := firstNudge, time.Now()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for {
		advanced := h.advanced.next()
		if h.revision.Load() >= revision {
			return nil
		}
		select {
		case <-advanced:
		case <-timer.C:
			if time.Since(start) > mostBehind {
				return errBehind
			}
			select {
			case h.nudges <- struct{}{}:
			default:
			}
			delay = min(2*delay, mostNudge)
			timer.Reset(delay)
		case <-ctx.Done():
			return ctx.Err()
		case <-h.ctx.Done():
			return errBehind
		}
	}
}

// nudge asks etcd, when somebody waits, to say how far it is.
func (h *hub) nudge() {
	for {
		select {
		case <-h.nudges:
		case <-h.ctx.Done():
			return
		}
		ctx, cancel := context.WithTimeout(h.ctx, checkTimeout)
		// An error here is one of the watch too, which deals with it.
		_ = h.stream.requestProgress(ctx)
		cancel()
	}
}

// gate shares a check between those who wait for one: each waits for the first check that began after it came.
// One runs and one is queued, however many wait.
type gate struct {
	check func() error

	mu      sync.Mutex
	running bool
	queued  *pass
}

// pass is the check that those who came before it began wait for.
type pass struct {
	done chan struct{}
	err  error
}

// pass waits for a check that begins after the call.
func (g *gate) pass(ctx context.Context) error {
	mine := g.queue()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// queue is the next check to begin.
func (g *gate) queue() *pass {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.queued == nil {
		g.queued = &pass{done: make(chan struct{})}
		if !g.running {
			g.running = true
			go g.run()
		}
	}
	return g.queued
}

// run checks for as long as somebody waits.
func (g *gate) run() {
	for {
		g.mu.Lock()
		current := g.queued
		g.queued = nil
		if current == nil {
			g.running = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		current.err = g.check()
		close(current.done)
	}
}
