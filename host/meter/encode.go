package meter

import (
	"slices"
	"strconv"
)

// encode writes the module: the sections as they were, but for tables, globals, exports and code.
//
//   - Custom sections come first: the engine takes an empty one at the very end for a truncated module.
func encode(m *module, code []byte, initialFuel int64, globals []int) []byte {
	out := make([]byte, 0, len(m.wasm)+len(code)/16+1024)
	out = append(out, preamble...)
	for _, c := range m.customs {
		if data, kept := m.custom[c.name]; kept {
			out = appendCustom(out, c.name, data)
		}
	}
	for _, id := range sectionOrder {
		s := m.known[id]
		content := m.wasm[s.start:s.end]
		switch id {
		case secTable:
			content = encodeTables(m)
		case secGlobal:
			content = encodeGlobals(m, initialFuel)
		case secExport:
			content = encodeExports(m, globals)
		case secCode:
			content = code
		}
		if s.present() || id == secGlobal || id == secExport {
			out = appendSection(out, id, content)
		}
	}
	if m.nameKept != nil {
		out = appendCustom(out, nameSection, m.nameKept)
	}
	return out
}

// encodeTables gives every table a maximum within the limits.
func encodeTables(m *module) []byte {
	out := appendU32(nil, uint32(len(m.tables)))
	for _, t := range m.tables {
		out = appendU32(append(out, t.typ, 1), t.min)
		out = appendU32(out, t.max)
	}
	return out
}

// encodeGlobals appends the globals of fuel and depth, so that no other index moves.
func encodeGlobals(m *module, initialFuel int64) []byte {
	out := appendU32(nil, uint32(len(m.globals)+2))
	out = append(out, m.entries(secGlobal)...)
	out = append(out, typeI64, 1, opI64Const)
	out = append(appendS64(out, initialFuel), opEnd)
	out = append(out, typeI32, 1, opI32Const)
	return append(appendS64(out, InitialDepth), opEnd)
}

func encodeExports(m *module, globals []int) []byte {
	out := appendU32(nil, uint32(len(m.exports)+2+len(globals)))
	out = append(out, m.entries(secExport)...)
	out = append(appendName(out, FuelExport), byte(KindGlobal))
	out = appendU32(out, uint32(len(m.globals)))
	out = append(appendName(out, DepthExport), byte(KindGlobal))
	out = appendU32(out, uint32(len(m.globals)+1))
	for i, name := range exportNames(globals) {
		out = append(appendName(out, name), byte(KindGlobal))
		out = appendU32(out, uint32(globals[i]))
	}
	return out
}

// entries is the content of a section without the count that begins it.
func (m *module) entries(id int) []byte {
	s := m.known[id]
	r := newReader(m.wasm, s.start, s.end, sectionNames[id])
	if s.present() {
		r.u32()
	}
	return r.data[r.pos:r.end]
}

// exportNames are the names under which the globals of these indices are exported.
func exportNames(globals []int) []string {
	names := make([]string, len(globals))
	for i, g := range globals {
		names[i] = ReservedPrefix + "global." + strconv.Itoa(g)
	}
	return names
}

func appendSection(out []byte, id int, content []byte) []byte {
	out = appendU32(append(out, byte(id)), uint32(len(content)))
	return append(out, content...)
}

func appendCustom(out []byte, name string, data []byte) []byte {
	return appendSection(out, secCustom, slices.Concat(appendName(nil, name), data))
}

func appendName(out []byte, name string) []byte {
	return append(appendU32(out, uint32(len(name))), name...)
}

func appendU32(out []byte, v uint32) []byte {
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

func appendS64(out []byte, v int64) []byte {
	for v < -0x40 || v >= 0x40 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v)&0x7f)
}
