package etcd

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstBackoff = 50 * time.Millisecond
	mostBackoff  = 2 * time.Second
)

// backoff is how long to wait before the next try: longer with every failure in a row. The zero value is ready.
type backoff struct{ delay time.Duration }

// wait lets some time pass; it ends early with the context.
func (b *backoff) wait(ctx context.Context) {
	b.delay = min(max(2*b.delay, firstBackoff), mostBackoff)
	timer := time.NewTimer(b.delay/2 + rand.N(b.delay/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// reset forgets the failures.
func (b *backoff) reset() { b.delay = 0 }
