package meter

import "testing"

// TestRewriteCosts holds the exact price of everything that has a price of its own.
func TestRewriteCosts(t *testing.T) {
	leaf := sized(0, opI32Const, 1, opDrop, opNop, opI32Const, 1, opDrop, opEnd)
	const leafUnits = 4
	tests := []struct {
		name string
		code []byte
		want int64
	}{
		{"nothing is a leaf", asm(opNop), 0},
		{"structure is free", asm(opCall, 2, opBlock, typeEmpty, opLoop, typeEmpty, opNop, opEnd, opEnd), 1 + leafUnits},
		{"call of a leaf", asm(opCall, 2), 1 + leafUnits},
		{"call of a function that pays", asm(opCall, 3), 1 + 1 + leafUnits},
		{"call of an import", asm(opCall, 0), 1 + costForeignCall},
		{"indirect call", asm(opI32Const, 0, opCallIndirect, 0, 0), 2 + costForeignCall},
		{"call not reached", asm(opReturn, opCall, 2), 2 + leafUnits},
		{
			"back edge by br: the body once, then the distance each time", // i from 0 to 3
			asm(opLoop, typeEmpty, opLocalGet, 0, opI32Const, 1, 0x6a, opLocalTee, 0, opI32Const, 3, 0x49, opIf, typeEmpty, opBr, 1, opEnd, opEnd),
			8 + 2*8,
		},
		{
			"back edge by br_if: the body once, then the loop each time",
			asm(opLoop, typeEmpty, opLocalGet, 0, opI32Const, 1, 0x6a, opLocalTee, 0, opI32Const, 3, 0x49, opBrIf, 0, opEnd),
			7 + 3*7,
		},
		{
			"back edge by br of a loop that pays at its head",
			asm(opLoop, typeEmpty, opI32Const, 0, opBrIf, 0, opLocalGet, 0, opI32Const, 1, 0x6a, opLocalTee, 0, opI32Const, 3, 0x49,
				opIf, typeEmpty, opBr, 1, opEnd, opEnd),
			10 + 3*10,
		},
		{"memory.fill of 80 bytes", asm(opI32Const, 0, opI32Const, 0, opI32Const, 0xd0, 0, opMisc, miscMemoryFill, 0), 4 + 10 + 10},
		{"memory.copy of 15 bytes", asm(opI32Const, 0, opI32Const, 0, opI32Const, 15, opMisc, miscMemoryCopy, 0, 0), 4 + 10 + 1},
		{"memory.grow by 3 pages", asm(opI32Const, 3, opMemoryGrow, 0, opDrop), 3 + 1000 + 3},
		{"table.grow by 5", asm(opRefNull, typeFuncref, opI32Const, 5, opMisc, miscTableGrow, 0, opDrop), 4 + 10 + 5},
		{"table.fill of 1", asm(opI32Const, 0, opRefNull, typeFuncref, opI32Const, 1, opMisc, miscTableFill, 0), 4 + 10 + 1},
		{"table.set", asm(opI32Const, 0, opRefNull, typeFuncref, opTableSet, 0, opCall, 2), 4 + leafUnits},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wasm := mod(oneType,
				sec(secImport, 1, "host", "nothing", 0, 0),
				sec(secFunction, 3, 0, 0, 0),
				sec(secTable, 1, typeFuncref, 0, 1), onePage,
				sec(secExport, 1, "run", 0, 1),
				sec(secElement, 1, 0, opI32Const, 0, opEnd, 1, 2),
				sec(secCode, 3, sized(1, 1, typeI32, test.code, opEnd), leaf, sized(0, opCall, 2, opEnd)))
			rt := newRuntime(t)
			if _, err := rt.NewHostModuleBuilder("host").NewFunctionBuilder().WithFunc(func() {}).Export("nothing").
				Instantiate(t.Context()); err != nil {
				t.Fatal(err)
			}
			i := instantiate(t, rt, rewrite(t, wasm, 1_000_000, Limits{}).Wasm)
			if o := call(i, "run"); o.trap != "" {
				t.Fatal(o.trap)
			}
			if used := 1_000_000 - fuelOf(i).Get(); used != test.want {
				t.Errorf("%d units, want %d", used, test.want)
			}
		})
	}
}
