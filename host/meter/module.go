package meter

import "strings"

// module is a parsed module: what the scanner needs to check indices and what encode needs to write it again.
type module struct {
	wasm   []byte
	limits Limits
	*outline

	types      []funcType
	imports    []Import
	functions  []uint32 // type of each function, imported ones first
	tables     []table
	memory     *Memory
	globals    []bool // whether each global is mutable
	exports    []Export
	elements   int // number of element segments
	dataCount  int // number of data segments by the data count section, -1 without one
	bodies     []span
	custom     map[string][]byte
	nameKept   []byte // checked content of the name section, nil when it has none
	keeps      []byte // types of the globals that keep locals, as the emitter needs them
	setsTables bool

	dropsSegments bool
}

// funcType is how many values a function type takes and returns, and the types of those that it takes.
type funcType struct {
	params, results int
	takes           []byte
}

// table is the type of a table; max is within the limits.
type table struct {
	typ      byte
	min, max uint32
}

// What is added comes after what the module has of its kind, so that no index moves.

func (m *module) fuelGlobal() uint32    { return uint32(len(m.globals)) }
func (m *module) reserveGlobal() uint32 { return m.fuelGlobal() + 1 }
func (m *module) depthGlobal() uint32   { return m.fuelGlobal() + 2 }

// keepGlobal is the nth of the globals of a type that keep locals.
func (m *module) keepGlobal(typ byte, n int) uint32 {
	for i, have := range m.keeps {
		if have == typ {
			if n--; n < 0 {
				return m.depthGlobal() + 1 + uint32(i)
			}
		}
	}
	m.keeps = append(m.keeps, typ)
	return m.depthGlobal() + uint32(len(m.keeps))
}

func (m *module) refillFunction() uint32 { return uint32(len(m.functions)) }
func (m *module) refillType() uint32     { return uint32(len(m.types)) }

// parse checks everything but the instructions, section by section.
func parse(wasm []byte, limits Limits) (*module, error) {
	o, err := split(wasm)
	if err != nil {
		return nil, err
	}
	m := &module{wasm: wasm, limits: limits, outline: o, dataCount: -1}
	for _, s := range []struct {
		id   int
		read func(*module, *reader)
	}{
		{secType, readTypes}, {secImport, readImports}, {secFunction, readFunctions}, {secTable, readTables},
		{secMemory, readMemory}, {secGlobal, readGlobals}, {secExport, readExports}, {secStart, readStart},
		{secElement, readElements}, {secDataCount, readDataCount}, {secCode, readCode}, {secData, readData},
	} {
		if err := m.readSection(s.id, s.read); err != nil {
			return nil, err
		}
	}
	if err := m.checkCounts(); err != nil {
		return nil, err
	}
	return m, m.readCustom()
}

func (m *module) readSection(id int, read func(*module, *reader)) error {
	if !m.known[id].present() {
		return nil
	}
	r := newReader(m.wasm, m.known[id].start, m.known[id].end, sectionNames[id])
	read(m, &r)
	return r.finish()
}

// checkCounts compares counts that two sections state, one of which may be missing.
func (m *module) checkCounts() error {
	r := newReader(m.wasm, 0, len(m.wasm), sectionNames[secCode])
	if defined := len(m.functions) - len(m.imports); defined != len(m.bodies) {
		r.malformed(m.known[secCode].start, "%d functions declared, %d bodies", defined, len(m.bodies))
	}
	if m.dataCount > 0 && !m.known[secData].present() {
		r.malformed(m.known[secDataCount].start, "%d data segments counted, none present", m.dataCount)
	}
	return r.result()
}

// readCustom takes the custom sections that are kept: those with the reserved prefix, and the first name section.
func (m *module) readCustom() error {
	for _, c := range m.customs {
		r := newReader(m.wasm, c.data.start, c.data.end, sectionNames[secCustom])
		switch {
		case c.name == nameSection && m.nameKept == nil:
			m.nameKept = functionNames(&r)
		case strings.HasPrefix(c.name, ReservedPrefix):
			if _, twice := m.custom[c.name]; twice {
				r.malformed(c.at, "second section %q", c.name)
				return r.err
			}
			if m.custom == nil {
				m.custom = map[string][]byte{}
			}
			m.custom[c.name] = r.bytes(r.end - r.pos)
		}
	}
	return nil
}

// mutableGlobals are the indices of the mutable globals.
func (m *module) mutableGlobals() (indices []int) {
	for i, mutable := range m.globals {
		if mutable {
			indices = append(indices, i)
		}
	}
	return indices
}
