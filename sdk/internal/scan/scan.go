// Package scan finds values in JSON text without reading more of it than it must.
//
// It is what every access to an object comes down to, so it is written for speed in WebAssembly: plain
// loops over the text, no values in between, strings passed over eight bytes at a time.
//
//   - The text is taken to be valid. In a text that is not, values are absent; nothing is read behind its end.
//   - Places are offsets in the text; -1 stands for none.
package scan

import "strings"

// Kind is the type of a JSON value.
type Kind byte

// The kinds. Absent is that of an empty text and of what is no JSON.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// kinds tells the kind of a value by its first byte.
var kinds = [256]Kind{
	'n': Null, 't': Bool, 'f': Bool, '"': String, '[': Array, '{': Object, '-': Number,
	'0': Number, '1': Number, '2': Number, '3': Number, '4': Number, '5': Number, '6': Number, '7': Number, '8': Number, '9': Number,
}

// KindOf is the kind of the value that a text begins with.
func KindOf(text string) Kind {
	if text == "" {
		return Absent
	}
	return kinds[text[0]]
}

// Trim is the text without the space around it.
func Trim(text string) string {
	if n := len(text); n > 0 && text[0] > ' ' && text[n-1] > ' ' {
		return text
	}
	return strings.TrimSpace(text)
}

// Space is the first place from i on that is not space.
func Space(text string, i int) int {
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	return i
}

// End is the place behind the value that begins at i.
func End(text string, i int) int {
	if uint(i) >= uint(len(text)) {
		return -1
	}
	switch kinds[text[i]] {
	case String:
		if end, _ := closing(text, i+1); end >= 0 {
			return end + 1
		}
		return -1
	case Array, Object:
		return nested(text, i+1)
	}
	start := i
	for i < len(text) && text[i] > ' ' && text[i] != ',' && text[i]|0x20 != '}' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
