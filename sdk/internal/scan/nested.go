package scan

import "math/bits"

// More masks for a word: each byte bit 5 (which makes brackets braces), an opening brace, a closing one.
const (
	bit5s  = lows * 0x20
	opens  = lows * '{'
	closes = lows * '}'
)

// nested is the place behind the array or object whose content begins at i.
//
//   - Most of the time that an access takes goes into this loop, and branches are what costs in Go's WebAssembly. So it
//     takes eight bytes at a time and branches once, for all but words with a backslash and those that may hold the end.
//   - RATIONALE.md of the SDK has the figures.
func nested(text string, i int) int {
	depth, quoted := 1, uint64(0) // quoted is highs within a string, else 0
	for {
		for i+8 <= len(text) {
			w := word(text, i)
			q := marks(w ^ quotes)
			q ^= q << 8
			q ^= q << 16
			q ^= q << 32
			q ^= quoted // the bytes that belong to strings, but for the closing quotes
			braces := w | bit5s
			closed := bits.OnesCount64(marks(braces^closes) &^ q)
			if closed >= depth || marks(w^backslashes) != 0 {
				break
			}
			depth += bits.OnesCount64(marks(braces^opens)&^q) - closed
			quoted = uint64(int64(q)>>63) & highs
			i += 8
		}
		for n := 0; n < 8; n++ {
			if uint(i) >= uint(len(text)) {
				return -1
			}
			c := text[i]
			i++
			switch {
			case quoted != 0:
				if c == '\\' {
					i++
				} else if c == '"' {
					quoted = 0
				}
			case c == '"':
				quoted = highs
			case c|0x20 == '{':
				depth++
			case c|0x20 == '}':
				if depth--; depth == 0 {
					return i
				}
			}
		}
	}
}

// marks sets the highest bit of the bytes that are zero, and nothing else.
func marks(w uint64) uint64 { return ^((w&^highs + ^uint64(highs)) | w | ^uint64(highs)) }
