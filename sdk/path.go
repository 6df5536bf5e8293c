package sdk

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// lookup finds the value at a path of plain segments below r. Where the result exists, its Index is
// its offset in r.Raw.
func lookup(r gjson.Result, path []string) gjson.Result {
	r.Index = 0
	if len(path) > 1 && allPlain(path) {
		return gjson.Get(r.Raw, strings.Join(path, "."))
	}
	for _, segment := range path {
		offset := r.Index
		r = step(r, segment)
		if !r.Exists() {
			return gjson.Result{}
		}
		r.Index += offset
	}
	return r
}

// step finds one segment: a key of an object or an index of an array.
func step(r gjson.Result, segment string) gjson.Result {
	switch {
	case r.IsArray():
		if !isIndex(segment) {
			return gjson.Result{}
		}
		return gjson.Get(r.Raw, segment)
	case !r.IsObject():
		return gjson.Result{}
	case segment == "":
		return emptyKey(r)
	case plain(segment):
		return gjson.Get(r.Raw, segment)
	}
	return gjson.Get(r.Raw, gjson.Escape(segment))
}

// emptyKey finds the field "", for which gjson has no path.
func emptyKey(r gjson.Result) (found gjson.Result) {
	base := r.Index
	r.Index = 0
	r.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "" {
			found = value
			return false
		}
		return true
	})
	r.Index = base
	return found
}

// allPlain tells whether a path, joined by dots, means the same to gjson. It does not for keys such
// as "01", which gjson takes for the index 1.
func allPlain(path []string) bool {
	for _, segment := range path {
		if segment == "" || segment[0] == '0' || !plain(segment) {
			return false
		}
	}
	return true
}

// plain tells whether a segment means itself in gjson's paths.
func plain(segment string) bool {
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '/') {
			return false
		}
	}
	return true
}

// isIndex tells whether a segment is an array index in its one form: no sign, no leading zeros.
func isIndex(segment string) bool {
	n, err := strconv.Atoi(segment)
	return err == nil && n >= 0 && strconv.Itoa(n) == segment
}

// nest wraps a JSON text into the objects of a path: ["a","b"] and 1 make {"a":{"b":1}}.
func nest(path []string, raw string) string {
	if len(path) == 0 {
		return raw
	}
	var dst []byte
	for _, key := range path {
		dst = append(dst, '{')
		dst = append(jsontext.AppendString(dst, key), ':')
	}
	dst = append(dst, raw...)
	for range path {
		dst = append(dst, '}')
	}
	return string(dst)
}
