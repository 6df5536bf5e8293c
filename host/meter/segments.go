package meter

// readConstant reads a constant expression: one instruction and its end.
//
//   - global.get is refused: only imported globals could be meant, and there are none.
func readConstant(m *module, r *reader) {
	at := r.pos
	switch op := r.byte(); op {
	case opI32Const:
		r.s32()
	case opI64Const:
		r.skipS64()
	case opF32Const:
		r.bytes(4)
	case opF64Const:
		r.bytes(8)
	case opRefNull:
		r.refType()
	case opRefFunc:
		r.index(len(m.functions), "function")
	case opGlobalGet:
		r.malformed(at, "constant expression reads a global that is not imported")
	default:
		r.malformed(at, "opcode %#x in a constant expression", op)
	}
	at = r.pos
	if op := r.byte(); r.err == nil && op != opEnd {
		r.fail(ErrUnsupported, at, "constant expression of several instructions")
	}
}

// Bits of the number that begins an element segment.
const (
	elementPassive     = 1 // or declarative
	elementTable       = 2 // table index given; with elementPassive: declarative
	elementExpressions = 4
)

func readElements(m *module, r *reader) {
	m.elements = r.count(m.limits.Entries, "element segments")
	total := 0
	for range m.elements {
		at := r.pos
		flags := r.u32()
		if flags > 7 {
			r.malformed(at, "element segment of kind %d", flags)
		}
		if flags&elementPassive == 0 {
			if flags&elementTable != 0 {
				r.index(len(m.tables), "table")
			} else if r.err == nil && len(m.tables) == 0 {
				r.malformed(at, "element segment without a table")
			}
			readConstant(m, r)
		}
		if flags&(elementPassive|elementTable) != 0 {
			readElementType(r, flags&elementExpressions != 0)
		}
		n := r.count(m.limits.TableElements-total, "elements")
		total += n
		for range n {
			if flags&elementExpressions != 0 {
				readConstant(m, r)
			} else {
				r.index(len(m.functions), "function")
			}
		}
	}
}

func readElementType(r *reader, expressions bool) {
	if expressions {
		r.refType()
		return
	}
	at := r.pos
	if kind := r.byte(); kind != 0 {
		r.malformed(at, "element kind %#x", kind)
	}
}

func readDataCount(m *module, r *reader) {
	at := r.pos
	n := r.u32()
	if r.err == nil && uint64(n) > uint64(m.limits.DataSegments) {
		r.fail(ErrLimit, at, "%d data segments, at most %d", n, m.limits.DataSegments)
		return
	}
	m.dataCount = int(n)
}

func readData(m *module, r *reader) {
	at := r.pos
	n := r.count(m.limits.DataSegments, "data segments")
	if r.err == nil && m.dataCount >= 0 && m.dataCount != n {
		r.malformed(at, "%d data segments, %d counted", n, m.dataCount)
	}
	for range n {
		at := r.pos
		switch kind := r.u32(); kind {
		case 0:
			readConstant(m, r)
		case 1:
		case 2:
			if memory := r.u32(); memory != 0 {
				r.fail(ErrUnsupported, at, "memory %d (multi-memory)", memory)
			}
			readConstant(m, r)
		default:
			r.malformed(at, "data segment of kind %d", kind)
		}
		r.bytes(int(r.u32()))
	}
}

// readCode finds the bodies; the scanner reads them when all counts are known.
func readCode(m *module, r *reader) {
	for range r.count(m.limits.Functions, "bodies") {
		at := r.pos
		body := r.bytes(int(r.u32()))
		if len(body) > m.limits.FunctionBytes {
			r.fail(ErrLimit, at, "body of %d bytes, at most %d", len(body), m.limits.FunctionBytes)
		}
		if r.err != nil {
			return
		}
		m.bodies = append(m.bodies, span{r.pos - len(body), r.pos})
	}
}
