package meter

import (
	"math"
	"strings"
)

func readTypes(m *module, r *reader) {
	m.types = make([]funcType, r.count(m.limits.Entries, "types"))
	for i := range m.types {
		at := r.pos
		switch form := r.byte(); {
		case r.err != nil:
			return
		case form == 0x4e || form == 0x4f || form == 0x50 || form == 0x5e || form == 0x5f:
			r.fail(ErrUnsupported, at, "type form %#x (garbage collection)", form)
		case form != typeFunction:
			r.malformed(at, "type form %#x", form)
		}
		m.types[i].takes = readValueTypes(r)
		m.types[i].params = len(m.types[i].takes)
		m.types[i].results = len(readValueTypes(r))
	}
}

// readValueTypes returns the types, which share the module's bytes.
func readValueTypes(r *reader) []byte {
	n := r.count(maxTypeValues, "values in a type")
	start := r.pos
	for range n {
		r.valueType()
	}
	return r.data[start:r.pos]
}

// readImports takes functions only: a memory, table or global from elsewhere would escape the limits and the snapshot.
func readImports(m *module, r *reader) {
	for range r.count(m.limits.Entries, "imports") {
		at := r.pos
		i := Import{Module: r.name(), Name: r.name()}
		kind := Kind(r.byte())
		if r.err == nil && kind != KindFunction {
			r.fail(ErrUnsupported, at, "import of %s %q.%q: only functions can be imported", kind, i.Module, i.Name)
		}
		t := r.index(len(m.types), "type")
		if r.err != nil {
			return
		}
		m.imports = append(m.imports, i)
		m.functions = append(m.functions, t)
	}
	if len(m.functions) > m.limits.Functions {
		r.fail(ErrLimit, r.pos, "%d functions, at most %d", len(m.functions), m.limits.Functions)
	}
}

func readFunctions(m *module, r *reader) {
	for range r.count(m.limits.Functions-len(m.imports), "functions") {
		m.functions = append(m.functions, r.index(len(m.types), "type"))
	}
}

func readTables(m *module, r *reader) {
	for range r.count(m.limits.Tables, "tables") {
		at := r.pos
		if r.pos < r.end && r.data[r.pos] == 0x40 {
			r.fail(ErrUnsupported, at, "table with an initial value (typed function references)")
		}
		t := table{typ: r.refType()}
		limit := uint32(min(m.limits.TableElements, math.MaxUint32))
		var bounded bool
		t.min, t.max, bounded = readLimits(r, "table")
		if t.min > limit {
			r.fail(ErrLimit, at, "table of %d elements, at most %d", t.min, limit)
		}
		if !bounded || t.max > limit {
			t.max = limit
		}
		m.tables = append(m.tables, t)
	}
}

func readMemory(m *module, r *reader) {
	at := r.pos
	n := r.count(m.limits.Entries, "memories")
	if n > 1 {
		r.fail(ErrUnsupported, at, "%d memories (multi-memory)", n)
	}
	if n == 0 || r.err != nil {
		return
	}
	at = r.pos
	m.memory = &Memory{}
	m.memory.Min, m.memory.Max, m.memory.HasMax = readLimits(r, "memory")
	if !m.memory.HasMax {
		m.memory.Max = maxPages
	}
	if m.memory.Min > maxPages || m.memory.Max > maxPages {
		r.malformed(at, "memory of %d to %d pages, at most %d", m.memory.Min, m.memory.Max, maxPages)
	}
}

func readLimits(r *reader, what string) (low, high uint32, bounded bool) {
	at := r.pos
	flags := r.byte()
	switch {
	case flags == 2 || flags == 3:
		r.fail(ErrUnsupported, at, "shared %s (threads)", what)
	case flags >= 4 && flags <= 7:
		r.fail(ErrUnsupported, at, "64-bit %s (memory64)", what)
	case flags > 7:
		r.malformed(at, "%s limits %#x", what, flags)
	}
	low = r.u32()
	if bounded = flags == 1; bounded {
		high = r.u32()
		if high < low {
			r.malformed(at, "%s maximum %d below minimum %d", what, high, low)
		}
	}
	return low, high, bounded
}

func readGlobals(m *module, r *reader) {
	for range r.count(m.limits.Globals, "globals") {
		r.valueType()
		at := r.pos
		mutable := r.byte()
		if mutable > 1 {
			r.malformed(at, "mutability %#x", mutable)
		}
		readConstant(m, r)
		m.globals = append(m.globals, mutable == 1)
	}
}

// readExports also refuses the reserved names and names that come twice.
func readExports(m *module, r *reader) {
	seen := map[string]bool{}
	memories := 0
	if m.memory != nil {
		memories = 1
	}
	counts := map[Kind]int{KindFunction: len(m.functions), KindTable: len(m.tables), KindMemory: memories, KindGlobal: len(m.globals)}
	for range r.count(m.limits.Entries, "exports") {
		at := r.pos
		e := Export{Name: r.name(), Kind: Kind(r.byte())}
		count, known := counts[e.Kind]
		if r.err == nil && !known {
			r.malformed(at, "export of kind %#x", byte(e.Kind))
		}
		r.index(count, e.Kind.String())
		switch {
		case r.err != nil:
			return
		case seen[e.Name]:
			r.malformed(at, "second export %q", e.Name)
		case strings.HasPrefix(e.Name, ReservedPrefix):
			r.fail(ErrReserved, at, "export %q", e.Name)
		}
		seen[e.Name] = true
		m.exports = append(m.exports, e)
	}
}

func readStart(m *module, r *reader) { r.index(len(m.functions), "function") }
