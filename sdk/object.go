package sdk

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Object is a JSON object that can be changed: a whole Kubernetes object, or a part of one.
//
//   - Paths are keys and array indexes, one argument each: Get("metadata", "labels", "app.kubernetes.io/name").
//     Nothing in a key has a meaning of its own.
//   - Its top-level fields are kept apart, so that work on spec never touches metadata and its
//     managedFields. For many changes to nested objects see Edit and EditEach.
//   - Values taken from it stay as they were when it changes.
type Object struct {
	text    string // the whole; behind the fields while stale
	fields  []member
	split   bool // fields are filled
	stale   bool
	changed bool
	frozen  string // why it may not be changed: a hook's name, or what it is
}

// member is a top-level field and the text of its value.
type member struct{ key, raw string }

// ErrNotObject is returned for a text that is not one valid JSON object.
var ErrNotObject = errors.New("not a JSON object")

// ParseObject is the Object of a JSON text, or ErrNotObject.
func ParseObject(json string) (*Object, error) {
	json = strings.TrimSpace(json)
	if !gjson.Valid(json) || json[0] != '{' {
		return nil, ErrNotObject
	}
	return newObject(json), nil
}

// newObject trusts that json is an object: the server has checked what it sends.
func newObject(json string) *Object { return &Object{text: json} }

// Raw is the JSON text.
func (o *Object) Raw() string {
	if o.stale {
		o.text, o.stale = string(o.appendRaw(make([]byte, 0, len(o.text)+64))), false
		allocated(len(o.text))
	}
	return o.text
}

// appendRaw appends the JSON text to dst.
func (o *Object) appendRaw(dst []byte) []byte {
	if !o.stale {
		return append(dst, o.text...)
	}
	dst = append(dst, '{')
	for i, f := range o.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, f.key), ':')
		dst = append(dst, f.raw...)
	}
	return append(dst, '}')
}

// Get is the value at a path; absent when there is none. Without a path it is the whole object.
func (o *Object) Get(path ...string) Value {
	if len(path) == 0 {
		return ParseValue(o.Raw())
	}
	i := o.find(path[0])
	if i < 0 {
		return Value{}
	}
	v := gjson.Parse(o.fields[i].raw)
	if len(path) > 1 {
		v = lookup(v, path[1:])
	}
	v.Index = 0
	return Value{v}
}

// Exists tells whether there is a value at the path; null is one.
func (o *Object) Exists(path ...string) bool { return o.Get(path...).Exists() }

// Copy is an independent object with the same content. It costs little.
func (o *Object) Copy() *Object {
	c := &Object{text: o.text, split: o.split, stale: o.stale}
	c.fields = append([]member(nil), o.fields...)
	return c
}

// find is the place of a top-level field, -1 when there is none.
func (o *Object) find(key string) int {
	if !o.split {
		o.split = true
		gjson.Parse(o.text).ForEach(func(key, value gjson.Result) bool {
			o.fields = append(o.fields, member{key.Str, value.Raw})
			return true
		})
	}
	for i := range o.fields {
		if o.fields[i].key == key {
			return i
		}
	}
	return -1
}
