package host

import (
	"github.com/stratagem-dev/stratagem/host/meter"
	"github.com/tetratelabs/wazero/api"
)

// tank is the fuel of an instance: a slice, which its code draws down, and the reserve, which it takes the next slice from.
type tank struct {
	slice, reserve api.MutableGlobal
	size           int64 // of a slice
}

func newTank(m *meter.Module, mod api.Module) *tank {
	return &tank{mod.ExportedGlobal(m.Fuel).(api.MutableGlobal), mod.ExportedGlobal(m.Reserve).(api.MutableGlobal), m.Slice}
}

// fill sets what is in the tank.
func (t *tank) fill(fuel int64) {
	first := min(fuel, t.size)
	t.slice.Set(uint64(first))
	t.reserve.Set(uint64(fuel - first))
}

// left is what is in the tank: below zero once the instance has run out of fuel.
func (t *tank) left() int64 { return int64(t.slice.Get() + t.reserve.Get()) }

// yields tells whether the guest is giving way at this moment.
func (t *tank) yields() bool { return t != nil && int64(t.slice.Get()) == meter.YieldMark }

// drain leaves a reserve below zero, so that a guest that gives way stops, and returns how much that took.
func (t *tank) drain() (fuel int64) {
	const owed = 1 << 50
	fuel = int64(t.reserve.Get()) + owed
	t.reserve.Set(^uint64(owed - 1)) // -owed
	return fuel
}
