package meter

import "math"

// meterCode scans every function twice, once to know the leaves and once to pay for their calls, and returns the new
// content of the code section, nil when there are none.
func meterCode(m *module) ([]byte, error) {
	if len(m.bodies) == 0 {
		return nil, nil
	}
	s := &scanner{m: m, leaves: make([]int64, len(m.functions))}
	if err := s.findLeaves(); err != nil {
		return nil, err
	}
	code := m.known[secCode]
	e := &emitter{scanner: s, out: make([]byte, 0, (code.end-code.start)*17/16+64)}
	e.out = appendU32(e.out, uint32(len(m.bodies)+1))
	for i, body := range m.bodies {
		f := len(m.imports) + i
		if err := s.scan(f, body); err != nil {
			return nil, err
		}
		e.body = e.body[:0]
		e.function(f, body, s.leaves[f] < 0)
		e.out = appendBody(e.out, e.body)
		if len(e.out) > math.MaxInt32 {
			s.r.fail(ErrLimit, body.start, "rewritten code is larger than 2 GiB")
			return nil, s.r.err
		}
	}
	return appendBody(e.out, m.refill()), nil
}

// emitter writes what the scanner has found.
type emitter struct {
	*scanner
	out  []byte // the code section
	body []byte // the present function
	read int    // offset in the module up to which the body is written
}

// function writes one body: locals, the charge for entering it, and the instructions with the points between them; round
// them, where it counts, the way down and up again.
func (e *emitter) function(index int, body span, paysAtEntry bool) {
	wasm := e.m.wasm
	if e.bulk {
		e.body = appendU32(e.body, uint32(e.groups+1))
		e.body = append(e.body, wasm[e.decls.start:e.decls.end]...)
		e.body = append(e.body, 1, typeI32)
	} else {
		e.body = append(e.body, wasm[body.start:e.decls.end]...)
	}
	e.read = e.decls.end
	if paysAtEntry {
		e.pay(e.cost)
		e.check()
	}
	if e.deep {
		e.descend(index)
	}
	for i := range e.points {
		e.point(&e.points[i])
	}
	e.copyTo(body.end)
	if e.deep {
		e.ascend()
	}
}

// descend counts the depth down, and opens a block that all ways out of the function lead to. Its type is the function's own,
// which needs no new one: what it takes is put there and dropped.
func (e *emitter) descend(index int) {
	e.body = appendU32(append(e.body, opGlobalGet), e.m.depthGlobal())
	e.body = append(e.body, opI32Const, 1, opI32Sub)
	e.body = appendU32(append(e.body, opGlobalSet), e.m.depthGlobal())
	e.body = appendU32(append(e.body, opGlobalGet), e.m.depthGlobal())
	e.body = append(e.body, opI32Const, 0, opI32LtS, opIf, typeEmpty, opUnreachable, opEnd)
	number := e.m.functions[index]
	typ := e.m.types[number]
	if typ.results == 0 {
		e.body = append(e.body, opBlock, typeEmpty)
		return
	}
	for i := range typ.params {
		e.body = appendU32(append(e.body, opLocalGet), uint32(i))
	}
	e.body = appendS64(append(e.body, opBlock), int64(number))
	for range typ.params {
		e.body = append(e.body, opDrop)
	}
}

// ascend counts the depth up again, behind the end of that block.
func (e *emitter) ascend() {
	e.body = appendU32(append(e.body, opGlobalGet), e.m.depthGlobal())
	e.body = append(e.body, opI32Const, 1, opI32Add)
	e.body = append(appendU32(append(e.body, opGlobalSet), e.m.depthGlobal()), opEnd)
}

func (e *emitter) point(p *point) {
	switch p.kind {
	case pointBack:
		loop := &e.blocks[p.loop]
		if loop.atHead {
			return
		}
		e.copyTo(p.at)
		if e.pay(p.amount); loop.width == 0 {
			e.checkInLoop()
		}
	case pointHead:
		loop := &e.blocks[p.loop]
		if !loop.atHead && !(loop.back && loop.width > 0) {
			return
		}
		e.copyTo(p.at)
		if loop.atHead {
			e.pay(p.amount)
		}
		e.checkInLoop()
	case pointThreaded:
		e.copyTo(p.at)
		e.body = appendU32(append(e.body, opBr), uint32(p.amount))
		e.read = p.end
	case pointReturn:
		if e.deep {
			e.copyTo(p.at)
			e.body = appendU32(append(e.body, opBr), uint32(p.amount))
			e.read = p.end
		}
	case pointBulk:
		e.copyTo(p.at)
		e.payOperand(p.amount, p.shift)
	}
}

func (e *emitter) copyTo(at int) {
	e.body = append(e.body, e.m.wasm[e.read:at]...)
	e.read = at
}

// pay takes a fixed amount.
func (e *emitter) pay(amount int64) {
	e.body = appendU32(append(e.body, opGlobalGet), e.m.fuelGlobal())
	e.body = appendS64(append(e.body, opI64Const), amount)
	e.body = append(e.body, opI64Sub)
	e.body = appendU32(append(e.body, opGlobalSet), e.m.fuelGlobal())
}

// payOperand takes fixed plus the i32 on top of the stack shifted right, and leaves that operand where it is.
func (e *emitter) payOperand(fixed, shift int64) {
	scratch := uint32(e.locals)
	e.body = appendU32(append(e.body, opLocalTee), scratch)
	e.body = appendU32(append(e.body, opGlobalGet), e.m.fuelGlobal())
	e.body = appendU32(append(e.body, opLocalGet), scratch)
	e.body = append(e.body, opI64ExtendU)
	if shift > 0 {
		e.body = append(appendS64(append(e.body, opI64Const), shift), opI64ShrU)
	}
	e.body = append(e.body, opI64Sub)
	e.body = appendS64(append(e.body, opI64Const), fixed)
	e.body = append(e.body, opI64Sub)
	e.body = appendU32(append(e.body, opGlobalSet), e.m.fuelGlobal())
	e.check()
}

// check gets the next slice when this one is used up.
func (e *emitter) check() {
	e.ifUsedUp()
	e.body = append(appendU32(append(e.body, opCall), e.m.refillFunction()), opEnd)
}

func (e *emitter) ifUsedUp() {
	e.body = appendU32(append(e.body, opGlobalGet), e.m.fuelGlobal())
	e.body = append(e.body, opI64Const, 0, opI64LtS, opIf, typeEmpty)
}

// checkInLoop is check with the locals kept in globals across the call. The engine would else keep them on its stack, and write to it each
// time round, whether the call is made or not.
func (e *emitter) checkInLoop() {
	if e.locals > keptLocals {
		e.check()
		return
	}
	e.ifUsedUp()
	e.keep(opLocalGet, opGlobalSet)
	e.body = appendU32(append(e.body, opCall), e.m.refillFunction())
	e.keep(opGlobalGet, opLocalSet)
	e.body = append(e.body, opEnd)
}

// keep moves the locals to globals of their types, or back.
func (e *emitter) keep(get, set byte) {
	var used [256]int // globals of each type
	for local, typ := range e.kept {
		if typ == typeFuncref || typ == typeExternref {
			continue // few modules have such
		}
		global := e.m.keepGlobal(typ, used[typ])
		used[typ]++
		from, to := uint32(local), global
		if get == opGlobalGet {
			from, to = to, from
		}
		e.body = appendU32(append(e.body, get), from)
		e.body = appendU32(append(e.body, set), to)
	}
}
