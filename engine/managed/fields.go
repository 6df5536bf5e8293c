package managed

import (
	"bytes"
	"slices"
)

// withFields is an object with other managedFields; nil for none. One without metadata stays as it is.
func withFields(obj, fields []byte) []byte {
	meta := lookup(obj, "metadata")
	if classOf(meta, 0) != isMap {
		return obj
	}
	return splice(obj, "metadata", splice(meta, "managedFields", fields))
}

// splice is an object with another raw value under a key; nil for none.
func splice(obj []byte, key string, value []byte) []byte {
	out, first := append(make([]byte, 0, len(obj)+len(value)+len(key)+4), '{'), true
	put := func(name, raw []byte) {
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(append(append(append(out, '"'), name...), `":`...), raw...)
	}
	placed := value == nil
	for i := 1; ; {
		name, at, ok := member(obj, i)
		if !placed && (!ok || string(name) >= key) {
			put([]byte(key), value)
			placed = true
		}
		if !ok {
			return append(out, '}')
		}
		end := valueEnd(obj, at)
		if string(name) != key {
			put(name, obj[at:end])
		}
		i = after(obj, end)
	}
}

// EqualButTimes tells whether two raw managedFields, not empty ones, say the same but for the times of their entries.
func EqualButTimes(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	if bytes.Equal(a, b) {
		return true
	}
	t := &tree{}
	x, errX := t.decodeEntries(nil, a)
	y, errY := t.decodeEntries(nil, b)
	return errX == nil && errY == nil && len(x) > 0 && slices.EqualFunc(x, y, func(p, q entry) bool {
		p.time, q.time = nil, nil
		return bytes.Equal(t.appendEntry(nil, &p), t.appendEntry(nil, &q))
	})
}
