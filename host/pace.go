package host

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// pace spreads what the long calls of a module run over time, so that they leave most of a processor to others however many there are. A
// guest gives way after each slice of fuel; when its call has been long, it waits there for its turn: RATIONALE.md.
type pace struct {
	mu   sync.Mutex
	free time.Time // when what has run so far will have been made up for
}

// What makes a call long: fuel, not time, of which a busy machine takes any call more. Four million units are some 2 ms.
const (
	longFuel        = 4_000_000
	longFuelPerByte = 50 // of the request frame: large objects and long lists are more work

	fuelTime   = 2                      // units in a nanosecond
	paceOfLong = 7                      // what long calls run is made up for in so many times its time
	paceBurst  = 100 * time.Millisecond // how far back idle time counts
)

// slice waits for the turn of a slice that takes so long, unless ctx ends first. It returns how long that was.
func (p *pace) slice(ctx context.Context, took time.Duration) time.Duration {
	wait := p.book(took, time.Now())
	if wait <= 0 {
		return 0
	}
	began := time.Now()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return time.Since(began)
}

// behind tells whether what has run has not been made up for yet.
func (p *pace) behind() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.free.After(time.Now())
}

// book takes the next free time and returns how far away it is.
func (p *pace) book(took time.Duration, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if idle := now.Add(-paceBurst); p.free.Before(idle) {
		p.free = idle
	}
	p.free = p.free.Add(paceOfLong * took)
	return p.free.Sub(now)
}

// giveWay is the host's turn in the middle of a call: it waits where the call has been long, and stops it when its request has ended.
func (in *instance) giveWay() {
	runtime.Gosched()
	if in.request == nil {
		return
	}
	fuel, pace := in.guest.fuel, &in.module.pace
	used := in.budget - int64(fuel.reserve.Get()) // with the slice that comes
	if used > in.quick || pace.behind() {
		in.waited += pace.slice(in.request, time.Duration(fuel.size/fuelTime))
	}
	if err := in.request.Err(); err != nil {
		in.stopped = err
		in.budget -= fuel.drain() // what it has used stays the same
	}
}
