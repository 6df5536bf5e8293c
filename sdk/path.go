package sdk

import (
	"unsafe"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
	"github.com/stratagem-dev/stratagem/sdk/internal/scan"
)

// lookup is the place of the value at a path of plain segments in a JSON text; -1 when there is none.
func lookup(json string, path []string) int {
	at := 0
	for _, segment := range path {
		if at = scan.Child(json, at, segment); at < 0 {
			break
		}
	}
	return at
}

// reach goes down a path as far as there are values: to the place of the last one, and what is left of the path.
func reach(json string, path []string) (at int, rest []string) {
	for at = scan.Space(json, 0); len(path) > 0; path = path[1:] {
		next := scan.Child(json, at, path[0])
		if next < 0 {
			break
		}
		at = next
	}
	return at, path
}

// isIndex tells whether a segment is an array index in its one form: no sign, no leading zeros.
func isIndex(segment string) bool { return scan.Index(segment) >= 0 }

// appendNested appends a JSON text, wrapped into the objects of a path: ["a","b"] and 1 make {"a":{"b":1}}.
func appendNested(dst []byte, path []string, raw []byte) []byte {
	for _, key := range path {
		dst = append(jsontext.AppendString(append(dst, '{'), key), ':')
	}
	dst = append(dst, raw...)
	for range path {
		dst = append(dst, '}')
	}
	return dst
}

// room is about how many bytes appendNested appends.
func room(path []string, raw []byte) int {
	n := len(raw) + 1
	for _, key := range path {
		n += len(key) + 5
	}
	return n
}

// text is the string of bytes that nobody changes any more, without a copy.
func text(bytes []byte) string { return unsafe.String(unsafe.SliceData(bytes), len(bytes)) }
