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

// low is what control characters are below, over a word.
const low = ' ' * ones

// Plain returns where the first byte from i on stands that is none of the plain ones: a quote, a backslash, a control character
// or what is not ASCII. It is len(b) where all are plain.
func Plain(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		quote, escape := word^quotes, word^escapes
		// As in StringEnd, the lowest top bit marks the first; a byte that is not ASCII bears its own.
		if found := ((quote-ones)&^quote | (escape-ones)&^escape | (word-low)&^word | word) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c < ' ' || c >= 0x80 {
			return i
		}
	}
	return len(b)
}
