package scan

import "math/bits"

// Masks for a word of eight bytes: each byte the lowest bit, the highest bit, a quote, a backslash.
const (
	lows        = 0x0101010101010101
	highs       = 0x8080808080808080
	quotes      = lows * '"'
	backslashes = lows * '\\'
)

// closing is the place of the quote that ends the string whose content begins at i, and tells whether there are
// escapes before it.
//
//   - It looks at eight bytes at a time: a byte of q or b is zero where a quote or backslash is, and the subtraction
//     borrows there. What that marks in higher bytes does not matter, the lowest mark is right.
//   - It calls nothing: a call costs more in WebAssembly than a short string does.
func closing(text string, i int) (end int, escaped bool) {
	for i+8 <= len(text) {
		w := word(text, i)
		q, b := w^quotes, w^backslashes
		found := ((q-lows)&^q | (b-lows)&^b) & highs
		if found == 0 {
			i += 8
			continue
		}
		if first := i + bits.TrailingZeros64(found)>>3; text[first] == '"' {
			return first, escaped
		}
		escaped = true
		q, b = marks(q), marks(b)
		if b&(b<<8) != 0 { // backslashes side by side: one escape at a time
			i += bits.TrailingZeros64(found)>>3 + 2
			continue
		}
		if q &^= b << 8; q != 0 {
			return i + bits.TrailingZeros64(q)>>3, escaped
		}
		i += 8 + int(b>>63) // behind what the last byte escapes
	}
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i, escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return -1, escaped
}
