package managed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// appendInner appends what stands between the quotes when s is written in canonical form: with the fewest escapes.
func appendInner(out []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r >= 0x20:
			out = utf8.AppendRune(out, r)
		case strings.ContainsRune("\b\f\n\r\t", r):
			out = append(out, '\\', "btn?fr"[r-'\b'])
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// inner is what stands between the quotes when s is written in canonical form.
func inner(s string) string { return string(appendInner(nil, s)) }

// unquote is the text of what stands between the quotes of a canonical string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &s); err != nil {
		return string(raw)
	}
	return s
}

// appendNumber appends a number as Kubernetes writes it: integers of 64 bits as they are, all others as a float64.
func appendNumber(out, raw []byte) []byte {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.AppendInt(out, n, 10)
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return append(out, raw...)
	}
	return appendFloat(out, f)
}

// appendFloat appends a float64 as JSON encoders do.
func appendFloat(out []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(out, f, format, -1, 64)
}

// appendTree appends a decoded value in canonical form.
func appendTree(out []byte, value any) ([]byte, error) {
	var err error
	switch value := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, value), nil
	case string:
		return append(appendInner(append(out, '"'), value), '"'), nil
	case int64:
		return strconv.AppendInt(out, value, 10), nil
	case float64:
		return appendFloat(out, value), nil
	case []any:
		out = append(out, '[')
		for i, element := range value {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendTree(out, element); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		return appendMap(out, value)
	}
	return nil, fmt.Errorf("%T is no JSON value", value)
}

func appendMap(out []byte, object map[string]any) ([]byte, error) {
	type keyed struct{ raw, key string }
	members := make([]keyed, 0, len(object))
	for key := range object {
		members = append(members, keyed{inner(key), key})
	}
	slices.SortFunc(members, func(a, b keyed) int { return strings.Compare(a.raw, b.raw) })
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.raw...), `":`...)
		var err error
		if out, err = appendTree(out, object[m.key]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
