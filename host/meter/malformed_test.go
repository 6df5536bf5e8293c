package meter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestRewriteRefuses has a module for every reason to refuse one. Many would be valid after the rewrite alone: an
// index one past the end would then mean what the rewriter appended.
func TestRewriteRefuses(t *testing.T) {
	overlong := []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x00}
	manyTypes := []byte{0x81, 0x80, 0x80, 0x80, 0x10} // 2^32+1
	function := func(parts ...any) []byte { return sec(secCode, 1, sized(parts...)) }
	tests := []struct {
		name string
		wasm []byte
		kind error
		text string
	}{
		{"empty", nil, ErrMalformed, "not a WebAssembly 1 module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), ErrMalformed, "not a WebAssembly 1 module"},
		{"section out of order", mod(oneFunction, oneType), ErrMalformed, "type section out of order"},
		{"section twice", mod(oneType, oneType), ErrMalformed, "type section out of order"},
		{"data count after code", mod(sec(secCode, 0), sec(secDataCount, 0)), ErrMalformed, "data count section out of order"},
		{"unknown section", mod(sec(14)), ErrMalformed, "section number 14"},
		{"tag section", mod(sec(13, 0)), ErrUnsupported, "exception handling"},
		{"section beyond the end", mod([]byte{secType, 9, 0}), ErrMalformed, "9 bytes expected, 1 left"},
		{"bytes after a section's content", mod(sec(secType, 0, 0)), ErrMalformed, "type section: offset 0xb: malformed: 1 bytes left over"},
		{"overlong size", mod(asm(secType, overlong)), ErrMalformed, "longer than 32 bits"},
		{"overlong count", mod(sec(secType, manyTypes)), ErrMalformed, "longer than 32 bits"},
		{"count beyond the bytes", mod(sec(secFunction, 0xff, 0xff, 0xff, 0xff, 0x0f)), ErrMalformed, "4294967295 functions do not fit"},
		{"declared functions without bodies", mod(oneType, oneFunction), ErrMalformed, "1 functions declared, 0 bodies"},
		{"bodies without functions", mod(oneType, code()), ErrMalformed, "0 functions declared, 1 bodies"},
		{"body beyond the section", mod(oneType, oneFunction, sec(secCode, 1, 9, 0, opEnd)), ErrMalformed, "9 bytes expected"},

		{"type form", mod(sec(secType, 1, 0x61)), ErrMalformed, "type form 0x61"},
		{"struct type", mod(sec(secType, 1, 0x5f)), ErrUnsupported, "garbage collection"},
		{"value type", mod(sec(secType, 1, 0x60, 1, 0x55, 0)), ErrMalformed, "value type 0x55"},
		{"v128", mod(sec(secType, 1, 0x60, 1, 0x7b, 0)), ErrUnsupported, "v128 (SIMD)"},
		{"exnref", mod(sec(secType, 1, 0x60, 1, 0x69, 0)), ErrUnsupported, "exnref (exception handling)"},
		{"typed reference", mod(sec(secType, 1, 0x60, 1, 0x63, 0x70, 0)), ErrUnsupported, "typed function reference"},
		{"function of an unknown type", mod(oneType, sec(secFunction, 1, 1), code()), ErrMalformed, "type 1 of 1"},
		{"import of an unknown type", mod(oneType, sec(secImport, 1, "m", "n", 0, 1)), ErrMalformed, "type 1 of 1"},
		{"import of a memory", mod(sec(secImport, 1, "m", "n", 2, 0, 1)), ErrUnsupported, `memory "m"."n": only functions`},
		{"import of a table", mod(sec(secImport, 1, "m", "n", 1, 0x70, 0, 1)), ErrUnsupported, `table "m"."n": only functions`},
		{"import of a global", mod(sec(secImport, 1, "m", "n", 3, 0x7f, 1)), ErrUnsupported, `global "m"."n": only functions`},
		{"name not UTF-8", mod(oneType, sec(secImport, 1, 1, 0xff, "n", 0, 0)), ErrMalformed, "not UTF-8"},
		{"table of numbers", mod(sec(secTable, 1, typeI32, 0, 1)), ErrMalformed, "not a reference type"},
		{"table with a value", mod(sec(secTable, 1, 0x40, 0, 0x70, 0, 1, 0xd0, 0x70, opEnd)), ErrUnsupported, "initial value"},
		{"table maximum", mod(sec(secTable, 1, typeFuncref, 1, 2, 1)), ErrMalformed, "maximum 1 below minimum 2"},
		{"table64", mod(sec(secTable, 1, typeFuncref, 4, 2)), ErrUnsupported, "memory64"},
		{"memory64", mod(sec(secMemory, 1, 4, 1)), ErrUnsupported, "memory64"},
		{"shared memory", mod(sec(secMemory, 1, 3, 1, 1)), ErrUnsupported, "threads"},
		{"memory limits", mod(sec(secMemory, 1, 8, 1)), ErrMalformed, "memory limits 0x8"},
		{"memory of more than 4 GiB", mod(sec(secMemory, 1, 0, 0x81, 0x80, 4)), ErrMalformed, "at most 65536"},
		{"two memories", mod(sec(secMemory, 2, 0, 1, 0, 1)), ErrUnsupported, "multi-memory"},
		{"global mutability", mod(sec(secGlobal, 1, typeI32, 2, opI32Const, 0, opEnd)), ErrMalformed, "mutability 0x2"},
		{"global from a global", mod(sec(secGlobal, 1, typeI32, 0, opGlobalGet, 0, opEnd)), ErrMalformed, "not imported"},
		{"extended constant", mod(sec(secGlobal, 1, typeI32, 0, opI32Const, 1, opI32Const, 1, 0x6a, opEnd)), ErrUnsupported, "several instructions"},
		{"constant opcode", mod(sec(secGlobal, 1, typeI32, 0, opNop, opEnd)), ErrMalformed, "opcode 0x1 in a constant"},
		{"constant of a function", mod(sec(secGlobal, 1, typeFuncref, 0, opRefFunc, 0, opEnd)), ErrMalformed, "function 0 of 0"},

		{"reserved export", mod(oneType, oneFunction, sec(secExport, 1, "stratagem.fuel", 0, 0), code()), ErrReserved, `"stratagem.fuel"`},
		{"reserved prefix", mod(oneType, oneFunction, sec(secExport, 1, "stratagem.", 0, 0), code()), ErrReserved, `"stratagem."`},
		{"export twice", mod(oneType, oneFunction, sec(secExport, 2, "a", 0, 0, "a", 0, 0), code()), ErrMalformed, `second export "a"`},
		{"export of the fuel", mod(sec(secExport, 1, "a", 3, 0)), ErrMalformed, "global 0 of 0"},
		{"export of an unknown function", mod(sec(secExport, 1, "a", 0, 0)), ErrMalformed, "func 0 of 0"},
		{"export of an unknown table", mod(sec(secExport, 1, "a", 1, 0)), ErrMalformed, "table 0 of 0"},
		{"export of an unknown memory", mod(onePage, sec(secExport, 1, "a", 2, 1)), ErrMalformed, "memory 1 of 1"},
		{"export of a tag", mod(sec(secExport, 1, "a", 4, 0)), ErrMalformed, "kind 0x4"},
		{"start function", mod(sec(secStart, 0)), ErrMalformed, "start section: offset 0xa: malformed: function 0 of 0"},

		{"element kind", mod(oneTable, sec(secElement, 1, 8)), ErrMalformed, "element segment of kind 8"},
		{"element type", mod(oneTable, sec(secElement, 1, 1, 1, 0)), ErrMalformed, "element kind 0x1"},
		{"element of an unknown function", mod(oneTable, sec(secElement, 1, 0, opI32Const, 0, opEnd, 1, 0)), ErrMalformed, "function 0 of 0"},
		{"elements of an unknown table", mod(oneTable, sec(secElement, 1, 2, 1, opI32Const, 0, opEnd, 0, 0)), ErrMalformed, "table 1 of 1"},
		{"elements without a table", mod(sec(secElement, 1, 0, opI32Const, 0, opEnd, 0)), ErrMalformed, "without a table"},
		{"data kind", mod(onePage, sec(secData, 1, 3)), ErrMalformed, "data segment of kind 3"},
		{"data of another memory", mod(onePage, sec(secData, 1, 2, 1, opI32Const, 0, opEnd, 0)), ErrUnsupported, "multi-memory"},
		{"data count", mod(sec(secDataCount, 2), sec(secData, 1, 1, 0)), ErrMalformed, "1 data segments, 2 counted"},
		{"data count alone", mod(sec(secDataCount, 2)), ErrMalformed, "2 data segments counted, none present"},
		{"data beyond the section", mod(sec(secData, 1, 1, 9, 0)), ErrMalformed, "9 bytes expected, 1 left"},
		{"own section twice", mod(sec(secCustom, "stratagem.a"), sec(secCustom, "stratagem.a")), ErrMalformed, `second section "stratagem.a"`},
		{"custom section name", mod(sec(secCustom, 5, 0x61)), ErrMalformed, "5 bytes expected, 1 left"},

		{"global.set of the fuel", fn(opI64Const, 1, opGlobalSet, 0), ErrMalformed, "function 0: offset 0x1a: malformed: global 0 of 0"},
		{"global.get of the fuel", fn(opGlobalGet, 0, opDrop), ErrMalformed, "global 0 of 0"},
		{"local.set of the scratch", fnMemory(opI32Const, 1, opLocalSet, 0, opI32Const, 0, opI32Const, 0, opI32Const, 0, opMisc, miscMemoryFill, 0), ErrMalformed, "local 0 of 0"},
		{"call", fn(opCall, 1), ErrMalformed, "function 1 of 1"},
		{"indirect call, type", mod(oneType, oneFunction, oneTable, code(opI32Const, 0, opCallIndirect, 1, 0)), ErrMalformed, "type 1 of 1"},
		{"indirect call, table", fn(opI32Const, 0, opCallIndirect, 0, 0), ErrMalformed, "table 0 of 0"},
		{"ref.func", fn(opRefFunc, 1, opDrop), ErrMalformed, "function 1 of 1"},
		{"table.get", fn(opI32Const, 0, opTableGet, 0, opDrop), ErrMalformed, "table 0 of 0"},
		{"table.copy", mod(oneType, oneFunction, oneTable, code(opMisc, miscTableCopy, 0, 1)), ErrMalformed, "table 1 of 1"},
		{"table.init", mod(oneType, oneFunction, oneTable, code(opMisc, miscTableInit, 0, 0)), ErrMalformed, "element segment 0 of 0"},
		{"elem.drop", fn(opMisc, miscElemDrop, 0), ErrMalformed, "element segment 0 of 0"},
		{"memory.init", fnMemory(opMisc, miscMemoryInit, 0, 0), ErrMalformed, "without a data count section"},
		{"data.drop", mod(oneType, oneFunction, sec(secDataCount, 1), code(opMisc, miscDataDrop, 1), sec(secData, 1, 1, 0)), ErrMalformed, "data segment 1 of 1"},
		{"br", fn(opBr, 1), ErrMalformed, "label 1 of 1"},
		{"br_if", fn(opI32Const, 0, opBrIf, 1), ErrMalformed, "label 1 of 1"},
		{"br_table", fn(opI32Const, 0, opBrTable, 1, 0, 1), ErrMalformed, "label 1 of 1"},
		{"br_table length", fn(opI32Const, 0, opBrTable, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), ErrMalformed, "4294967295 labels do not fit"},
		{"block type", fn(opBlock, 1, opEnd), ErrMalformed, "type 1 of 1"},
		{"block type, negative", fn(opBlock, 0xc0, 0x7f, opEnd), ErrMalformed, "of 1"},
		{"block type, padded negative", fn(opBlock, 0x80, 0x40, opEnd), ErrMalformed, "of 1"},
		{"block of v128", fn(opBlock, 0x7b, opEnd), ErrUnsupported, "SIMD"},
		{"else alone", fn(opElse), ErrMalformed, "else outside of an if"},
		{"else twice", fn(opI32Const, 0, opIf, typeEmpty, opElse, opElse, opEnd), ErrMalformed, "else outside of an if"},
		{"end missing", fn(opBlock, typeEmpty), ErrMalformed, "unexpected end"},
		{"instructions after the end", fn(opEnd, opNop), ErrMalformed, "2 bytes left over"},
		{"empty body", mod(oneType, oneFunction, sec(secCode, 1, 0)), ErrMalformed, "unexpected end"},
		{"unknown opcode", fn(0xff), ErrMalformed, "opcode 0xff"},
		{"unknown opcode in bulk", fn(opMisc, 18), ErrMalformed, "opcode 0xfc 0x12"},
		{"i32.const", fn(opI32Const, overlong, opDrop), ErrMalformed, "longer than 32 bits"},
		{"i32.const, unused bits", fn(opI32Const, 0x80, 0x80, 0x80, 0x80, 0x70, opDrop), ErrMalformed, "longer than 32 bits"},
		{"i64.const", fn(opI64Const, bytes.Repeat([]byte{0x80}, 10), 0, opDrop), ErrMalformed, "longer than 64 bits"},
		{"i64.const, unused bits", fn(opI64Const, bytes.Repeat([]byte{0x80}, 9), 2, opDrop), ErrMalformed, "longer than 64 bits"},
		{"load without a memory", fn(opI32Const, 0, opI32Load, 2, 0, opDrop), ErrMalformed, "without a memory"},
		{"alignment", fnMemory(opI32Const, 0, opI32Load, 32, 0, opDrop), ErrMalformed, "alignment 32"},
		{"load of another memory", fnMemory(opI32Const, 0, opI32Load, 0x42, 1, 0, opDrop), ErrUnsupported, "multi-memory"},
		{"memory.grow of another memory", fnMemory(opI32Const, 0, opMemoryGrow, 1, opDrop), ErrUnsupported, "multi-memory"},
		{"memory.copy to another memory", fnMemory(opMisc, miscMemoryCopy, 0, 1), ErrUnsupported, "multi-memory"},
		{"select of two", fn(opSelectTyped, 2, typeI32, typeI32), ErrMalformed, "select of 2 types"},
		{"exceptions", fn(0x06, typeEmpty), ErrUnsupported, "exception handling"},
		{"tail call", fn(0x12, 0), ErrUnsupported, "tail calls"},
		{"call_ref", fn(0x14, 0), ErrUnsupported, "typed function references"},
		{"SIMD", fn(0xfd, 0x0c), ErrUnsupported, "opcode 0xfd (SIMD)"},
		{"atomics", fn(0xfe, 0), ErrUnsupported, "threads"},
		{"garbage collection", fn(0xfb, 0), ErrUnsupported, "garbage collection"},
		{"locals of 4 GiB", mod(oneType, oneFunction, function(1, 0xff, 0xff, 0xff, 0xff, 0x0f, typeI32, opEnd)), ErrLimit, "more than 50000 locals"},
		{"locals in sum", mod(oneType, oneFunction, function(2, 0xb0, 0xea, 1, typeI32, 0xb0, 0xea, 1, typeI32, opEnd)), ErrLimit, "more than 50000 locals"},
		{"local type", mod(oneType, oneFunction, function(1, 1, typeEmpty, opEnd)), ErrMalformed, "value type 0x40"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := Rewrite(test.wasm, 0, Limits{})
			var e *Error
			if m != nil || !errors.As(err, &e) || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v, want %v: %s", err, test.kind, test.text)
			}
		})
	}
}

