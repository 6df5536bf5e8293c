package host

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// pool is a bounded number of instances. Its lock guards the bookkeeping only: it is never held while a guest runs or
// an instance is made.
type pool struct {
	module  *Module
	permits chan struct{} // one for each call that runs
	waiting atomic.Int64

	mu     sync.Mutex
	idle   []*instance
	closed bool
}

// errClosed is returned for a call of a module that has been closed.
var errClosed = errors.New("the module has been closed")

func newPool(m *Module) *pool {
	return &pool{module: m, permits: make(chan struct{}, m.options.Limits.Instances)}
}

// take returns an instance for one call. It waits when all are in use; too long a wait or queue is an *engine.BusyError.
func (p *pool) take(ctx context.Context) (*instance, error) {
	if err := p.acquire(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		<-p.permits
		return nil, errClosed
	}
	var in *instance
	if n := len(p.idle); n > 0 {
		in, p.idle = p.idle[n-1], p.idle[:n-1]
	}
	p.mu.Unlock()
	if in != nil {
		return in, nil
	}
	in, err := p.module.newInstance(ctx)
	if err != nil {
		<-p.permits
		return nil, err
	}
	return in, nil
}

// acquire gets a permit.
func (p *pool) acquire(ctx context.Context) error {
	select {
	case p.permits <- struct{}{}:
		return nil
	default:
	}
	limits := p.module.options.Limits
	if p.waiting.Add(1) > int64(limits.Waiting) {
		p.waiting.Add(-1)
		return &engine.BusyError{Plugin: p.module.Name, RetryAfter: time.Second}
	}
	defer p.waiting.Add(-1)
	timer := time.NewTimer(limits.Wait)
	defer timer.Stop()
	select {
	case p.permits <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &engine.BusyError{Plugin: p.module.Name, RetryAfter: time.Second}
	}
}

// put gives back an instance that is as good as before.
func (p *pool) put(in *instance) {
	p.mu.Lock()
	keep := !p.closed
	if keep {
		p.idle = append(p.idle, in)
	}
	p.mu.Unlock()
	if !keep {
		in.close()
	}
	<-p.permits
}

// discard throws an instance away.
func (p *pool) discard(in *instance) {
	in.close()
	<-p.permits
}

// close waits for the calls that run and frees the instances.
func (p *pool) close(ctx context.Context) {
	p.mu.Lock()
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, in := range idle {
		in.close()
	}
	for range cap(p.permits) {
		select {
		case p.permits <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}
