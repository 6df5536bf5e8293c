package meter

import "slices"

// asm concatenates: an int is a byte, a string is a name with its length, a []byte is itself.
func asm(parts ...any) (out []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			out = append(out, byte(p))
		case string:
			out = appendName(out, p)
		case []byte:
			out = append(out, p...)
		default:
			panic("asm: part of an unknown type")
		}
	}
	return out
}

// sec is one section.
func sec(id int, parts ...any) []byte { return appendSection(nil, id, asm(parts...)) }

// sized is what the parts are, with their size before them.
func sized(parts ...any) []byte {
	content := asm(parts...)
	return append(appendU32(nil, uint32(len(content))), content...)
}

// mod is a module of these sections.
func mod(sections ...[]byte) []byte { return slices.Concat(append([][]byte{preamble}, sections...)...) }

// Sections that most test modules share: one type () -> (), one function of it.
var (
	oneType     = sec(secType, 1, 0x60, 0, 0)
	oneFunction = sec(secFunction, 1, 0)
	onePage     = sec(secMemory, 1, 0, 1)
	oneTable    = sec(secTable, 1, typeFuncref, 0, 1)
)

// code is a code section of one body, without locals, to which the last end is added.
func code(parts ...any) []byte { return sec(secCode, 1, sized(0, asm(parts...), opEnd)) }

// fn is a module of one function without locals.
func fn(parts ...any) []byte { return mod(oneType, oneFunction, code(parts...)) }

// fnMemory is the same with a memory of one page.
func fnMemory(parts ...any) []byte { return mod(oneType, oneFunction, onePage, code(parts...)) }
