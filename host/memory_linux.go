package host

import (
	"runtime"
	"syscall"
)

// linearMemory is the memory of one instance: address space for the most that it may become is set aside at once, so
// that growing moves nothing, and pages cost nothing before they are touched. It lies outside of Go's heap.
//
//   - It is given back by Free, or when nothing holds it any more.
//   - Where the system has no such address space left, it lies on Go's heap.
type linearMemory struct {
	region  *region
	cleanup runtime.Cleanup
	usable  uint64      // bytes that are open, of which those beyond size are zero
	size    uint64      // bytes that the guest has
	shrink  uint64      // what Reallocate makes it, whatever is asked for; 0 for what is asked for
	refused bool        // to grow
	turn    func() bool // asked before it grows: true when that is only how the guest gives way
	watch   *watch      // nil where all of it has to be copied
}

// keepGrown is how many bytes beyond the snapshot are cleared and kept for the next call that grows. What is beyond them is
// given back to the system.
const keepGrown = 4 << 20

// watchFrom is the size above which it is cheaper to ask the kernel than to copy all.
const watchFrom = 256 << 10

// region is one mapping, empty when it has been given back.
type region struct {
	bytes  []byte
	mapped bool
}

// newLinearMemory makes a memory whose first bytes are usable.
func newLinearMemory(first, most uint64) *linearMemory {
	m := &linearMemory{region: &region{}}
	if most == 0 {
		return m
	}
	bytes, err := syscall.Mmap(-1, 0, int(most), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err == nil {
		m.region.bytes, m.region.mapped = bytes, true
		if m.Reallocate(first) != nil || first == 0 {
			m.cleanup = runtime.AddCleanup(m, (*region).free, m.region)
			return m
		}
		m.region.free()
	}
	m.region.bytes = make([]byte, most)
	return m
}

// Reallocate makes the first size bytes usable. They stay where they are.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.turn != nil && m.turn() {
		return nil
	}
	if m.shrink > 0 {
		size = m.shrink
	}
	if size > uint64(len(m.region.bytes)) {
		m.refused = true
		return nil
	}
	if size > m.usable && m.region.mapped {
		if err := syscall.Mprotect(m.region.bytes[m.usable:size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			return nil
		}
	}
	m.usable, m.size = max(m.usable, size), size
	return m.region.bytes[:size:size]
}

// Reset makes the memory what the snapshot is, and zero beyond it.
func (m *linearMemory) Reset(snapshot []byte) {
	start := m.region.bytes[:len(snapshot)]
	if m.watch == nil || !m.watch.reset(start, snapshot) {
		copy(start, snapshot)
		m.watch = nil
		if m.region.mapped && len(start) > watchFrom {
			m.watch = newWatch(start)
		}
	}
	tail := m.region.bytes[len(snapshot):m.size]
	if far := tail[min(len(tail), keepGrown):]; len(far) > 0 && m.region.mapped && syscall.Madvise(far, syscall.MADV_DONTNEED) == nil {
		tail = tail[:keepGrown]
	}
	m.clear(tail)
}

// clear makes bytes zero, which those are that the guest has not touched: clearing them would cost a page fault each.
func (m *linearMemory) clear(bytes []byte) {
	t := writes()
	if len(bytes) == 0 || t == nil || !m.region.mapped || !t.eachPresent(bytes, func(from, to int) { clear(bytes[from:to]) }) {
		clear(bytes)
	}
}

// Free gives the address space back.
func (m *linearMemory) Free() {
	m.cleanup.Stop()
	m.region.free()
}

func (r *region) free() {
	if r.mapped {
		_ = syscall.Munmap(r.bytes)
	}
	r.bytes, r.mapped = nil, false
}
