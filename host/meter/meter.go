// Package meter rewrites WebAssembly modules so that they pay for what they run.
//
// The nouns: a Module is the result, Limits bound what is accepted, fuel is a mutable i64 global that the
// rewritten code draws down and checks, a slice is what it holds at once, the reserve another global that the next slice comes from,
// depth an i32 global that goes down and up with recursion, a point is a place in a function where code is added.
//
// Reading the source: module.go (what a module is made of), sections.go (its outline), scan.go (one
// function, instruction by instruction), flow.go (which branches go back), emit.go (what is added),
// slice.go (the function that gives way), encode.go (the new module). RATIONALE.md holds the questions that were decided.
package meter

// ReservedPrefix begins the names of the exports that Rewrite adds.
//
//   - A module that already exports such a name is refused.
const ReservedPrefix = "stratagem."

// FuelExport is the name under which the global is exported that holds what is left of the slice of fuel.
const FuelExport = ReservedPrefix + "fuel"

// ReserveExport is the name under which the global is exported that further slices are taken from.
const ReserveExport = ReservedPrefix + "reserve"

// DepthExport is the name under which the global is exported that counts how much deeper calls may go.
const DepthExport = ReservedPrefix + "depth"

// InitialDepth is how deep calls may go before the host sets the global.
const InitialDepth = 10_000

// Module is a rewritten module and what the host has to know about it.
type Module struct {
	// Wasm is the rewritten module. Its code has been decoded but not type checked: the engine still has to validate it.
	Wasm []byte
	// Fuel and Reserve are the export names of the mutable i64 globals that hold the fuel together. Before each call the host sets Fuel to a slice and
	// Reserve to the rest, and reads them afterwards: a trap with less than zero in both together means that the call ran out of fuel. A slice that is
	// used up is replaced from the reserve, and the guest gives way to the host then (YieldMark): the host may wait, or end the call by a Reserve
	// below zero. Small functions without loops and calls are paid for by their callers in the module, so a call from the host to one of them is free.
	Fuel, Reserve string
	// Slice is the fuel that a slice holds, at most.
	Slice int64
	// Depth is the export name of the mutable i32 global that holds how much deeper calls may go. A trap with less than zero left
	// means that they went too deep. It is what it was when a call has ended well; after a trap the host has to set it again.
	Depth string
	// Globals are the export names of every mutable global that the module had, in the order of their indices: with
	// the memory they are what a snapshot holds.
	Globals []string
	// SetsTables tells that the code may change tables at run time (table.set, grow, fill, copy, init).
	SetsTables bool
	// DropsSegments tells that the code may drop data or element segments, which no snapshot can bring back.
	DropsSegments bool
	// Memory is the module's memory, nil without one. The host's allocator has to hold it to its maximum: the engine sees a greater one.
	Memory *Memory
	// Imports are the imported functions, in order.
	Imports []Import
	// Exports are the module's own exports, without those that Rewrite adds.
	Exports []Export
	// Custom holds the custom sections whose names begin with the reserved prefix. They share the input's bytes.
	Custom map[string][]byte
}

// Memory is the declared size of a memory, in pages of 64 KiB.
type Memory struct {
	Min, Max uint32 // Max is 65536 when HasMax is false
	HasMax   bool
}

// Import is one imported function.
type Import struct {
	Module, Name string
}

// Export is one export.
type Export struct {
	Name string
	Kind Kind
}

// Kind is what an export names, under its number in the binary format.
type Kind byte

// The kinds of exports.
const (
	KindFunction Kind = 0
	KindTable    Kind = 1
	KindMemory   Kind = 2
	KindGlobal   Kind = 3
)

// String is the kind's name in the text format.
func (k Kind) String() string {
	switch k {
	case KindFunction:
		return "func"
	case KindTable:
		return "table"
	case KindMemory:
		return "memory"
	case KindGlobal:
		return "global"
	}
	return "unknown"
}

// Rewrite checks the module and returns it with fuel added.
//
//   - initialFuel is the budget of what runs before the host can set the global: the start function.
//   - Errors are *Error.
//   - The input is not changed; the result's Custom and nothing else shares its bytes.
func Rewrite(wasm []byte, initialFuel int64, limits Limits) (*Module, error) {
	m, err := parse(wasm, limits.withDefaults())
	if err != nil {
		return nil, err
	}
	code, err := meterCode(m)
	if err != nil {
		return nil, err
	}
	globals := m.mutableGlobals()
	return &Module{
		Wasm:          encode(m, code, initialFuel, globals),
		Fuel:          FuelExport,
		Reserve:       ReserveExport,
		Slice:         m.limits.Slice,
		Depth:         DepthExport,
		Globals:       exportNames(globals),
		SetsTables:    m.setsTables,
		DropsSegments: m.dropsSegments,
		Memory:        m.memory,
		Imports:       m.imports,
		Exports:       m.exports,
		Custom:        m.custom,
	}, nil
}
