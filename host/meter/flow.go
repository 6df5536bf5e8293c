package meter

// block is a structured instruction: block, loop or if; the body itself is a block.
type block struct {
	opcode byte
	empty  bool // neither parameters nor results
	closed bool
	height int   // place in scanner.open
	begin  int64 // cost before it
	end    int64 // cost up to its end, once closed
	point  int   // loop: its pointHead
	atHead bool  // loop: some branch to it is conditional, so it pays at its head
	back   bool  // loop: some branch to it pays on its way

	// A loop that Go's compiler writes to jump between basic blocks. See dispatch.
	width  int    // number of blocks it opens, 0 when it is no such loop
	local  uint32 // the local that holds where to go
	labels span   // its table in scanner.labels
}

// pattern is how much of one of the two shapes of Go's jumps the last instructions were.
//
//   - dispatch: loop, block × width, local.get, br_table. Nothing lies between the loop's head and its table.
//   - jump: i32.const, local.set, br. Nothing can be jumped to between them.
//
// See RATIONALE.md, "Why is it safe to look for the shape of Go's code?"
type pattern struct {
	stage stage
	loop  int
	width int
	local uint32
	value uint32
}

type stage byte

const (
	stageNone     stage = iota
	stageBlocks         // loop, then width blocks
	stageSelected       // … then local.get
	stageConst          // i32.const
	stageAssigned       // … then local.set
)

func (s *scanner) push(b block) {
	b.begin, b.height = s.cost, len(s.open)
	s.forks++
	s.open = append(s.open, len(s.blocks))
	s.blocks = append(s.blocks, b)
}

// target is the block that a label means.
func (s *scanner) target(depth uint32) int {
	if s.r.err != nil {
		return 0
	}
	return s.open[len(s.open)-1-int(depth)]
}

func (s *scanner) enter(op byte, before pattern) {
	b := block{opcode: op, empty: s.blockType()}
	if op == opLoop {
		b.point = len(s.points)
		s.points = append(s.points, point{kind: pointHead, at: s.r.pos, loop: len(s.blocks)})
	}
	switch {
	case op == opLoop && b.empty:
		s.pattern = pattern{stage: stageBlocks, loop: len(s.blocks)}
	case op == opBlock && b.empty && before.stage == stageBlocks:
		s.pattern = before
		s.pattern.width++
	}
	s.push(b)
}

// blockType tells whether the type is the empty one.
func (s *scanner) blockType() bool {
	at := s.r.pos
	b := s.r.byte()
	switch {
	case s.r.err != nil:
		return false
	case b == typeEmpty:
		return true
	case isValueType(b):
		return false
	case b >= 0x40 && b < 0x80: // a negative number
		s.r.pos = at
		s.r.valueType()
		return false
	}
	s.r.pos = at
	t := s.r.index(len(s.m.types), "type")
	if s.r.err == nil && s.r.data[s.r.pos-1]&0x40 != 0 {
		s.r.malformed(at, "negative block type")
	}
	s.carried += s.values(t)
	return false
}

func (s *scanner) otherwise(at int) {
	top := &s.blocks[s.open[len(s.open)-1]]
	if top.opcode != opIf {
		s.r.malformed(at, "else outside of an if")
	}
	top.opcode = opElse
}

func (s *scanner) leave() {
	b := &s.blocks[s.open[len(s.open)-1]]
	b.closed, b.end = true, s.cost
	if b.opcode == opLoop {
		s.points[b.point].amount = b.end - b.begin
	}
	s.open = s.open[:len(s.open)-1]
}

// branch takes a plain br: the only branch that can pay on its own way, or be sent on.
func (s *scanner) branch(at int, before pattern) {
	id := s.target(s.r.index(len(s.open), "label"))
	loop := &s.blocks[id]
	if s.r.err != nil || loop.opcode != opLoop {
		return
	}
	distance := s.cost - loop.begin
	if before.stage == stageAssigned && loop.width > 0 && loop.local == before.local {
		table := s.labels[loop.labels.start:loop.labels.end]
		// The blocks that the loop opens follow it in s.blocks; label 0 means the last of them.
		to := id + loop.width - int(table[min(uint64(before.value), uint64(len(table)-1))])
		if !s.blocks[to].closed {
			s.points = append(s.points, point{kind: pointThreaded, at: at, end: s.r.pos, amount: int64(len(s.open) - 1 - s.blocks[to].height)})
			return
		}
		distance = s.cost - s.blocks[to].end + costDispatch
	}
	s.back, loop.back = true, true
	s.points = append(s.points, point{kind: pointBack, at: at, loop: id, amount: distance})
}

// toHead notes a branch that cannot pay on its way.
func (s *scanner) toHead(id int) {
	if b := &s.blocks[id]; s.r.err == nil && b.opcode == opLoop {
		b.atHead, s.back = true, true
	}
}

func (s *scanner) branchTable(at int, before pattern) {
	n := s.r.count(maxLabels, "labels") + 1
	s.forks += n / labelsPerFork
	first := len(s.labels)
	inside := true
	for range n {
		l := s.r.index(len(s.open), "label")
		s.labels = append(s.labels, l)
		s.toHead(s.target(l))
		inside = inside && int(l) < before.width
	}
	if s.r.err == nil && before.stage == stageSelected && inside {
		loop := &s.blocks[before.loop]
		loop.width, loop.local = before.width, before.local
		loop.labels = span{first, len(s.labels)}
		return
	}
	s.labels = s.labels[:first]
}
