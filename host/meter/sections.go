package meter

import "bytes"

var preamble = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// Section numbers of the binary format.
const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElement
	secCode
	secData
	secDataCount
	sections
)

var sectionNames = [sections]string{"custom", "type", "import", "function", "table", "memory", "global", "export",
	"start", "element", "code", "data", "data count"}

// sectionOrder is the order in which sections stand in a module.
var sectionOrder = []int{secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart,
	secElement, secDataCount, secCode, secData}

// span is a stretch of the module, end exclusive; the zero span is absent.
type span struct{ start, end int }

func (s span) present() bool { return s.start > 0 }

// outline is where the sections of a module are.
type outline struct {
	known   [sections]span // contents, without number and size
	customs []custom
}

// custom is one custom section: its name and the span of its data.
type custom struct {
	name string
	data span
	at   int
}

// split finds the sections and checks their order; it reads into none but the names of custom sections.
func split(wasm []byte) (*outline, error) {
	if !bytes.HasPrefix(wasm, preamble) {
		return nil, &Error{Err: ErrMalformed, Function: -1, Detail: "not a WebAssembly 1 module"}
	}
	o := &outline{}
	r := newReader(wasm, len(preamble), len(wasm), "")
	last := 0
	for r.err == nil && r.pos < r.end {
		at := r.pos
		id := int(r.byte())
		content := r.bytes(int(r.u32()))
		if r.err != nil {
			break
		}
		s := span{r.pos - len(content), r.pos}
		switch {
		case id == secCustom:
			c := newReader(wasm, s.start, s.end, sectionNames[secCustom])
			name := c.name()
			if c.err != nil {
				return nil, c.err
			}
			o.customs = append(o.customs, custom{name, span{c.pos, s.end}, at})
		case id == 13:
			r.fail(ErrUnsupported, at, "tag section (exception handling)")
		case id >= sections:
			r.malformed(at, "section number %d", id)
		case rank(id) <= last:
			r.malformed(at, "%s section out of order", sectionNames[id])
		default:
			last = rank(id)
			o.known[id] = s
		}
	}
	return o, r.result()
}

// rank is the place of a section in the order, from 1.
func rank(id int) int {
	for i, o := range sectionOrder {
		if o == id {
			return i + 1
		}
	}
	return 0
}
