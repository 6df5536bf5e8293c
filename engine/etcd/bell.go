package etcd

import "sync"

// bell wakes everybody who waits for it. To wait for a condition: take the channel, look at the condition, and
// only then wait, so that no ring is missed. The zero value is ready.
type bell struct {
	mu sync.Mutex
	ch chan struct{} // nil while nobody waits
}

// next is closed at the next ring.
func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

// ring wakes who waits, and tells whether somebody did.
func (b *bell) ring() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		return false
	}
	close(b.ch)
	b.ch = nil
	return true
}
