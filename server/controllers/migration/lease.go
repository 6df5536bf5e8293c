package migration

import (
	"context"
	"errors"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

const (
	leasesRoot = "/stratagem.dev/migrations/"
	// leaseSeconds is how long a lease outlives the server that has it, renewEvery how often it is renewed, and
	// heldPause how long others wait before they ask for it again.
	leaseSeconds = 10
	renewEvery   = 3 * time.Second
	heldPause    = time.Second
)

// lease is the right to migrate one resource, which one server at a time has: a key that goes by itself when the server
// that has written it does not renew it.
//
//   - Two servers at work would do no harm, only the work twice: every write is a compare-and-swap. So nothing is fenced.
type lease struct {
	ctx      context.Context // done when the lease is lost
	end      context.CancelFunc
	storage  engine.Storage
	key      string
	revision int64
	renewing chan struct{} // closed when renew has ended
}

// take asks for the lease of a resource; nil: another server has it.
func (c *Controller) take(ctx context.Context, resource string) (*lease, error) {
	l := &lease{storage: c.storage, key: leasesRoot + resource, renewing: make(chan struct{})}
	revision, err := c.storage.Create(ctx, l.key, []byte(c.holder), engine.WriteOptions{TTL: leaseSeconds})
	var held *engine.KeyExistsError
	if errors.As(err, &held) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l.revision = revision
	l.ctx, l.end = context.WithCancel(ctx)
	go l.renew([]byte(c.holder))
	return l, nil
}

// renew keeps the lease until its ctx ends, and ends that where it cannot.
func (l *lease) renew(holder []byte) {
	defer close(l.renewing)
	defer l.end()
	ticker := time.NewTicker(renewEvery)
	defer ticker.Stop()
	expires := time.Now().Add(leaseSeconds * time.Second)
	for time.Now().Before(expires) {
		select {
		case <-l.ctx.Done():
			return
		case <-ticker.C:
		}
		renewed := time.Now()
		revision, err := l.storage.Update(l.ctx, l.key, holder, l.revision, engine.WriteOptions{TTL: leaseSeconds})
		var lost *engine.RevisionError
		switch {
		case errors.As(err, &lost):
			return
		case err == nil:
			l.revision, expires = revision, renewed.Add(leaseSeconds*time.Second)
		}
	}
}

// release gives the lease back. Where that fails it goes by itself.
func (l *lease) release() {
	l.end()
	<-l.renewing
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), renewEvery)
	defer cancel()
	_, _ = l.storage.Delete(ctx, l.key, l.revision, engine.WriteOptions{})
}