func TestRewriteHoldsLimits(t *testing.T) {
	table := mod(oneType, oneFunction, sec(secTable, 1, typeFuncref, 0, 4),
		sec(secElement, 2, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0), code())
	tests := []struct {
		name   string
		limits Limits
		wasm   []byte
		text   string
	}{
		{"functions", Limits{Functions: 1}, mod(oneType, sec(secFunction, 2, 0, 0), sec(secCode, 2, sized(0, opEnd), sized(0, opEnd))), "2 functions, at most 1"},
		{"imported functions", Limits{Functions: 1}, mod(oneType, sec(secImport, 1, "m", "n", 0, 0), oneFunction, code()), "1 functions, at most 0"},
		{"function bytes", Limits{FunctionBytes: 10}, fn(bytes.Repeat([]byte{opNop}, 9)), "body of 11 bytes, at most 10"},
		{"total locals", Limits{TotalLocals: 3}, mod(oneType, sec(secFunction, 2, 0, 0),
			sec(secCode, 2, sized(1, 2, typeI32, opEnd), sized(1, 2, typeI32, opEnd))), "more than 3 locals in all"},
		{"tables", Limits{Tables: 1}, mod(sec(secTable, 2, typeFuncref, 0, 1, typeFuncref, 0, 1)), "2 tables, at most 1"},
		{"table elements", Limits{TableElements: 3}, table, "table of 4 elements, at most 3"},
		{"elements in sum", Limits{TableElements: 3}, mod(oneType, oneFunction, oneTable,
			sec(secElement, 2, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0), code()), "2 elements, at most 1"},
		{"globals", Limits{Globals: 1}, mod(sec(secGlobal, 2, typeI32, 1, opI32Const, 0, opEnd, typeI32, 1, opI32Const, 0, opEnd)), "2 globals, at most 1"},
		{"entries", Limits{Entries: 1}, mod(sec(secType, 2, 0x60, 0, 0, 0x60, 0, 0)), "2 types, at most 1"},
		{"data segments", Limits{DataSegments: 1}, mod(sec(secData, 2, 1, 0, 1, 0)), "2 data segments, at most 1"},
		{"data count", Limits{DataSegments: 1}, mod(sec(secDataCount, 2), sec(secData, 2, 1, 0, 1, 0)), "2 data segments, at most 1"},
		{"values of a type", Limits{}, mod(sec(secType, 1, 0x60, 0xe9, 7, bytes.Repeat([]byte{typeI32}, 1001), 0)), "1001 values in a type, at most 1000"},
		{"work, loops", Limits{}, fn(bytes.Repeat([]byte{opLoop, typeEmpty, opI32Const, 1, opBrIf, 0, opEnd}, 10_000)), "at most 500000000 in one function"},
		{"work, depth", Limits{}, fn(bytes.Repeat([]byte{opBlock, typeEmpty}, 100_000), bytes.Repeat([]byte{opEnd}, 100_000)), "too complex"},
		{"work, locals", Limits{}, mod(oneType, oneFunction, sec(secCode, 1, sized(1, 0xd0, 0x86, 3, typeI32, // 50 000
			bytes.Repeat([]byte{opI32Const, 1, opIf, typeEmpty, opEnd}, 100), opEnd))), "too complex"},
		{"work, values", Limits{}, mod(sec(secType, 2, 0x60, 0, 0, 0x60, 0xe8, 7, bytes.Repeat([]byte{typeI32}, 1000), 0), oneFunction,
			code(opUnreachable, bytes.Repeat([]byte{opLoop, 1, opEnd}, 500))), "too complex"},
		{"work, bulk", Limits{}, fnMemory(bytes.Repeat([]byte{opI32Const, 1, opI32Const, 1, opI32Const, 1, opMisc, miscMemoryFill, 0}, 5000)), "too complex"},
		{"work, size", Limits{}, fn(bytes.Repeat([]byte{opNop}, 400_000)), "too complex"},
		{"work in sum", Limits{Work: 3200}, mod(oneType, sec(secFunction, 20, make([]byte, 20)), sec(secCode, 20,
			bytes.Repeat(sized(0, bytes.Repeat([]byte{opBlock, typeEmpty, opEnd}, 13), opEnd), 20))), "more than 3200 units of work in all"},
		{"labels", Limits{}, fn(opI32Const, 0, opBrTable, 0x81, 0x80, 8, make([]byte, 1<<17+2)), "131073 labels, at most 131072"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Rewrite(test.wasm, 0, test.limits)
			if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v, want %s", err, test.text)
			}
		})
	}
	if _, err := Rewrite(table, 0, Limits{TableElements: 4}); err != nil {
		t.Errorf("a module just within its limits: %v", err)
	}
}

