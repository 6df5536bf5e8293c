// Package jsontext writes JSON in canonical form: strings with the fewest escapes, and decoded values with their keys sorted.
package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendInner appends what stands between the quotes when s is written in canonical form.
func AppendInner(out []byte, s string) []byte {
	plain := 0 // where the part begins that is as it is
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		out = AppendRune(append(out, s[plain:i]...), r)
		i += n
		plain = i
	}
	return append(out, s[plain:]...)
}

// AppendRune appends one character of a string.
func AppendRune(out []byte, r rune) []byte {
	const needs, short = "\"\\\b\f\n\r\t", `"\bfnrt`
	if r < utf8.RuneSelf {
		if i := strings.IndexByte(needs, byte(r)); i >= 0 {
			return append(out, '\\', short[i])
		}
		if r < ' ' {
			return fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return utf8.AppendRune(out, r)
}

// AppendString appends s as a string.
func AppendString(out []byte, s string) []byte { return append(AppendInner(append(out, '"'), s), '"') }

// Inner is what stands between the quotes when s is written.
func Inner(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return string(AppendInner(make([]byte, 0, len(s)+8), s))
		}
	}
	return s
}

// Unquote is the text of what stands between the quotes of a canonical string.
func Unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var s string
	if err := json.Unmarshal(slices.Concat([]byte{'"'}, raw, []byte{'"'}), &s); err != nil {
		return string(raw)
	}
	return s
}
