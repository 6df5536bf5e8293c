//go:build !linux

package host

// linearMemory is the memory of one instance, on Go's heap: growing may move it.
type linearMemory struct {
	bytes   []byte
	most    uint64
	shrink  uint64      // what Reallocate makes it, whatever is asked for; 0 for what is asked for
	refused bool        // to grow
	turn    func() bool // asked before it grows: true when that is only how the guest gives way
}

func newLinearMemory(_, most uint64) *linearMemory { return &linearMemory{most: most} }

// Reallocate makes the memory larger, by a quarter more than is asked for when it has to move.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.turn != nil && m.turn() {
		return nil
	}
	if m.shrink > 0 {
		size = m.shrink
	}
	if size > m.most {
		m.refused = true
		return nil
	}
	if size > uint64(cap(m.bytes)) {
		moved := make([]byte, size, min(m.most, size+size/4))
		copy(moved, m.bytes)
		m.bytes = moved
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Reset makes the memory what the snapshot is, and zero beyond it.
func (m *linearMemory) Reset(snapshot []byte) { clear(m.bytes[copy(m.bytes, snapshot):]) }

// Free leaves the memory to the garbage collector.
func (m *linearMemory) Free() { m.bytes = nil }
