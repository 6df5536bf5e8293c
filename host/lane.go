package host

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// lane is what the calls of a module pass one by one while it makes long ones, with a pause after each that was long. A guest
// gives way to nobody while it runs, and what is within its budget may be repeated without end: RATIONALE.md.
type lane struct {
	slot   chan struct{}
	until  atomic.Int64             // Unix nanoseconds until which calls pass it
	holder atomic.Pointer[instance] // of the slot
	pause  atomic.Int64             // nanoseconds, after the holder's call
}

// What makes a call long: fuel, not time, of which a busy machine takes any call more. Four million units are some 2 ms.
const (
	longFuel        = 4_000_000
	longFuelPerByte = 50 // of the request frame: large objects and long lists are more work

	laneTime  = time.Second // that calls pass the lane after the last long one
	lanePause = 6           // times what the call took, by its fuel
	fuelTime  = 2           // units in a nanosecond
)

// enter waits for the slot where calls have to pass the lane, and is false without an error where they have not.
func (l *lane) enter(ctx context.Context, p *pool) (bool, error) {
	until := l.until.Load()
	if until == 0 {
		return false, nil
	}
	if time.Now().UnixNano() > until {
		l.until.CompareAndSwap(until, 0)
		return false, nil
	}
	timer := time.NewTimer(p.module.options.Limits.Wait)
	defer timer.Stop()
	select {
	case l.slot <- struct{}{}:
		return true, nil
	case <-p.closing:
		return false, errClosed
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return false, &engine.BusyError{Plugin: p.module.Name, RetryAfter: time.Second}
	}
}

// note tells whether a call was long, by what it took and the bytes that it was sent.
func (l *lane) note(in *instance, fuel int64, sent int) {
	beyond := fuel - longFuel - longFuelPerByte*int64(sent)
	if beyond <= 0 {
		return
	}
	l.until.Store(time.Now().Add(laneTime).UnixNano())
	if l.holder.Load() == in {
		l.pause.Store(lanePause * fuel / fuelTime)
	}
}

// leave gives the slot back, after the pause, where the instance has it.
func (l *lane) leave(in *instance) {
	if !l.holder.CompareAndSwap(in, nil) {
		return
	}
	if pause := time.Duration(l.pause.Swap(0)); pause > 0 {
		time.AfterFunc(pause, func() { <-l.slot })
		return
	}
	<-l.slot
}
