package engine

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tidwall/gjson"
)

// Object is one Kubernetes object: JSON bytes in canonical form (see Canonical), never changed in place.
type Object []byte

// ParseObject brings bytes that came from outside (a request, a guest, the storage) into canonical form and
// makes sure that they are a JSON object. Duplicate keys are resolved and reported, see Canonical.
func ParseObject(data []byte) (obj Object, duplicates []string, err error) {
	out, duplicates, err := Canonical(data)
	if err != nil {
		return nil, nil, err
	}
	if len(out) == 0 || out[0] != '{' {
		return nil, nil, &SyntaxError{Reason: fmt.Sprintf("json: cannot unmarshal %s into a Kubernetes object", gjson.ParseBytes(out).Type)}
	}
	return out, duplicates, nil
}

// Same tells whether two objects are the same bytes at the same place: nothing has changed.
func (o Object) Same(other Object) bool {
	return len(o) == len(other) && unsafe.SliceData(o) == unsafe.SliceData(other)
}

// find returns where a member of the object at i begins, and where its value does; -1 when there is none. Neither the rest of
// the object nor the value is looked at.
func (o Object) find(i int, key string) (begin, value int) {
	if i < 0 || i >= len(o) || o[i] != '{' {
		return -1, -1
	}
	for i++; i < len(o) && o[i] == '"'; {
		keyEnd := skipString(o, i)
		switch found := o[i+1 : keyEnd-1]; {
		case string(found) == key:
			return i, keyEnd + 1
		case string(found) > key:
			return -1, -1
		}
		if i = skipValue(o, keyEnd+1); i < len(o) && o[i] == ',' {
			i++
		}
	}
	return -1, -1
}

// field finds the raw value of a top-level key without taking the rest apart.
func (o Object) field(key string) []byte {
	_, value := o.find(0, key)
	return o.valueAt(value)
}

// member finds the raw value of a key of metadata.
func (o Object) member(key string) []byte {
	_, metadata := o.find(0, "metadata")
	_, value := o.find(metadata, key)
	return o.valueAt(value)
}

// valueAt is the raw value at i, nil where that is nowhere.
func (o Object) valueAt(i int) []byte {
	if i < 0 {
		return nil
	}
	return o[i:skipValue(o, i)]
}

// Fields takes the object apart by one level.
func (o Object) Fields() Fields { return ParseFields(o) }

// Meta takes metadata apart.
func (o Object) Meta() Fields { return ParseFields(o.field("metadata")) }

// WithMeta is the object with another metadata.
func (o Object) WithMeta(meta Fields) Object { return o.With("metadata", meta.Raw()) }

// With is the object with another raw value under a top-level key; nil drops the key.
func (o Object) With(key string, raw []byte) Object {
	fields := o.Fields()
	fields.Set(key, raw)
	return fields.Raw()
}

// Get reads the value at a path of keys.
func (o Object) Get(path ...string) gjson.Result {
	at := 0
	for _, key := range path {
		if _, at = o.find(at, keyText(key)); at < 0 {
			return gjson.Result{}
		}
	}
	return gjson.ParseBytes(o.valueAt(at))
}

// keyText is how a key stands between the quotes.
func keyText(key string) string {
	for i := range len(key) {
		if key[i] < ' ' || key[i] == '"' || key[i] == '\\' {
			q := quoted(key)
			return string(q[1 : len(q)-1])
		}
	}
	return key
}

// APIVersion is apiVersion, or "".
func (o Object) APIVersion() string { return unquote(o.field("apiVersion")) }

// Kind is kind, or "".
func (o Object) Kind() string { return unquote(o.field("kind")) }

// Name is metadata.name, or "".
func (o Object) Name() string { return o.meta("name") }

// Namespace is metadata.namespace, or "".
func (o Object) Namespace() string { return o.meta("namespace") }

// UID is metadata.uid, or "".
func (o Object) UID() string { return o.meta("uid") }

// ResourceVersion is metadata.resourceVersion, or "".
func (o Object) ResourceVersion() string { return o.meta("resourceVersion") }

func (o Object) meta(key string) string {
	return unquote(o.member(key))
}

// Deleting tells whether a deletionTimestamp is set.
func (o Object) Deleting() bool {
	ts := o.member("deletionTimestamp")
	return len(ts) > 0 && !bytes.Equal(ts, null)
}

// Stored is the object as it goes into the storage: without resourceVersion and selfLink.
func (o Object) Stored() Object {
	_, metadata := o.find(0, "metadata")
	version, _ := o.find(metadata, "resourceVersion")
	link, _ := o.find(metadata, "selfLink")
	if version < 0 && link < 0 {
		return o
	}
	p := o.parts()
	p.take("resourceVersion")
	p.take("selfLink")
	return p.object()
}

// AppendServed appends the object as it is served: with its resourceVersion spliced into the stored bytes.
func (o Object) AppendServed(out []byte, revision int64) []byte {
	return o.appendServedAt(out, revision, o.versionPlace())
}

// Served is the object with its resourceVersion.
func (o Object) Served(revision int64) Object {
	return o.AppendServed(make([]byte, 0, len(o)+40), revision)
}
