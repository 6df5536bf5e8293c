package meter

import (
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

func depthOf(i api.Module) api.MutableGlobal {
	return i.ExportedGlobal(DepthExport).(api.MutableGlobal)
}

// Recursion of every kind ends at the depth that it is given, whatever the fuel.
func TestRewriteStopsRecursion(t *testing.T) {
	rt := newRuntime(t)
	for name, wasm := range guests(t, "stopped") {
		if name != "recursion_deep" {
			continue // the others branch: they end by fuel before they are deep
		}
		m := rewrite(t, wasm, 1<<40, Limits{})
		var used []int64
		for _, depth := range []int64{0, 1, 100, 5000} {
			i := instantiate(t, rt, m.Wasm)
			depthOf(i).Set(uint64(depth))
			o := call(i, "run")
			if !strings.Contains(o.trap, "unreachable") || int32(depthOf(i).Get()) >= 0 || fuelOf(i).Get() < 0 {
				t.Errorf("%s: trap %q with %d left of depth %d", name, o.trap, int32(depthOf(i).Get()), depth)
			}
			used = append(used, 1<<40-fuelOf(i).Get())
		}
		if used[3] <= used[2] || used[2] <= used[1] {
			t.Errorf("%s: fuel used: %d", name, used)
		}
	}
	self := mod(oneType, oneFunction, sec(secExport, 1, "run", 0, 0), code(opCall, 0))
	through := mod(sec(secType, 1, 0x60, 0, 0), oneFunction, sec(secTable, 1, typeFuncref, 0, 1), sec(secExport, 1, "run", 0, 0),
		sec(secElement, 1, 0, opI32Const, 0, opEnd, 1, 0), code(opI32Const, 0, opCallIndirect, 0, 0))
	mutual := mod(oneType, sec(secFunction, 2, 0, 0), sec(secExport, 1, "run", 0, 0),
		sec(secCode, 2, sized(0, opCall, 1, opEnd), sized(0, opCall, 0, opEnd)))
	for name, wasm := range map[string][]byte{"self": self, "through a table": through, "mutual": mutual} {
		i := instantiate(t, rt, rewrite(t, wasm, 1<<40, Limits{}).Wasm)
		if o := call(i, "run"); !strings.Contains(o.trap, "unreachable") || int32(depthOf(i).Get()) != -1 {
			t.Errorf("%s: trap %q with %d left", name, o.trap, int32(depthOf(i).Get()))
		}
	}
}

// Whatever way functions are left, the depth is what it was.
func TestRewriteBalancesDepth(t *testing.T) {
	rt := newRuntime(t)
	for name, wasm := range guests(t, "equal") {
		i := instantiate(t, rt, rewrite(t, wasm, 1<<40, Limits{}).Wasm)
		for _, arg := range []uint64{0, 1, 2, 3, 5, 6, 7, 12, 27, 255, 1023, 97_531, 1<<31 - 1, 1<<32 - 1} {
			if o := call(i, "run", arg); o.trap != "" {
				break
			}
			if left := depthOf(i).Get(); left != InitialDepth {
				t.Errorf("%s: run(%d) leaves a depth of %d", name, arg, int32(left))
			}
		}
	}
}

// A module cannot reach the global that is added.
func TestDepthIsOutOfReach(t *testing.T) {
	for index := range 3 {
		wasm := mod(oneType, oneFunction, code(opI32Const, 1, opGlobalSet, index))
		if _, err := Rewrite(wasm, 1, Limits{}); err == nil {
			t.Errorf("global.set %d is taken in a module without globals", index)
		}
	}
}

// Go's own recursion and its goroutines come up again as often as they go down.
func TestDepthOfGoGuest(t *testing.T) {
	rt, wasm := newGoRuntime(t)
	i, err := rt.InstantiateWithConfig(context.Background(), rewrite(t, wasm, 1<<40, Limits{}).Wasm,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fib", "encode", "order", "recovers", "channels"} {
		if o := call(i, name, 20); o.trap != "" || depthOf(i).Get() != InitialDepth {
			t.Errorf("%s: %q, depth %d", name, o.trap, int32(depthOf(i).Get()))
		}
	}
}
