package meter

import "bytes"

// What instructions cost, in units of fuel; everything else costs 1.
//
//   - block, loop, end and nop leave nothing in the compiled code and cost 0.
//   - What a call runs is charged by the function called, unless it is a leaf or not ours.
const (
	costForeignCall = 200 // call of an import, indirect call: both may end in one
	leafCost        = costForeignCall
	costDispatch    = 2 // local.get and br_table at the head of a dispatch loop
)

// scanner reads one function after the other and finds where each has to pay.
//
//   - A run of a function is a series of forward stretches joined by backward jumps. All forward stretches together
//     are at most the length of the body plus all the distances jumped back, so paying for the whole body at entry and
//     for the distance at every backward jump is paying for everything, before it runs.
type scanner struct {
	m      *module
	leaves []int64 // cost of each function if it is a leaf, else -1

	// Of the present function:
	r       reader
	params  int
	locals  int    // parameters included
	decls   span   // the local declarations, without their count
	groups  int    // number of local declarations
	kept    []byte // types of the locals, nil where they are too many to be kept while the guest gives way
	cost    int64
	calls   bool
	deep    bool // may be part of a recursion: see RATIONALE.md, "Who counts the depth of calls?"
	returns int  // points of kind pointReturn
	back    bool // has a backward jump
	bulk    bool
	forks   int     // see work, as for the next two
	carried int     // values that blocks take and return
	passed  int     // values that calls take and return
	open    []int   // blocks that are open, outermost first, as indices of blocks
	blocks  []block // every block, loop and if so far, in order of opening; 0 is the body
	labels  []uint32
	points  []point
	pattern pattern
}

// point is a place where code is added.
type point struct {
	kind   pointKind
	at     int   // offset in the module
	end    int   // threaded: offset after the branch that is replaced
	loop   int   // back, head: the loop
	amount int64 // back, head: the charge; threaded, return: the new depth; bulk: the fixed part
	shift  int64 // bulk: units are the operand shifted right by this
}

type pointKind byte

const (
	pointBack     pointKind = iota // pay before a branch to loop, unless the loop pays at its head
	pointHead                      // pay at the head of loop, if a branch to it is conditional
	pointThreaded                  // replace a branch to a dispatch loop by one to where it would arrive
	pointBulk                      // pay by the operand on top of the stack
	pointReturn                    // leave the function where it comes up again, if it counts its depth
)

// scan reads the body of function index, which stands at s.
func (s *scanner) scan(index int, body span) error {
	s.r = newReader(s.m.wasm, body.start, body.end, sectionNames[secCode])
	s.r.function = index
	s.params = s.m.types[s.m.functions[index]].params
	s.cost, s.calls, s.back, s.bulk, s.deep, s.returns = 0, false, false, false, false, 0
	s.forks, s.carried, s.passed = 0, 0, 0
	s.open, s.blocks, s.labels, s.points = s.open[:0], s.blocks[:0], s.labels[:0], s.points[:0]
	s.pattern = pattern{}
	s.readLocals()
	s.push(block{opcode: opBlock})
	for s.r.err == nil && len(s.open) > 0 {
		s.step()
	}
	return s.r.finish()
}

func (s *scanner) readLocals() {
	s.locals = s.params
	s.kept = append(s.kept[:0], s.m.types[s.m.functions[s.r.function]].takes...)
	s.groups = s.r.count(s.m.limits.FunctionBytes, "local declarations")
	s.decls.start = s.r.pos
	for range s.groups {
		at := s.r.pos
		n := s.r.u32()
		typ := s.r.valueType()
		if uint64(s.locals)+uint64(n) > uint64(s.m.limits.Locals) {
			s.r.fail(ErrLimit, at, "more than %d locals", s.m.limits.Locals)
			return
		}
		if s.locals += int(n); s.locals <= keptLocals {
			s.kept = append(s.kept, bytes.Repeat([]byte{typ}, int(n))...)
		}
	}
	s.decls.end = s.r.pos
}

// step reads one instruction.
func (s *scanner) step() {
	at, before := s.r.pos, s.pattern
	s.pattern = pattern{}
	op := s.r.byte()
	s.cost += cost(op)
	switch {
	case op == opBlock || op == opLoop || op == opIf:
		s.enter(op, before)
	case op == opElse:
		s.otherwise(at)
	case op == opEnd:
		s.leave()
	case op == opBr:
		s.branch(at, before)
	case op == opBrIf:
		s.forks++
		s.toHead(s.target(s.r.index(len(s.open), "label")))
	case op == opBrTable:
		s.branchTable(at, before)
	case op == opReturn:
		s.returns++
		s.points = append(s.points, point{kind: pointReturn, at: at, end: s.r.pos, amount: int64(len(s.open) - 1)})
	case op == opCall || op == opCallIndirect:
		s.call(op)
	case op >= opLocalGet && op <= opLocalTee:
		s.local(op, before)
	case op == opGlobalGet || op == opGlobalSet:
		s.r.index(len(s.m.globals), "global")
	case op == opTableGet || op == opTableSet:
		s.m.setsTables = s.m.setsTables || op == opTableSet
		s.r.index(len(s.m.tables), "table")
	case op >= opI32Load && op <= opMemoryGrow:
		s.memory(op, at)
	case op >= opI32Const && op <= opF64Const:
		s.constant(op)
	case op == opSelectTyped || op == opRefNull || op == opRefFunc:
		s.reference(op, at)
	case op == opMisc:
		s.misc(at)
	default:
		s.plain(op, at)
	}
}

func cost(op byte) int64 {
	switch op {
	case opBlock, opLoop, opEnd, opNop:
		return 0
	}
	return 1
}

// plain takes the instructions without immediates.
func (s *scanner) plain(op byte, at int) {
	switch {
	case op >= opI32Eqz && op <= opI64Extend32S, op == opUnreachable, op == opNop, op == opDrop,
		op == opSelect, op == opRefIsNull, s.r.err != nil:
	case proposal(op) != "":
		s.r.fail(ErrUnsupported, at, "opcode %#x (%s)", op, proposal(op))
	default:
		s.r.malformed(at, "opcode %#x", op)
	}
}

func (s *scanner) call(op byte) {
	s.calls = true
	if op == opCallIndirect {
		s.deep = true
		s.cost += costForeignCall
		s.passed += s.values(s.r.index(len(s.m.types), "type"))
		s.r.index(len(s.m.tables), "table")
		return
	}
	f := int(s.r.index(len(s.m.functions), "function"))
	if s.r.err != nil {
		return
	}
	s.passed += s.values(s.m.functions[f])
	switch {
	case f < len(s.m.imports):
		s.cost += costForeignCall
	case s.leaves[f] > 0:
		s.cost += s.leaves[f]
	}
	s.deep = s.deep || f >= len(s.m.imports) && f <= s.r.function && s.leaves[f] < 0
}

// leaf is the cost of the function just scanned if its callers can pay for it, else -1.
func (s *scanner) leaf() int64 {
	if s.calls || s.back || s.bulk || s.cost > leafCost {
		return -1
	}
	return s.cost
}
