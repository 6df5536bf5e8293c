package meter

// Limits bound what a module may ask of the decoder, the engine's compiler and the instance.
//
//   - A field that is zero or less has the default that its comment states.
//   - Without them a module of a few bytes could make the engine allocate gigabytes: it allocates before it validates.
type Limits struct {
	// Functions is the number of functions, imported ones included: 100 000.
	Functions int
	// Work is the estimated effort to compile all functions: 8 000 000 000, at the very worst two minutes of one core.
	// One function may need a sixteenth of it. See RATIONALE.md, "Why is there a limit on work?"
	Work int
	// FunctionBytes is the size of one function body: 512 KiB.
	FunctionBytes int
	// Locals is the number of locals of one function: 50 000.
	Locals int
	// TotalLocals is the number of locals of all functions together: 4 000 000.
	TotalLocals int
	// Tables is the number of tables: 16.
	Tables int
	// TableElements is the size of one table, and the number of elements in all element segments together: 100 000.
	// A table that declares no maximum, or a greater one, gets this one.
	TableElements int
	// Globals is the number of globals: 1 000.
	Globals int
	// DataSegments is the number of data segments: 1 000 000. Go's linker writes tens of thousands.
	DataSegments int
	// Entries is the number of entries of every other section (types, imports, exports, element segments): 100 000.
	Entries int
	// Slice is the fuel after which a guest gives way to the host: 500 000, which is some 10 to 300 µs.
	Slice int64
}

// Bounds that nobody needs to move: they are far above what compilers write, and the engine's cost grows with them.
const (
	maxTypeValues = 1000    // parameters and results of one function type, each
	maxLabels     = 1 << 17 // labels of one br_table; Go's compiler stops at 1<<16
	maxPages      = 1 << 16 // pages of a 32-bit memory
)

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&l.Functions, 100_000},
		{&l.Work, 8_000_000_000},
		{&l.FunctionBytes, 512 << 10},
		{&l.Locals, 50_000},
		{&l.TotalLocals, 4_000_000},
		{&l.Tables, 16},
		{&l.TableElements, 100_000},
		{&l.Globals, 1_000},
		{&l.DataSegments, 1_000_000},
		{&l.Entries, 100_000},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if l.Slice <= 0 {
		l.Slice = 500_000
	}
	return l
}
