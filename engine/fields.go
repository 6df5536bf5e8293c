package engine

import (
	"bytes"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// Fields are the members of one JSON object in canonical form: an object taken apart by one level, to be
// changed and put together again. The values are not copied.
type Fields []Field

// Field is one member: its key (as text between the quotes) and its raw value.
type Field struct {
	Key   string
	Value []byte
}

// ParseFields takes a canonical JSON object apart; anything else has no fields.
func ParseFields(raw []byte) Fields {
	if len(raw) < 2 || raw[0] != '{' {
		return nil
	}
	fields, _ := appendFields(make(Fields, 0, 12), raw, 0)
	return fields
}

// appendFields appends the members of the object at i, and returns where it ends.
func appendFields(fields Fields, raw []byte, i int) (Fields, int) {
	for i++; i < len(raw) && raw[i] == '"'; {
		keyEnd := skipString(raw, i)
		end := skipValue(raw, keyEnd+1)
		fields = append(fields, Field{internKey(raw[i+1 : keyEnd-1]), raw[keyEnd+1 : end]})
		if i = end; i < len(raw) && raw[i] == ',' {
			i++
		}
	}
	return fields, i + 1
}

// internKey spares the copy for the keys that every object has.
func internKey(key []byte) string {
	switch string(key) {
	case "apiVersion":
		return "apiVersion"
	case "kind":
		return "kind"
	case "metadata":
		return "metadata"
	case "spec":
		return "spec"
	case "status":
		return "status"
	case "name":
		return "name"
	case "namespace":
		return "namespace"
	case "uid":
		return "uid"
	case "creationTimestamp":
		return "creationTimestamp"
	case "generation":
		return "generation"
	case "labels":
		return "labels"
	case "annotations":
		return "annotations"
	case "resourceVersion":
		return "resourceVersion"
	case "managedFields":
		return "managedFields"
	case "finalizers":
		return "finalizers"
	case "ownerReferences":
		return "ownerReferences"
	}
	return string(key)
}

// find returns where key stands or would stand.
func (f Fields) find(key string) (int, bool) {
	for i := range f {
		if f[i].Key >= key {
			return i, f[i].Key == key
		}
	}
	return len(f), false
}

// Get is the raw value under key, nil when there is none.
func (f Fields) Get(key string) []byte {
	if i, ok := f.find(key); ok {
		return f[i].Value
	}
	return nil
}

// String is the text under key, "" when it is absent or no string.
func (f Fields) String(key string) string { return unquote(f.Get(key)) }

// Int is the integer under key, 0 when it is absent or no integer.
func (f Fields) Int(key string) int64 {
	n, _ := strconv.ParseInt(string(f.Get(key)), 10, 64)
	return n
}

// Has tells whether key is there with a value other than null.
func (f Fields) Has(key string) bool {
	v := f.Get(key)
	return len(v) > 0 && !bytes.Equal(v, null)
}

var null = []byte("null")

// Set puts a canonical raw value under key; nil deletes the key.
func (f *Fields) Set(key string, value []byte) {
	i, ok := f.find(key)
	switch {
	case ok && value == nil:
		*f = append((*f)[:i], (*f)[i+1:]...)
	case ok:
		(*f)[i].Value = value
	case value != nil:
		*f = append(*f, Field{})
		copy((*f)[i+1:], (*f)[i:])
		(*f)[i] = Field{key, value}
	}
}

// SetString puts a text under key; "" deletes the key.
func (f *Fields) SetString(key, value string) {
	if value == "" {
		f.Set(key, nil)
		return
	}
	f.Set(key, quoted(value))
}

// SetStrings puts a list of texts under key; an empty one deletes the key.
func (f *Fields) SetStrings(key string, values []string) {
	if len(values) == 0 {
		f.Set(key, nil)
		return
	}
	raw := []byte{'['}
	for i, v := range values {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = jsontext.AppendString(raw, v)
	}
	f.Set(key, append(raw, ']'))
}

// SetInt puts an integer under key.
func (f *Fields) SetInt(key string, value int64) { f.Set(key, strconv.AppendInt(nil, value, 10)) }

// Copy is a copy that can be changed on its own; the values are shared.
func (f Fields) Copy() Fields { return append(make(Fields, 0, len(f)+2), f...) }

// Raw puts the object together again.
func (f Fields) Raw() []byte { return f.appendTo(make([]byte, 0, f.size())) }

// size is how many bytes Raw has, at most.
func (f Fields) size() int {
	size := 2
	for i := range f {
		size += len(f[i].Key) + len(f[i].Value) + 4
	}
	return size
}

func (f Fields) appendTo(out []byte) []byte {
	out = append(out, '{')
	for i := range f {
		out = append(appendKey(out, i, f[i].Key), f[i].Value...)
	}
	return append(out, '}')
}

// appendKey appends the key of member i, a comma in front of it.
func appendKey(out []byte, i int, key string) []byte {
	if i > 0 {
		out = append(out, ',')
	}
	return append(append(append(out, '"'), key...), '"', ':')
}
