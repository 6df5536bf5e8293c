package scan

import "unsafe"

// word is the eight bytes at i, the first one lowest. WebAssembly is little-endian and reads at any place; its
// compiler does not make one read of eight.
func word(text string, i int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.StringData(text)), i))
}
