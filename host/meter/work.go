package meter

// What the estimate of work counts, fitted to measurements of the engine's compiler.
const (
	labelsPerFork  = 4   // labels of a br_table that cost what one fork does
	forksOfBulk    = 8   // a bulk instruction becomes a loop of the compiler's own
	workOfLocal    = 200 // a local at a fork, where a pair of forks is 1
	workOfValue    = 20  // a value that a block takes or returns, at a fork
	workOfPassed   = 200 // a value that a call takes or returns
	bytesPerWork   = 256 // of the square of a function's size: values that live long are compared with each other
	shareOfOneBody = 16  // the part of all work that one function may need
)

// values counts what a block or call of this type takes and returns.
func (s *scanner) values(typ uint32) int {
	if s.r.err != nil {
		return 0
	}
	return s.m.types[typ].params + s.m.types[typ].results
}

// work is the estimated effort to compile the function just scanned, in steps of 10 to 20 ns.
//
//   - Forks are the places where control divides or meets: blocks, conditional branches, and the checks that are added.
//     The compiler compares forks with each other, and every local may become a new value at each of them.
func (s *scanner) work(body span) int {
	forks, bytes := s.forks+len(s.points)-s.returns, body.end-body.start
	return forks*(forks+workOfLocal*s.locals+workOfValue*s.carried) + workOfPassed*s.passed + bytes/bytesPerWork*bytes
}

// findLeaves scans all functions, holds them to the limits that go over all of them, and fills leaves.
func (s *scanner) findLeaves() error {
	locals, work := 0, 0
	for i, body := range s.m.bodies {
		f := len(s.m.imports) + i
		if err := s.scan(f, body); err != nil {
			return err
		}
		s.leaves[f] = s.leaf()
		w := s.work(body)
		locals, work = locals+s.locals-s.params, work+w
		limits := &s.m.limits
		switch {
		case locals > limits.TotalLocals:
			s.r.fail(ErrLimit, body.start, "more than %d locals in all functions", limits.TotalLocals)
		case w > limits.Work/shareOfOneBody:
			s.r.fail(ErrLimit, body.start, "too complex: %d units of work, at most %d in one function", w, limits.Work/shareOfOneBody)
		case work > limits.Work:
			s.r.fail(ErrLimit, body.start, "too complex: more than %d units of work in all functions", limits.Work)
		}
		if s.r.err != nil {
			return s.r.err
		}
	}
	return nil
}
