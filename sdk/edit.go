package sdk

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Set puts a value at a path: nil, a string, a bool, a number, []string, []any, map[string]string,
// map[string]any, a Value or an *Object. It panics on a value of any other type.
//
//   - Objects that the path lacks are made; a scalar that is in its way gives way to an object.
//   - An index at or behind the end of an array appends.
//   - Setting what is there already changes nothing.
func (o *Object) Set(value any, path ...string) {
	raw, ok := jsontext.Append(nil, value)
	if !ok {
		panic("sdk: Set " + strings.Join(path, ".") + ": the value has a type that cannot be written as JSON")
	}
	o.SetRaw(string(raw), path...)
}

// SetRaw is Set with a JSON text, which must be valid.
func (o *Object) SetRaw(json string, path ...string) {
	o.mayChange()
	if len(path) == 0 {
		*o = Object{text: json, changed: o.changed || json != o.Raw()}
		return
	}
	i := o.find(path[0])
	if i < 0 {
		o.fields = append(o.fields, member{path[0], nest(path[1:], json)})
		o.touch()
		return
	}
	if raw := setRaw(o.fields[i].raw, path[1:], json); raw != o.fields[i].raw {
		o.fields[i].raw = raw
		o.touch()
	}
}

// SetDefault is Set where there is nothing, or null; it tells whether that was so.
func (o *Object) SetDefault(value any, path ...string) bool {
	if !o.Get(path...).IsNull() {
		return false
	}
	o.Set(value, path...)
	return true
}

// Append puts a value behind the last of the array at a path; the array is made when there is none.
func (o *Object) Append(value any, path ...string) {
	raw, ok := jsontext.Append(nil, value)
	if !ok {
		panic("sdk: Append " + strings.Join(path, ".") + ": the value has a type that cannot be written as JSON")
	}
	list := strings.TrimSpace(o.Get(path...).Raw())
	if !strings.HasPrefix(list, "[") {
		o.SetRaw("["+string(raw)+"]", path...)
		return
	}
	items := strings.TrimRight(list[:len(list)-1], " \t\r\n")
	if items != "[" {
		items += ","
	}
	o.SetRaw(items+string(raw)+"]", path...)
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
		list := o.Get(path...)
		done, changed := false, false
		dst := make([]byte, 0, len(list.Raw())+64)
		for i, item := range list.Items() {
			raw := item.Raw()
			if item.IsObject() && !done {
				part := &Object{text: raw, frozen: o.frozen}
				done = !yield(i, part)
				changed = changed || part.changed
				raw = part.Raw()
			}
			dst = append(append(dst, ','), raw...)
		}
		if changed {
			dst[0] = '['
			o.SetRaw(string(append(dst, ']')), path...)
		}
	}
}

func (o *Object) touch() { o.stale, o.changed = true, true }

func (o *Object) mayChange() {
	if o.frozen != "" {
		panic("sdk: change of a read-only object: " + o.frozen)
	}
}

// setRaw is json with the value at path replaced by, or made to be, raw.
func setRaw(json string, path []string, raw string) string {
	whole := gjson.Parse(json)
	for n := len(path); n >= 0; n-- {
		at := lookup(whole, path[:n])
		if n > 0 && !at.Exists() {
			continue
		}
		switch rest := path[n:]; {
		case len(rest) == 0:
		case at.IsObject():
			raw, _ = sjson.SetRaw(at.Raw, ":"+escapeKey(rest[0]), nest(rest[1:], raw))
		case at.IsArray() && isIndex(rest[0]):
			raw, _ = sjson.SetRaw(at.Raw, "-1", nest(rest[1:], raw))
		default:
			raw = nest(rest, raw)
		}
		return splice(json, at, raw)
	}
	return json
}

// deleteRaw is json without the value at path, which is there.
func deleteRaw(json string, path []string) string {
	last := len(path) - 1
	parent := lookup(gjson.Parse(json), path[:last])
	brackets, dst := "[]", make([]byte, 0, len(parent.Raw))
	if parent.IsObject() {
		brackets = "{}"
	}
	i := -1
	parent.ForEach(func(key, value gjson.Result) bool {
		i++
		name := key.Str
		if brackets == "[]" {
			name = strconv.Itoa(i)
		}
		if name == path[last] {
			return true
		}
		dst = append(dst, ',')
		if brackets == "{}" {
			dst = append(append(dst, key.Raw...), ':')
		}
		dst = append(dst, value.Raw...)
		return true
	})
	rest := string(dst)
	if rest != "" {
		rest = rest[1:]
	}
	return splice(json, parent, brackets[:1]+rest+brackets[1:])
}

// splice is json with the part that at stands for replaced by raw.
func splice(json string, at gjson.Result, raw string) string {
	if at.Raw == raw {
		return json
	}
	allocated(len(json) + len(raw))
	return json[:at.Index] + raw + json[at.Index+len(at.Raw):]
}

// escapeKey makes a key one plain segment of sjson's paths.
func escapeKey(key string) string {
	if plain(key) {
		return key
	}
	return gjson.Escape(key)
}
