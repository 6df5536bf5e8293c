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
	usable  uint64
}

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
	m.region.bytes, m.usable = make([]byte, most), most
	return m
}

// Reallocate makes the first size bytes usable. They stay where they are.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.region.bytes)) {
		return nil
	}
	if size > m.usable {
		if err := syscall.Mprotect(m.region.bytes[m.usable:size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			return nil
		}
		m.usable = size
	}
	return m.region.bytes[:size:size]
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
