package managed

import "github.com/stratagem-dev/stratagem/engine/internal/scan"

// This file steps over JSON in canonical form. What is not in that form ends a step early; it never panics.

// stringEnd returns where the string at i ends.
func stringEnd(b []byte, i int) int { return scan.StringEnd(b, i) }

// valueEnd returns where the value at i ends.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = stringEnd(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if i++; depth == 0 {
				break
			}
		}
		return min(i, len(b))
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// member returns the key at i, as it stands between the quotes, and where its value begins. ok is false at the end of
// an object.
func member(b []byte, i int) (key []byte, value int, ok bool) {
	if i < 0 || i >= len(b) || b[i] != '"' {
		return nil, 0, false
	}
	end := stringEnd(b, i)
	if end+1 >= len(b) {
		return nil, 0, false
	}
	return b[i+1 : end-1], end + 1, true
}

// after returns where the next member or element begins behind a value that ends at i, or where the object or array ends.
func after(b []byte, i int) int {
	if i < len(b) && b[i] == ',' {
		return i + 1
	}
	return i
}

// pastClose returns where an object or array ends whose closing bracket stands at i.
func pastClose(b []byte, i int) int { return min(i+1, len(b)) }

// class tells values apart as far as types do.
type class uint8

const (
	none class = iota
	isNull
	isScalar
	isList
	isMap
)

// classOf is the class of the value at i; none where i is negative.
func classOf(b []byte, i int) class {
	if i < 0 || i >= len(b) {
		return none
	}
	switch b[i] {
	case '{':
		return isMap
	case '[':
		return isList
	case 'n':
		return isNull
	}
	return isScalar
}

// isEmpty tells whether the object or array at i is empty.
func isEmpty(b []byte, i int) bool {
	return i+1 >= len(b) || b[i+1] == '}' || b[i+1] == ']'
}

// find returns where the value under a key stands in the object at i, or -1. The key is as it stands between the quotes.
func find(obj []byte, i int, key string) int {
	if classOf(obj, i) != isMap {
		return -1
	}
	for i++; ; {
		name, value, ok := member(obj, i)
		switch {
		case !ok || string(name) > key:
			return -1
		case string(name) == key:
			return value
		}
		i = after(obj, valueEnd(obj, value))
	}
}

// lookup returns the raw value under a key of an object, or nil.
func lookup(obj []byte, key string) []byte {
	at := find(obj, 0, key)
	if at < 0 {
		return nil
	}
	return obj[at:valueEnd(obj, at)]
}

// text is what stands between the quotes of a raw string, nil for any other value.
func text(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}