// Compilers pad integers; as long as they stay within the size of their type they are read as they are meant.
func TestRewriteTakesPaddedIntegers(t *testing.T) {
	wasm := mod(oneType, oneFunction, sec(secCode, 1, sized(0,
		opBlock, 0x80, 0x80, 0x80, 0x80, 0, // type 0
		opBr, 0x80, 0x80, 0x80, 0x80, 0,
		opEnd,
		opI32Const, 0xff, 0xff, 0xff, 0xff, 0x7f, opDrop, // -1
		opI64Const, bytes.Repeat([]byte{0xff}, 9), 0x7f, opDrop, // -1
		opCall, 0x80, 0x80, 0x80, 0x80, 0, opEnd)))
	checkAgreement(t, newChecker(t), wasm)
	if _, err := Rewrite(wasm, 0, Limits{}); err != nil {
		t.Error(err)
	}
}

func TestRewriteBoundsTables(t *testing.T) {
	grow := asm(opRefNull, typeFuncref, opI32Const, 9, opMisc, miscTableGrow, 0, opDrop)
	for _, limits := range [][]byte{{0, 2}, {1, 2, 10}, {1, 2, 11}} {
		wasm := mod(oneType, oneFunction, sec(secTable, 1, typeFuncref, limits),
			sec(secGlobal, 1, typeI32, 1, opI32Const, 0, opEnd), sec(secExport, 2, "run", 0, 0, "grown", 3, 0),
			code(opRefNull, typeFuncref, opI32Const, 9, opMisc, miscTableGrow, 0, opGlobalSet, 0, grow))
		i := instantiate(t, newRuntime(t), rewrite(t, wasm, 1000, Limits{TableElements: 10}).Wasm)
		if o := call(i, "run"); o.trap != "" {
			t.Fatal(o.trap)
		}
		if got := int32(i.ExportedGlobal("grown").Get()); got != -1 {
			t.Errorf("limits %v: table.grow beyond 10 elements returned %d, want -1", limits, got)
		}
	}
}
