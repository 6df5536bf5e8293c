package host

import (
	"sync"
	"time"
)

// logBudget bounds what a module may write to the server's log in the course of time: so many bytes a minute, and as many
// at once after a while of silence.
type logBudget struct {
	mu         sync.Mutex
	left       float64
	refilled   time.Time
	suppressed int
}

// take pays for n bytes, and returns how many have been suppressed since it could last; false when these are, too.
func (b *logBudget) take(n, perMinute int, now time.Time) (suppressed int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refilled.IsZero() {
		b.left = float64(perMinute)
	} else {
		b.left = min(float64(perMinute), b.left+float64(perMinute)*now.Sub(b.refilled).Minutes())
	}
	b.refilled = now
	if b.left < float64(n) {
		b.suppressed += n
		return 0, false
	}
	b.left -= float64(n)
	suppressed, b.suppressed = b.suppressed, 0
	return suppressed, true
}
