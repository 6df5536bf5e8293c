package host

import "github.com/tetratelabs/wazero/api"

// snapshot is the state of a guest that has been initialized and warmed up, and has not seen any request yet. All
// instances of a module start from it and go back to it.
type snapshot struct {
	memory  []byte
	globals []uint64
	clock   uint64
}

// snapshots tells whether memory and numbers are all the state that the module's code can change. Where it is not (tables,
// dropped segments, references or vectors in globals) an instance that is no longer pristine is replaced.
func (in *instance) snapshots() bool {
	rewrite := in.module.rewrite
	if rewrite == nil || rewrite.SetsTables || rewrite.DropsSegments {
		return false
	}
	for _, g := range in.globals {
		switch g.Type() {
		case api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeF32, api.ValueTypeF64:
		default:
			return false
		}
	}
	return true
}

// takeSnapshot copies the state of the instance; nil where that is not possible.
func (in *instance) takeSnapshot() *snapshot {
	if !in.snapshots() {
		return nil
	}
	s := &snapshot{memory: append([]byte(nil), in.view()...), globals: make([]uint64, len(in.globals)), clock: in.guest.clock}
	for i, g := range in.globals {
		s.globals[i] = g.Get()
	}
	return s
}

// restore brings the instance back to the snapshot, to its last byte; an instance that cannot be brought back is to be
// thrown away: false.
func (in *instance) restore(s *snapshot) bool {
	memory := in.mod.Memory()
	if missing := len(s.memory) - int(memory.Size()); missing > 0 {
		if _, ok := memory.Grow(uint32(missing >> 16)); !ok {
			return false
		}
	}
	in.memory.Reset(s.memory)
	if !in.shrink(len(s.memory)) {
		return false
	}
	for i, g := range in.globals {
		g.Set(s.globals[i])
	}
	in.guest.clock, in.calls, in.namespace, in.began = s.clock, 0, "", memory.Size()
	return true
}

// shrink takes from the guest the memory that it has grown beyond size, which WebAssembly has no instruction for: wazero takes
// whatever an allocator answers to growing. Where it does not (a memory that is at the most that the module declares) it is false.
func (in *instance) shrink(size int) bool {
	memory := in.mod.Memory()
	if int(memory.Size()) == size {
		return true
	}
	in.memory.shrink = uint64(size)
	_, ok := memory.Grow(1)
	in.memory.shrink = 0
	return ok && int(memory.Size()) == size
}

// grown tells whether the memory is larger than it was when the instance was pristine.
func (in *instance) grown() bool { return in.mod.Memory().Size() > in.began }

// view is the whole memory.
func (in *instance) view() []byte {
	memory := in.mod.Memory()
	view, _ := memory.Read(0, memory.Size())
	return view
}
