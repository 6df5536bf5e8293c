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
//     takes eight bytes at a time and branches little, but for words with a backslash and the last bytes of the text.
//   - RATIONALE.md of the SDK has the figures.
func nested(text string, i int) int {
	depth, quoted := 1, uint64(0) // quoted is highs within a string, else 0
	for {
		for i+8 <= len(text) {
			w := word(text, i)
			if marks(w^backslashes) != 0 {
				break
			}
			q := marks(w ^ quotes)
			q ^= q << 8
			q ^= q << 16
			q ^= q << 32
			q ^= quoted // the bytes that belong to strings, but for the closing quotes
			braces := w | bit5s
			opened, closed := marks(braces^opens)&^q, marks(braces^closes)&^q
			if n := bits.OnesCount64(closed); n < depth {
				depth += bits.OnesCount64(opened) - n
			} else if end := last(opened, closed, &depth); end > 0 {
				return i + end
			}
			quoted = uint64(int64(q)>>63) & highs
			i += 8
		}
		if i >= len(text) {
			return -1
		}
		c := text[i]
		i++
		switch {
		case quoted != 0 || c == '"':
			if quoted != 0 {
				i--
			}
			if i, _ = closing(text, i); i < 0 {
				return -1
			}
			i++
			quoted = 0
		case c|0x20 == '{':
			depth++
		case c|0x20 == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
}

// last is the place in a word behind the brace that brings the depth to 0; 0 when none does.
func last(opened, closed uint64, depth *int) int {
	for all := opened | closed; all != 0; all &= all - 1 {
		if first := all & -all; first&opened != 0 {
			*depth++
		} else if *depth--; *depth == 0 {
			return bits.TrailingZeros64(all)>>3 + 1
		}
	}
	return 0
}

// marks sets the highest bit of the bytes that are zero, and nothing else.
func marks(w uint64) uint64 { return ^((w&^highs + ^uint64(highs)) | w | ^uint64(highs)) }
