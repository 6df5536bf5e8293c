package meter

import (
	"slices"
	"strconv"
)

// encode writes the module: the sections as they were, but for those that something is added to, and tables.
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
		case secType:
			if len(m.bodies) > 0 {
				content = append(m.appended(secType, len(m.types), 1), typeFunction, 0, 0)
			}
		case secFunction:
			if len(m.bodies) > 0 {
				content = appendU32(m.appended(secFunction, len(m.bodies), 1), m.refillType())
			}
		case secTable:
			content = encodeTables(m)
		case secMemory:
			content = encodeMemory(m)
		case secGlobal:
			content = encodeGlobals(m, initialFuel)
		case secExport:
			content = encodeExports(m, globals)
		case secCode:
			if len(m.bodies) > 0 {
				content = code
			}
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

// encodeMemory gives a memory that has a maximum one page more, which nobody gets: the engine asks the allocator only below the maximum,
// and it has to be asked when the guest gives way.
func encodeMemory(m *module) []byte {
	if m.memory == nil || !m.memory.HasMax || m.memory.Max == maxPages {
		s := m.known[secMemory]
		return m.wasm[s.start:s.end]
	}
	return appendU32(appendU32([]byte{1, 1}, m.memory.Min), m.memory.Max+1)
}

// encodeGlobals appends the globals of fuel, reserve and depth, and those that keep locals. What runs before the host can set them has it all in one slice: the
// host could not tell yet when the guest gives way.
func encodeGlobals(m *module, initialFuel int64) []byte {
	out := m.appended(secGlobal, len(m.globals), 3+len(m.keeps))
	for _, fuel := range []int64{initialFuel, 0} {
		out = append(out, typeI64, 1, opI64Const)
		out = append(appendS64(out, fuel), opEnd)
	}
	out = append(out, typeI32, 1, opI32Const)
	out = append(appendS64(out, InitialDepth), opEnd)
	for _, typ := range m.keeps {
		out = append(append(append(out, typ, 1), zeros[typ]...), opEnd)
	}
	return out
}

// zeros are instructions that yield a zero, by type.
var zeros = map[byte][]byte{typeI32: {opI32Const, 0}, typeI64: {opI64Const, 0}, typeF32: {opF32Const, 4: 0}, typeF64: {opF64Const, 8: 0}}

func encodeExports(m *module, globals []int) []byte {
	out := m.appended(secExport, len(m.exports), 3+len(globals))
	export := func(name string, global uint32) {
		out = appendU32(append(appendName(out, name), byte(KindGlobal)), global)
	}
	export(FuelExport, m.fuelGlobal())
	export(ReserveExport, m.reserveGlobal())
	export(DepthExport, m.depthGlobal())
	for i, name := range exportNames(globals) {
		export(name, uint32(globals[i]))
	}
	return out
}

// appended is the content of a section that has so many entries and gets so many more, which the caller appends.
func (m *module) appended(id, has, more int) []byte {
	s := m.known[id]
	r := newReader(m.wasm, s.start, s.end, sectionNames[id])
	if s.present() {
		r.u32()
	}
	out := appendU32(make([]byte, 0, r.end-r.pos+128), uint32(has+more))
	return append(out, r.data[r.pos:r.end]...)
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

func appendBody(out, body []byte) []byte {
	return append(appendU32(out, uint32(len(body))), body...)
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
