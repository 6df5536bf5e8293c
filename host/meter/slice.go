package meter

import "math"

// YieldMark is what the global of fuel holds while a guest gives way. It asks for a page more of memory then, which the host's
// allocator has to refuse: that is how the host's code gets its turn.
const YieldMark = math.MinInt64

// keptLocals is how many locals a function may have for them to be kept in globals while it gives way in a loop: others it keeps where the
// engine has them.
const keptLocals = 32

// refill is the body of the function that is appended: it is called where the slice is used up, takes the next one from the
// reserve, and gives way to the host. It traps when the reserve cannot make up for what is owed, or when the host has left it below zero.
func (m *module) refill() []byte {
	const take, next = 0, 1 // locals
	slice, reserve := m.fuelGlobal(), m.reserveGlobal()
	b := []byte{1, 2, typeI64}
	get := func(global uint32) { b = appendU32(append(b, opGlobalGet), global) }
	set := func(global uint32) { b = appendU32(append(b, opGlobalSet), global) }
	trapIf := func(compare byte, global uint32) {
		get(global)
		b = append(b, opI64Const, 0, compare, opIf, typeEmpty, opUnreachable, opEnd)
	}
	trapIf(opI64LeS, reserve)
	// take = min(size of a slice - what is left of this one, which is below zero; reserve)
	b = appendS64(append(b, opI64Const), m.limits.Slice)
	get(slice)
	b = append(b, opI64Sub, opLocalTee, take)
	get(reserve)
	b = append(b, opLocalGet, take)
	get(reserve)
	b = append(b, opI64LtS, opSelect, opLocalSet, take)

	get(reserve)
	b = append(b, opLocalGet, take, opI64Sub)
	set(reserve)
	get(slice)
	b = append(b, opLocalGet, take, opI64Add, opLocalSet, next)
	if m.memory != nil {
		b = appendS64(append(b, opI64Const), YieldMark)
		set(slice)
		b = append(b, opI32Const, 1, opMemoryGrow, 0, opDrop)
	}
	b = append(b, opLocalGet, next)
	set(slice)
	trapIf(opI64LtS, reserve)
	trapIf(opI64LtS, slice)
	return append(b, opEnd)
}
