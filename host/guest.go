package host

import (
	"context"
	"errors"
)

// hostCallFuel is what every call of a host function costs: about its time in guest instructions.
const hostCallFuel = 200

// errOutOfFuel is the trap of a host function that the guest can no longer pay.
var errOutOfFuel = errors.New("out of fuel")

// guest is what the host functions know of the instance that calls them. It travels in the context of the call,
// since wazero hands nothing else through.
type guest struct {
	fuel    *tank  // nil before instantiation has ended, and in unmetered modules
	pending int64  // charged while fuel was nil
	budget  int64  // for pending
	clock   uint64 // what the guest's clocks show
	log     guestLog
	reads   reads
}

type guestKey struct{}

func withGuest(ctx context.Context, g *guest) context.Context {
	return context.WithValue(ctx, guestKey{}, g)
}

func guestOf(ctx context.Context) *guest { return ctx.Value(guestKey{}).(*guest) }

// charge takes the cost of a host function from the guest's fuel, so that it cannot make the host work for free.
func (g *guest) charge(cost int64) {
	if g.fuel == nil {
		if g.pending += cost; g.pending > g.budget {
			panic(errOutOfFuel)
		}
		return
	}
	left := g.fuel.left() - cost
	g.fuel.fill(left)
	if left < 0 {
		panic(errOutOfFuel)
	}
}
