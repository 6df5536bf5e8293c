package sdk

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Value is a piece of JSON: what Get finds. It never changes; the zero Value is one that is absent.
type Value struct{ r gjson.Result }

// ParseValue is the Value of a JSON text, which must be valid.
func ParseValue(json string) Value { return Value{gjson.Parse(json)} }

// Exists tells whether the value is there; null is.
func (v Value) Exists() bool { return v.r.Exists() }

// IsNull tells whether the value is absent or null, which Kubernetes treats alike.
func (v Value) IsNull() bool { return v.r.Type == gjson.Null }

// IsObject tells whether the value is a JSON object.
func (v Value) IsObject() bool { return v.r.IsObject() }

// IsArray tells whether the value is a JSON array.
func (v Value) IsArray() bool { return v.r.IsArray() }

// IsString tells whether the value is a string.
func (v Value) IsString() bool { return v.r.Type == gjson.String }

// IsNumber tells whether the value is a number.
func (v Value) IsNumber() bool { return v.r.Type == gjson.Number }

// IsBool tells whether the value is true or false.
func (v Value) IsBool() bool { return v.r.Type == gjson.True || v.r.Type == gjson.False }

// String is a string's text, any other value's JSON, and empty for absent and null.
func (v Value) String() string {
	switch v.r.Type {
	case gjson.Null:
		return ""
	case gjson.String:
		return v.r.Str
	}
	return v.r.Raw
}

// StringValue is a string's text; ok is false for other values.
func (v Value) StringValue() (text string, ok bool) { return v.r.Str, v.r.Type == gjson.String }

// Int is a number's integer part, and 0 for everything else.
func (v Value) Int() int64 {
	if v.r.Type != gjson.Number {
		return 0
	}
	return v.r.Int()
}

// Float is a number, and 0 for everything else.
func (v Value) Float() float64 {
	if v.r.Type != gjson.Number {
		return 0
	}
	return v.r.Num
}

// Bool is true for true alone.
func (v Value) Bool() bool { return v.r.Type == gjson.True }

// Raw is the JSON text; empty when absent.
func (v Value) Raw() string { return v.r.Raw }

// Get is the value at a path of keys and indexes; absent when there is none. Keys are plain: dots,
// stars and the like mean themselves.
func (v Value) Get(path ...string) Value { return Value{lookup(v.r, path)} }

// Len is the number of an array's items or an object's fields, and 0 for everything else.
func (v Value) Len() int {
	n := 0
	v.each(func(_, _ gjson.Result) bool { n++; return true })
	return n
}

// Items ranges over an array; over nothing for any other value.
//
//	for i, port := range container.Get("ports").Items() { … }
func (v Value) Items() func(yield func(int, Value) bool) {
	return func(yield func(int, Value) bool) {
		if !v.r.IsArray() {
			return
		}
		i := -1
		v.r.ForEach(func(_, item gjson.Result) bool {
			i++
			return yield(i, Value{item})
		})
	}
}

// Fields ranges over an object, in the order of its text; over nothing for any other value.
//
//	for key, value := range obj.Get("spec", "nodeSelector").Fields() { … }
func (v Value) Fields() func(yield func(string, Value) bool) {
	return func(yield func(string, Value) bool) {
		if !v.r.IsObject() {
			return
		}
		v.r.ForEach(func(key, value gjson.Result) bool {
			return yield(key.Str, Value{value})
		})
	}
}

// Strings are an array's items as strings; nil for any other value.
func (v Value) Strings() []string {
	var list []string
	for _, item := range v.Items() {
		list = append(list, item.String())
	}
	return list
}

// StringMap is an object with its values as strings; nil for any other value.
func (v Value) StringMap() map[string]string {
	if !v.r.IsObject() {
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
func (v Value) Equal(other Value) bool {
	return strings.TrimSpace(v.r.Raw) == strings.TrimSpace(other.r.Raw)
}

func (v Value) each(yield func(key, value gjson.Result) bool) {
	if v.r.Type == gjson.JSON {
		v.r.ForEach(yield)
	}
}
