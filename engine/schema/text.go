package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errNumber reports a number that no float64 holds.
var errNumber = errors.New("a number is out of range")

// unquote is the text that stands between the quotes of a canonical JSON string.
func unquote(raw []byte) string {
	var text string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &text); err != nil {
		return string(raw)
	}
	return text
}

// quotedText is what stands between the quotes when s is written in canonical form.
func quotedText(s string) string {
	out := appendQuoted(make([]byte, 0, len(s)+2), s)
	return string(out[1 : len(out)-1])
}

// appendQuoted appends s as a string in canonical form: with the fewest escapes.
func appendQuoted(out []byte, s string) []byte {
	const needs, short = "\"\\\b\f\n\r\t", `"\bfnrt`
	out = append(out, '"')
	for _, r := range s {
		if i := strings.IndexRune(needs, r); i >= 0 && r < utf8.RuneSelf {
			out = append(out, '\\', short[i])
		} else if r < 0x20 {
			out = append(out, fmt.Sprintf(`\u%04x`, r)...)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return append(out, '"')
}

// appendCanonical appends a decoded value (with json.Number for numbers) in canonical form.
func appendCanonical(out []byte, value any) ([]byte, error) {
	var err error
	switch value := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, value), nil
	case string:
		return appendQuoted(out, value), nil
	case json.Number:
		if _, err := value.Float64(); err != nil {
			return nil, errNumber
		}
		return append(out, value...), nil
	case []any:
		out = append(out, '[')
		for i, element := range value {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, element); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		return appendObject(out, value)
	}
	return nil, fmt.Errorf("%T is no JSON value", value)
}

func appendObject(out []byte, object map[string]any) ([]byte, error) {
	type member struct{ raw, key string }
	members := make([]member, 0, len(object))
	for key := range object {
		members = append(members, member{quotedText(key), key})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.raw, b.raw) })
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.raw...), '"', ':')
		var err error
		if out, err = appendCanonical(out, object[m.key]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
