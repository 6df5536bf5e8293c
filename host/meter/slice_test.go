package meter

import (
	"runtime"
	"testing"
)

// A guest that never ends does not hold up the collector of its host: without slices this test would not end.
func TestGuestGivesWay(t *testing.T) {
	const stop, running = 0, 4 // addresses
	const store8, load8 = 0x3a, 0x2d
	spin := asm(opLoop, typeEmpty,
		opI32Const, running, opI32Const, 1, store8, 0, 0,
		opI32Const, stop, load8, 0, 0, opI32Eqz, opBrIf, 0,
		opEnd)
	wasm := mod(oneType, oneFunction, onePage, sec(secExport, 1, "run", 0, 0), code(spin))
	i := instantiate(t, newRuntime(t), rewrite(t, wasm, 0, Limits{}).Wasm)
	fuelOf(i).Set(1 << 60)
	ended := make(chan outcome)
	go func() { ended <- call(i, "run") }()
	for b := byte(0); b == 0; b, _ = i.Memory().ReadByte(running) {
		runtime.Gosched()
	}
	runtime.GC()
	select {
	case o := <-ended:
		t.Fatalf("the guest ended before it was told to: %+v", o)
	default:
	}
	i.Memory().WriteByte(stop, 1)
	if o := <-ended; o.trap != "" {
		t.Error(o.trap)
	}
}

// What bulk instructions cost may be more than a slice, or than many.
func TestChargesBeyondSlices(t *testing.T) {
	wasm := mod(oneType, oneFunction, onePage, sec(secExport, 1, "run", 0, 0),
		code(opI32Const, 0, opI32Const, 0, opI32Const, 0x80, 0x80, 4, opMisc, miscMemoryFill, 0)) // 64 KiB
	const cost = 5 + 10 + 64<<10/8 - 1
	rt := newRuntime(t)
	for _, slice := range []int64{1, 7, cost - 1, cost, cost + 1, 1 << 40} {
		m := rewrite(t, wasm, 0, Limits{Slice: slice})
		for _, spare := range []int64{-1, 0, 1, 1000} {
			i := instantiate(t, rt, m.Wasm)
			fuelOf(i).Set(cost + spare)
			o := call(i, "run")
			if left := fuelOf(i).Get(); (o.trap == "") != (spare >= 0) || left != spare && o.trap == "" || left >= 0 && o.trap != "" {
				t.Errorf("slices of %d, %d more than needed: trap %q, %d left", slice, spare, o.trap, left)
			}
		}
	}
}
