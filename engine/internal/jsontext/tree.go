package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// errNumber reports a number that no float64 holds.
var errNumber = errors.New("a number is out of range")

// AppendTree appends a decoded value. Numbers are int64, float64 or, with their text as it is, json.Number.
func AppendTree(out []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, value), nil
	case string:
		return AppendString(out, value), nil
	case int64:
		return strconv.AppendInt(out, value, 10), nil
	case float64:
		return AppendFloat(out, value), nil
	case json.Number:
		if _, err := value.Float64(); err != nil {
			return nil, errNumber
		}
		return append(out, value...), nil
	case []any:
		return appendList(out, value)
	case map[string]any:
		return appendMap(out, value)
	}
	return nil, fmt.Errorf("%T is no JSON value", value)
}

// AppendFloat appends a float64 as JSON encoders do.
func AppendFloat(out []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(out, f, format, -1, 64)
}

func appendList(out []byte, list []any) ([]byte, error) {
	var err error
	out = append(out, '[')
	for i, element := range list {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = AppendTree(out, element); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendMap(out []byte, object map[string]any) ([]byte, error) {
	type member struct{ inner, key string }
	members := make([]member, 0, len(object))
	for key := range object {
		members = append(members, member{Inner(key), key})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.inner, b.inner) })
	var err error
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.inner...), `":`...)
		if out, err = AppendTree(out, object[m.key]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}
