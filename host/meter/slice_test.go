package meter

import (
	"runtime"
	"strings"
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

// Locals of every type are what they were after the guest has given way, few or many of them.
func TestLocalsSurviveGivingWay(t *testing.T) {
	const counter, long, single, double = 1, 2, 3, 4 // locals, after the parameter
	const reinterpret32, reinterpret64, xor = 0xbc, 0xbd, 0x85
	body := func(more int) []byte {
		return sized(5, 1, typeI32, 1, typeI64, 1, typeF32, 1, typeF64, appendU32(nil, uint32(more)), typeI64,
			opI64Const, appendS64(nil, 0x1122334455667788), opLocalSet, long,
			opF32Const, 0x01, 0x02, 0xa0, 0x7f, opLocalSet, single, // a NaN that means something
			opF64Const, 1, 2, 3, 4, 5, 6, 7, 8, opLocalSet, double,
			opLoop, typeEmpty, opLocalGet, counter, opI32Const, 1, opI32Add, opLocalTee, counter, opLocalGet, 0, opI32LtS, opBrIf, 0, opEnd,
			opLocalGet, long, opLocalGet, single, reinterpret32, opI64ExtendU, xor, opLocalGet, double, reinterpret64, xor, opLocalGet, counter, opI64ExtendU, xor, opEnd)
	}
	rt := newRuntime(t)
	for _, more := range []int{0, keptLocals - 5, keptLocals - 4, 1000} {
		wasm := mod(sec(secType, 1, typeFunction, 1, typeI32, 1, typeI64), oneFunction, onePage, sec(secExport, 1, "run", 0, 0), sec(secCode, 1, body(more)))
		m := rewrite(t, wasm, 0, Limits{Slice: 1})
		i := instantiate(t, rt, m.Wasm)
		fuelOf(i).Set(1 << 40)
		want := call(instantiate(t, rt, wasm), "run", 77)
		if got := call(i, "run", 77); got != want || want.result == 0 {
			t.Errorf("%d locals: %+v, want %+v", more+5, got, want)
		}
		if keeps := strings.Count(string(m.Wasm), string([]byte{typeF32, 1, opF32Const, 0, 0, 0, 0, opEnd})); (keeps == 1) != (more+5 <= keptLocals) {
			t.Errorf("%d locals: kept in %d globals of f32", more+5, keeps)
		}
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
