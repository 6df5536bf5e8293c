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
	closing chan struct{} // closed when the pool is
	drained chan struct{} // closed when no call runs any more

	mu     sync.Mutex
	idle   []*instance
	closed bool
}

// errClosed is returned for a call of a module that has been closed.
var errClosed = errors.New("the module has been closed")

func newPool(m *Module) *pool {
	return &pool{
		module: m, permits: make(chan struct{}, m.options.Limits.Instances),
		closing: make(chan struct{}), drained: make(chan struct{}),
	}
}

// take returns an instance for one call. It waits when all are in use; too long a wait or queue is an *engine.BusyError.
func (p *pool) take(ctx context.Context) (*instance, error) {
	if err := p.acquire(ctx); err != nil {
		return nil, err
	}
	in, err := p.instance(ctx)
	if err != nil {
		<-p.permits
	}
	return in, err
}

// instance is an idle one, or a new one.
func (p *pool) instance(ctx context.Context) (*instance, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
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
	return p.module.newInstance(ctx)
}

// acquire gets a permit.
func (p *pool) acquire(ctx context.Context) error {
	select {
	case p.permits <- struct{}{}:
		return nil
	default:
	}
	limits := &p.module.options.Limits
	if p.waiting.Add(1) > int64(limits.Waiting) {
		p.waiting.Add(-1)
		return &engine.BusyError{Plugin: p.module.Name, RetryAfter: time.Second}
	}
	p.module.metrics.wait(1)
	defer func() {
		p.waiting.Add(-1)
		p.module.metrics.wait(-1)
	}()
	timer := time.NewTimer(limits.Wait)
	defer timer.Stop()
	select {
	case p.permits <- struct{}{}:
		return nil
	case <-p.closing:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &engine.BusyError{Plugin: p.module.Name, RetryAfter: time.Second}
	}
}

// put gives back an instance that is fit for another call.
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
	p.module.discarded.Add(1)
	p.module.metrics.discard()
	in.close()
	<-p.permits
}

// close refuses new calls and frees the instances: those that idle now, the others as their calls end. It returns whether
// all calls had ended before ctx did; drained tells when they have.
func (p *pool) close(ctx context.Context) bool {
	p.mu.Lock()
	idle, first := p.idle, !p.closed
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	if first {
		close(p.closing)
		for _, in := range idle {
			in.close()
		}
		go p.drain()
	}
	select {
	case <-p.drained:
		return true
	case <-ctx.Done():
		return false
	}
}

// drain takes all permits, which are free when no call runs.
func (p *pool) drain() {
	for range cap(p.permits) {
		p.permits <- struct{}{}
	}
	close(p.drained)
}
