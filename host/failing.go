package host

import (
	"sync"
	"sync/atomic"
	"time"
)

// failing bounds the time that calls which fail may take: so much of every second. A guest that spins or traps whenever it is
// called would else keep a processor, and the collector that waits for it, busy at everyone's expense.
type failing struct {
	over atomic.Bool // calls are refused at present

	mu       sync.Mutex
	left     time.Duration
	refilled time.Time
}

// failingBurst is how many seconds' worth of failing time can be saved up.
const failingBurst = 10

// charge pays for a call that has failed.
func (f *failing) charge(took, perSecond time.Duration, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refill(perSecond, now)
	f.left -= took
	f.over.Store(f.left < 0)
}

// refuses tells whether calls have to wait until what earlier ones took has been made up for, and how long.
func (f *failing) refuses(perSecond time.Duration, now func() time.Time) (wait time.Duration, refused bool) {
	if !f.over.Load() {
		return 0, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refill(perSecond, now())
	if f.left >= 0 {
		f.over.Store(false)
		return 0, false
	}
	return time.Duration(float64(-f.left) / float64(perSecond) * float64(time.Second)), true
}

func (f *failing) refill(perSecond time.Duration, now time.Time) {
	most := failingBurst * perSecond
	if f.refilled.IsZero() {
		f.left = most
	} else {
		f.left = min(most, f.left+time.Duration(now.Sub(f.refilled).Seconds()*float64(perSecond)))
	}
	f.refilled = now
}
