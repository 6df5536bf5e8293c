// Package scan steps over JSON in canonical form, eight bytes at a time where that helps. What is not in that form
// ends a step early; it never panics.
package scan

import (
	"encoding/binary"
	"math/bits"
)

// Bytes repeated over a word, for looking at eight of them at once.
const (
	ones    = 0x0101010101010101
	tops    = 0x8080808080808080
	quotes  = '"' * ones
	escapes = '\\' * ones
)

// StringEnd returns where the string that begins at i ends.
func StringEnd(b []byte, i int) int {
	for i++; i+8 <= len(b); {
		word := binary.LittleEndian.Uint64(b[i:])
		quote, escape := word^quotes, word^escapes
		// The lowest top bit that is set marks the first byte that is one of the two.
		found := ((quote-ones)&^quote | (escape-ones)&^escape) & tops
		if found == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(found) / 8; b[i] == '"' {
			return i + 1
		}
		i += 2
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}
