package meter

// What bulk instructions cost before they run: a fixed part, and a unit for every 1<<shift of their operand.
const (
	bulkFixed   = 10
	growFixed   = 1000 // of memory.grow: the engine may move the whole memory
	shiftBytes  = 3
	shiftSingle = 0
)

func (s *scanner) local(op byte, before pattern) {
	i := s.r.index(s.locals, "local")
	switch {
	case op == opLocalGet && before.stage == stageBlocks && before.width > 0:
		s.pattern = before
		s.pattern.stage, s.pattern.local = stageSelected, i
	case op == opLocalSet && before.stage == stageConst:
		s.pattern = before
		s.pattern.stage, s.pattern.local = stageAssigned, i
	}
}

func (s *scanner) constant(op byte) {
	switch op {
	case opI32Const:
		s.pattern = pattern{stage: stageConst, value: uint32(s.r.s32())}
	case opI64Const:
		s.r.skipS64()
	case opF32Const:
		s.r.bytes(4)
	case opF64Const:
		s.r.bytes(8)
	}
}

func (s *scanner) memory(op byte, at int) {
	if s.m.memory == nil {
		s.r.malformed(at, "opcode %#x without a memory", op)
	}
	if op >= opMemorySize {
		if op == opMemoryGrow {
			s.bulkPoint(at, growFixed, shiftSingle)
		}
		s.memoryIndex()
		return
	}
	align := s.r.u32()
	if align >= 64 && align < 128 {
		s.r.fail(ErrUnsupported, at, "memory argument %#x (multi-memory)", align)
	} else if align >= 32 {
		s.r.malformed(at, "alignment %d", align)
	}
	s.r.u32()
}

// memoryIndex reads the one byte that stands for the memory.
func (s *scanner) memoryIndex() {
	at := s.r.pos
	if b := s.r.byte(); b != 0 {
		s.r.fail(ErrUnsupported, at, "memory %#x (multi-memory)", b)
	}
}

func (s *scanner) reference(op byte, at int) {
	switch op {
	case opRefNull:
		s.r.refType()
	case opRefFunc:
		s.r.index(len(s.m.functions), "function")
	case opSelectTyped:
		if n := s.r.byte(); n != 1 {
			s.r.malformed(at, "select of %d types", n)
		}
		s.r.valueType()
	}
}

// misc takes the instructions with the prefix 0xfc: saturating conversions, and everything in bulk.
func (s *scanner) misc(at int) {
	op := s.r.u32()
	switch op {
	case miscMemoryInit:
		s.dataIndex(at)
		s.memoryIndex()
		s.bulkPoint(at, bulkFixed, shiftBytes)
	case miscDataDrop:
		s.m.dropsSegments = true
		s.dataIndex(at)
	case miscMemoryCopy:
		s.memoryIndex()
		s.memoryIndex()
		s.bulkPoint(at, bulkFixed, shiftBytes)
	case miscMemoryFill:
		s.memoryIndex()
		s.bulkPoint(at, bulkFixed, shiftBytes)
	case miscTableInit:
		s.r.index(s.m.elements, "element segment")
		s.tablePoint(at)
	case miscElemDrop:
		s.m.dropsSegments = true
		s.r.index(s.m.elements, "element segment")
	case miscTableCopy:
		s.r.index(len(s.m.tables), "table")
		s.tablePoint(at)
	case miscTableGrow, miscTableFill:
		s.tablePoint(at)
	case miscTableSize:
		s.r.index(len(s.m.tables), "table")
	default:
		if op > miscTruncSatLast {
			s.r.malformed(at, "opcode 0xfc %#x", op)
		}
	}
}

func (s *scanner) dataIndex(at int) {
	if s.m.dataCount < 0 {
		s.r.malformed(at, "data segment used without a data count section")
	}
	s.r.index(s.m.dataCount, "data segment")
}

// tablePoint reads the last table index of an instruction that sets elements.
func (s *scanner) tablePoint(at int) {
	s.m.setsTables = true
	s.r.index(len(s.m.tables), "table")
	s.bulkPoint(at, bulkFixed, shiftSingle)
}

func (s *scanner) bulkPoint(at int, fixed, shift int64) {
	s.bulk = true
	s.forks += forksOfBulk
	s.points = append(s.points, point{kind: pointBulk, at: at, amount: fixed, shift: shift})
}
