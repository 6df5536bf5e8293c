package sdk

import (
	"strings"
	"unsafe"

	"github.com/tidwall/sjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
	"github.com/stratagem-dev/stratagem/sdk/internal/scan"
)

// smallValue is the length up to which a value is written without an allocation of its own.
const smallValue = 64

// Set puts a value at a path: nil, a string, a bool, a number, []string, []any, map[string]string,
// map[string]any, a Value or an *Object. It panics on a value of any other type.
//
//   - Objects that the path lacks are made; a scalar that is in its way gives way to an object.
//   - An index at or behind the end of an array appends.
//   - Setting what is there already changes nothing.
func (o *Object) Set(value any, path ...string) {
	var small [smallValue]byte
	raw, ok := jsontext.AppendFlat(small[:0], value)
	if !ok {
		if raw, ok = jsontext.Append(nil, value); !ok {
			panic("sdk: Set " + strings.Join(path, ".") + ": the value has a type that cannot be written as JSON")
		}
	}
	o.set(raw, path)
}

// SetRaw is Set with a JSON text, which must be valid.
func (o *Object) SetRaw(json string, path ...string) {
	json = scan.Trim(json)
	if len(path) != 1 {
		o.set(unsafe.Slice(unsafe.StringData(json), len(json)), path)
		return
	}
	o.mayChange()
	switch i := o.find(path[0]); {
	case i < 0:
		o.fields = append(o.fields, member{path[0], json})
		o.touch()
	case o.fields[i].raw != json:
		o.fields[i].raw = json
		o.touch()
	}
}

// set is SetRaw with a JSON text that is copied.
func (o *Object) set(raw []byte, path []string) {
	o.mayChange()
	if len(path) == 0 {
		*o = Object{text: string(raw), changed: o.changed || string(raw) != o.Raw()}
		return
	}
	i := o.find(path[0])
	if i < 0 {
		value := appendNested(make([]byte, 0, room(path[1:], raw)), path[1:], raw)
		o.fields = append(o.fields, member{path[0], text(value)})
		o.touch()
		return
	}
	at, rest := reach(o.fields[i].raw, path[1:])
	o.put(raw, i, at, rest)
}

// put is set where the way to the value is known: the top-level field, and what reach says.
func (o *Object) put(raw []byte, field, at int, rest []string) {
	if value, changed := setRaw(o.fields[field].raw, at, rest, raw); changed {
		o.fields[field].raw = value
		o.touch()
	}
}

// SetDefault is Set where there is nothing, or null; it tells whether that was so.
func (o *Object) SetDefault(value any, path ...string) bool {
	i := -1
	if len(path) > 0 {
		i = o.find(path[0])
	}
	if i < 0 {
		if len(path) == 0 && !o.Get().IsNull() {
			return false
		}
		o.Set(value, path...)
		return true
	}
	at, rest := reach(o.fields[i].raw, path[1:])
	if len(rest) == 0 && scan.KindOf(o.fields[i].raw[at:]) > scan.Null {
		return false
	}
	o.mayChange()
	var small [smallValue]byte
	raw, ok := jsontext.AppendFlat(small[:0], value)
	if !ok {
		o.Set(value, path...)
		return true
	}
	o.put(raw, i, at, rest)
	return true
}

// Append puts a value behind the last of the array at a path; the array is made when there is none.
func (o *Object) Append(value any, path ...string) {
	var small [smallValue]byte
	raw, ok := jsontext.AppendFlat(small[:0], value)
	if !ok {
		if raw, ok = jsontext.Append(nil, value); !ok {
			panic("sdk: Append " + strings.Join(path, ".") + ": the value has a type that cannot be written as JSON")
		}
	}
	list := o.Get(path...)
	dst := make([]byte, 0, len(list.raw)+len(raw)+2)
	if list.IsArray() {
		dst = append(dst, strings.TrimRight(list.raw[:len(list.raw)-1], " \t\r\n")...)
	} else {
		dst = append(dst, '[')
	}
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	o.SetRaw(text(append(append(dst, raw...), ']')), path...)
}

// Delete removes the value at a path, if there is one.
func (o *Object) Delete(path ...string) {
	o.mayChange()
	if len(path) == 0 || !o.Exists(path...) {
		return
	}
	i := o.find(path[0])
	if len(path) == 1 {
		o.fields = append(o.fields[:i:i], o.fields[i+1:]...)
	} else {
		o.fields[i].raw = deleteRaw(o.fields[i].raw, path[1:])
	}
	o.touch()
}

