package sdk

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
	"github.com/stratagem-dev/stratagem/sdk/internal/scan"
)

// Object is a JSON object that can be changed: a whole Kubernetes object, or a part of one.
//
//   - Paths are keys and array indexes, one argument each: Get("metadata", "labels", "app.kubernetes.io/name").
//     Nothing in a key has a meaning of its own.
//   - Its top-level fields are kept apart, so that a change of spec never copies metadata and its
//     managedFields. For many changes to nested objects see Edit and EditEach.
//   - Values taken from it stay as they were when it changes.
type Object struct {
	text    string   // the whole; behind the fields while stale
	fields  []member // the top-level fields that have been read, as they are now
	rest    int      // where in text those begin that have not; 0 before the first is read, -1 behind the last
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
		unread := len(o.text) - o.rest
		o.text, o.stale = text(o.appendRaw(make([]byte, 0, o.size()))), false
		allocated(len(o.text))
		if o.rest > 0 {
			o.rest = len(o.text) - unread
		}
	}
	return o.text
}

// copy is the object as it is now, whatever becomes of it.
func (o *Object) copy() Object {
	c := *o
	c.fields = append([]member(nil), o.fields...)
	return c
}

// size is at least the length of the JSON text, unless keys have to be escaped.
func (o *Object) size() int {
	n := 2
	for i := range o.fields {
		n += len(o.fields[i].key) + len(o.fields[i].raw) + 4
	}
	if o.rest > 0 {
		n += len(o.text) - o.rest
	}
	return n
}

// appendRaw appends the JSON text to dst.
func (o *Object) appendRaw(dst []byte) []byte {
	if !o.stale {
		return append(dst, o.text...)
	}
	dst = append(dst, '{')
	for i := range o.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, o.fields[i].key), ':')
		dst = append(dst, o.fields[i].raw...)
	}
	if o.rest <= 0 {
		return append(dst, '}')
	}
	if len(o.fields) > 0 {
		dst = append(dst, ',')
	}
	return append(dst, o.text[o.rest:]...)
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
	raw := o.fields[i].raw
	if len(path) > 1 {
		raw = scan.Text(raw, lookup(raw, path[1:]))
	}
	return Value{raw}
}

// Exists tells whether there is a value at the path; null is one.
func (o *Object) Exists(path ...string) bool { return o.Get(path...).Exists() }

// Copy is an independent object with the same content. It costs little.
func (o *Object) Copy() *Object {
	c := &Object{text: o.text, rest: o.rest, stale: o.stale}
	c.fields = append([]member(nil), o.fields...)
	return c
}

// find is the place of a top-level field, -1 when there is none. It reads the text up to that field only.
func (o *Object) find(key string) int {
	for i := range o.fields {
		if o.fields[i].key == key {
			return i
		}
	}
	for o.read() {
		if last := len(o.fields) - 1; o.fields[last].key == key {
			return last
		}
	}
	return -1
}

// fewFields is how many top-level fields there is room for at first: Kubernetes' objects have about five.
const fewFields = 8

// read reads one more top-level field; false when there is none.
func (o *Object) read() bool {
	if o.rest == 0 {
		o.rest = scan.First(o.text, 0)
	}
	if o.rest < 0 {
		return false
	}
	key, value := scan.Key(o.text, o.rest)
	end := scan.End(o.text, value)
	if end < 0 {
		o.rest = -1
		return false
	}
	if o.fields == nil {
		o.fields = make([]member, 0, fewFields)
	}
	o.fields = append(o.fields, member{key, o.text[value:end]})
	o.rest = scan.Next(o.text, end)
	return true
}
