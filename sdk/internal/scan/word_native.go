//go:build !wasm

package scan

// word is the eight bytes at i, the first one lowest.
func word(text string, i int) uint64 {
	s := text[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