// Edit hands out the object at a path to be changed, and puts it back after the loop's body, once
// for all changes. It does not run when there is no object at the path.
//
//	for spec := range obj.Edit("spec", "template", "spec") {
//		defaultPodSpec(spec)
//	}
func (o *Object) Edit(path ...string) func(yield func(*Object) bool) {
	return func(yield func(*Object) bool) {
		v := o.Get(path...)
		if !v.IsObject() {
			return
		}
		part := &Object{text: v.Raw(), frozen: o.frozen}
		yield(part)
		if part.changed {
			o.SetRaw(part.Raw(), path...)
		}
	}
}

// EditEach hands out the objects of the array at a path, one after the other, to be changed, and
// puts the array back when the loop ends, once for all changes. Other items stay as they are.
//
//	for _, container := range spec.EditEach("containers") {
//		container.SetDefault("IfNotPresent", "imagePullPolicy")
//	}
func (o *Object) EditEach(path ...string) func(yield func(int, *Object) bool) {
	return func(yield func(int, *Object) bool) {
		v := o.Get(path...)
		if !v.IsArray() {
			return
		}
		var dst []byte // the array as it is now, up to copied
		list, copied, more := v.raw, 0, true
		for i, n := scan.First(list, 0), 0; i >= 0 && more; n++ {
			end := scan.End(list, i)
			if end >= 0 && list[i] == '{' {
				part := &Object{text: list[i:end], frozen: o.frozen}
				more = yield(n, part)
				if part.changed {
					if dst == nil {
						dst = make([]byte, 0, len(list)+part.size())
					}
					dst = part.appendRaw(append(dst, list[copied:i]...))
					copied = end
				}
			}
			i = scan.Next(list, end)
		}
		if dst != nil {
			o.SetRaw(text(append(dst, list[copied:]...)), path...)
		}
	}
}

func (o *Object) touch() { o.stale, o.changed = true, true }

func (o *Object) mayChange() {
	if o.frozen != "" {
		panic("sdk: change of a read-only object: " + o.frozen)
	}
}

// setRaw is json with the value at at, or what it lacks of the path that is left, replaced by, or made to be, raw; changed
// is false when it is so already.
func setRaw(json string, at int, rest []string, raw []byte) (result string, changed bool) {
	end := scan.End(json, at)
	switch {
	case end < 0:
		at, end = 0, len(json)
	case len(rest) == 0 && json[at:end] == string(raw):
		return json, false
	}
	allocated(len(json) + len(raw))
	dst := make([]byte, 0, len(json)+room(rest, raw))
	switch kind := scan.KindOf(json[at:]); {
	case len(rest) > 0 && kind == scan.Object:
		dst = append(dst, json[:end-1]...) // up to the brace
		if scan.First(json, at) >= 0 {
			dst = append(dst, ',')
		}
		dst = append(jsontext.AppendString(dst, rest[0]), ':')
		dst = appendNested(dst, rest[1:], raw)
		end--
	case len(rest) > 0 && kind == scan.Array && isIndex(rest[0]):
		longer, err := sjson.SetRaw(json[at:end], "-1", string(appendNested(nil, rest[1:], raw)))
		if err != nil {
			longer = json[at:end]
		}
		dst = append(append(dst, json[:at]...), longer...)
	default:
		dst = appendNested(append(dst, json[:at]...), rest, raw)
	}
	return text(append(dst, json[end:]...)), true
}

// deleteRaw is json without the value at path, which is there, and without a comma of its own.
func deleteRaw(json string, path []string) string {
	parent, last := lookup(json, path[:len(path)-1]), path[len(path)-1]
	from, value := scan.Find(json, parent, last)
	if json[parent] == '[' {
		value = scan.Item(json, parent, scan.Index(last))
		from = value
	}
	to := scan.End(json, value)
	if next := scan.Next(json, to); next >= 0 {
		to = next
	} else if before := strings.TrimRight(json[:from], " \t\r\n"); strings.HasSuffix(before, ",") {
		from = len(before) - 1
	}
	allocated(len(json))
	return json[:from] + json[to:]
}
