// Package jsontext writes JSON without reflection.
package jsontext

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Rawer is a value that has its JSON text at hand.
type Rawer interface{ Raw() string }

// Append appends the JSON of v to dst and tells whether v is of a type that it knows: nil, string,
// bool, any integer or float, []string, []any, map[string]string, map[string]any, Rawer, error, or
// something with a String method (both as strings). NaN and infinities are null.
func Append(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case []any:
		return appendSlice(dst, v)
	case map[string]any:
		return appendMap(dst, v)
	}
	return AppendFlat(dst, v)
}

// AppendFlat is Append without []any and map[string]any. As it does not call itself, dst may be an array of the caller's
// that stays on its stack.
func AppendFlat(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case Rawer:
		return appendRaw(dst, v.Raw()), true
	case string:
		return AppendString(dst, v), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case []string:
		return AppendStrings(dst, v), true
	case map[string]string:
		return appendStringMap(dst, v), true
	case error:
		return AppendString(dst, v.Error()), true
	case interface{ String() string }:
		return AppendString(dst, v.String()), true
	}
	return appendNumber(dst, v)
}

// AppendStrings appends list as an array.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// AppendString appends s as a string; invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[start:i]...)
				dst = append(dst, "\uFFFD"...)
				start = i + n
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendRaw(dst []byte, raw string) []byte {
	if raw == "" {
		raw = "null"
	}
	return append(dst, raw...)
}

func appendStringMap(dst []byte, m map[string]string) []byte {
	dst = append(dst, '{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, k), ':')
		dst = AppendString(dst, m[k])
	}
	return append(dst, '}')
}

func appendSlice(dst []byte, list []any) ([]byte, bool) {
	ok := true
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var known bool
		dst, known = Append(dst, v)
		ok = ok && known
	}
	return append(dst, ']'), ok
}

func appendMap(dst []byte, m map[string]any) ([]byte, bool) {
	ok := true
	dst = append(dst, '{')
	for i, k := range sortedKeys(m) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, k), ':')
		var known bool
		dst, known = Append(dst, m[k])
		ok = ok && known
	}
	return append(dst, '}'), ok
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func appendNumber(dst []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case int:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int8:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int16:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), true
	case int64:
		return strconv.AppendInt(dst, v, 10), true
	case uint:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint8:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint16:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), true
	case uint64:
		return strconv.AppendUint(dst, v, 10), true
	case float32:
		return appendFloat(dst, float64(v), 32), true
	case float64:
		return appendFloat(dst, v, 64), true
	}
	return append(dst, "null"...), false
}

// appendFloat writes a float as encoding/json does: exponents only for the very small and very large.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	abs, format := math.Abs(f), byte('f')
	small, large := abs < 1e-6, abs >= 1e21
	if bits == 32 {
		small, large = float32(abs) < 1e-6, float32(abs) >= 1e21
	}
	if abs != 0 && (small || large) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, bits)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
