package sdk

import (
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/scan"
)

// Value is a piece of JSON: what Get finds. It never changes; the zero Value is one that is absent.
type Value struct{ raw string } // without space around it

// ParseValue is the Value of a JSON text, which must be valid.
func ParseValue(json string) Value { return Value{scan.Trim(json)} }

func (v Value) kind() scan.Kind { return scan.KindOf(v.raw) }

// Exists tells whether the value is there; null is.
func (v Value) Exists() bool { return v.raw != "" }

// IsNull tells whether the value is absent or null, which Kubernetes treats alike.
func (v Value) IsNull() bool { return v.kind() <= scan.Null }

// IsObject tells whether the value is a JSON object.
func (v Value) IsObject() bool { return v.kind() == scan.Object }

// IsArray tells whether the value is a JSON array.
func (v Value) IsArray() bool { return v.kind() == scan.Array }

// IsString tells whether the value is a string.
func (v Value) IsString() bool { return v.kind() == scan.String }

// IsNumber tells whether the value is a number.
func (v Value) IsNumber() bool { return v.kind() == scan.Number }

// IsBool tells whether the value is true or false.
func (v Value) IsBool() bool { return v.kind() == scan.Bool }

// String is a string's text, any other value's JSON, and empty for absent and null.
func (v Value) String() string {
	switch v.kind() {
	case scan.Absent, scan.Null:
		return ""
	case scan.String:
		return scan.Unquote(v.raw)
	}
	return v.raw
}

// StringValue is a string's text; ok is false for other values.
func (v Value) StringValue() (text string, ok bool) { return v.text(), v.IsString() }

// text is a string's text, and empty for everything else.
func (v Value) text() string { return scan.Unquote(v.raw) }

// Int is a number's integer part, and 0 for everything else.
func (v Value) Int() int64 {
	if !v.IsNumber() {
		return 0
	}
	if n, err := strconv.ParseInt(v.raw, 10, 64); err == nil {
		return n
	}
	return gjson.Parse(v.raw).Int()
}

// Float is a number, and 0 for everything else.
func (v Value) Float() float64 {
	if !v.IsNumber() {
		return 0
	}
	return gjson.Parse(v.raw).Num
}

// Bool is true for true alone.
func (v Value) Bool() bool { return v.raw == "true" }

// Raw is the JSON text; empty when absent.
func (v Value) Raw() string { return v.raw }

// Get is the value at a path of keys and indexes; absent when there is none. Keys are plain: dots,
// stars and the like mean themselves.
func (v Value) Get(path ...string) Value {
	if len(path) == 0 {
		return v
	}
	return Value{scan.Text(v.raw, lookup(v.raw, path))}
}

// Len is the number of an array's items or an object's fields, and 0 for everything else.
func (v Value) Len() int {
	n := 0
	switch v.kind() {
	case scan.Array:
		for range v.Items() {
			n++
		}
	case scan.Object:
		for range v.Fields() {
			n++
		}
	}
	return n
}

// Items ranges over an array; over nothing for any other value.
//
//	for i, port := range container.Get("ports").Items() { … }
func (v Value) Items() func(yield func(int, Value) bool) {
	return func(yield func(int, Value) bool) {
		if !v.IsArray() {
			return
		}
		n := 0
		for i := scan.First(v.raw, 0); i >= 0; n++ {
			end := scan.End(v.raw, i)
			if end < 0 || !yield(n, Value{v.raw[i:end]}) {
				return
			}
			i = scan.Next(v.raw, end)
		}
	}
}

// Fields ranges over an object, in the order of its text; over nothing for any other value.
//
//	for key, value := range obj.Get("spec", "nodeSelector").Fields() { … }
func (v Value) Fields() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		if !v.IsObject() {
			return
		}
		for i := scan.First(v.raw, 0); i >= 0; {
			key, value := scan.Key(v.raw, i)
			end := scan.End(v.raw, value)
			if end < 0 || !yield(key, Value{v.raw[value:end]}) {
				return
			}
			i = scan.Next(v.raw, end)
		}
	}
}

// Strings are an array's items as strings; nil for any other value.
func (v Value) Strings() []string { return v.appendStrings(nil) }

// fewItems is how many items there is room for at first.
const fewItems = 4

func (v Value) appendStrings(list []string) []string {
	if !v.IsArray() {
		return list
	}
	for i := scan.First(v.raw, 0); i >= 0; {
		text, end := scan.Scalar(v.raw, i)
		if end < 0 {
			break
		}
		if text == "null" && v.raw[i] == 'n' {
			text = "" // as String has it
		}
		if cap(list) == 0 {
			list = make([]string, 0, fewItems)
		}
		list = append(list, text)
		i = scan.Next(v.raw, end)
	}
	return list
}

// StringMap is an object with its values as strings; nil for any other value.
func (v Value) StringMap() map[string]string {
	if !v.IsObject() {
		return nil
	}
	m := make(map[string]string)
	for key, value := range v.Fields() {
		m[key] = value.String()
	}
	return m
}

// Equal compares the JSON texts. The server sends objects in a canonical form (sorted, compact), so
// parts of two objects that mean the same have the same text.
func (v Value) Equal(other Value) bool { return v.raw == other.raw }
