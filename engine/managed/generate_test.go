package managed

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stratagem-dev/stratagem/engine/schema"
)

// shape is a random type: its schema document, and how to make values of it.
type shape struct {
	doc map[string]any
	// value makes a value, out of an older one or of nothing.
	value func(r *rand.Rand, old any) any
}

var fieldNames = []string{"alpha", "beta", "gamma", "del<ta", "epsi\"lon", "ζ"}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// scalarShape makes values from a small set, so that they meet again.
func scalarShape(r *rand.Rand) shape {
	switch r.IntN(5) {
	case 0:
		return shape{map[string]any{"type": "integer"}, func(r *rand.Rand, _ any) any { return int64(r.IntN(3)) }}
	case 1:
		return shape{map[string]any{"type": "number"}, func(r *rand.Rand, _ any) any { return pick(r, 0.5, 1, 1e21) }}
	case 2:
		return shape{map[string]any{"type": "boolean"}, func(r *rand.Rand, _ any) any { return r.IntN(2) == 0 }}
	case 3:
		return shape{map[string]any{"x-kubernetes-int-or-string": true}, func(r *rand.Rand, _ any) any { return pick[any](r, int64(1), "1", "50%") }}
	}
	return shape{map[string]any{"type": "string"}, func(r *rand.Rand, _ any) any { return pick(r, "", "x", "y", "<&>", `"\`, "é") }}
}

func randomShape(r *rand.Rand, depth int) shape {
	if depth == 0 {
		return scalarShape(r)
	}
	switch r.IntN(9) {
	case 0, 1:
		return objectShape(r, depth, nil)
	case 2:
		return mapShape(r, depth)
	case 3, 4:
		return keyedShape(r, depth)
	case 5:
		return setShape(r)
	case 6:
		items := randomShape(r, depth-1)
		doc := map[string]any{"type": "array", "items": items.doc}
		return shape{doc, func(r *rand.Rand, old any) any { return list(r, items, old, r.IntN(3)) }}
	case 7:
		return shape{map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, func(r *rand.Rand, _ any) any { return anyValue(r, 2) }}
	}
	return scalarShape(r)
}

// objectShape is an object with named fields, some of which it may be given.
func objectShape(r *rand.Rand, depth int, given map[string]shape) shape {
	fields := maps.Clone(given)
	if fields == nil {
		fields = map[string]shape{}
	}
	for _, name := range fieldNames {
		if r.IntN(2) == 0 {
			fields[name] = randomShape(r, depth-1)
		}
	}
	if len(fields) == 0 {
		fields["alpha"] = scalarShape(r)
	}
	properties := map[string]any{}
	for name, field := range fields {
		properties[name] = field.doc
	}
	doc := map[string]any{"type": "object", "properties": properties}
	if given == nil && r.IntN(4) == 0 {
		doc["x-kubernetes-map-type"] = pick(r, "atomic", "granular")
	}
	names := slices.Sorted(maps.Keys(fields))
	return shape{doc, func(r *rand.Rand, old any) any {
		out := copied(old)
		for _, name := range names {
			change(r, out, name, fields[name])
		}
		return out
	}}
}

func mapShape(r *rand.Rand, depth int) shape {
	values := randomShape(r, depth-1)
	doc := map[string]any{"type": "object", "additionalProperties": values.doc}
	return shape{doc, func(r *rand.Rand, old any) any {
		out := copied(old)
		for _, name := range fieldNames {
			change(r, out, name, values)
		}
		return out
	}}
}

// change adds, changes or removes a member, or leaves it as it is.
func change(r *rand.Rand, object map[string]any, name string, s shape) {
	switch r.IntN(6) {
	case 0, 1:
		object[name] = s.value(r, object[name])
	case 2:
		object[name] = s.value(r, nil)
	case 3:
		delete(object, name)
	}
}

func copied(old any) map[string]any {
	if object, ok := old.(map[string]any); ok && object != nil {
		return maps.Clone(object)
	}
	return map[string]any{}
}

func setShape(r *rand.Rand) shape {
	items := scalarShape(r)
	return shape{map[string]any{"type": "array", "items": items.doc, "x-kubernetes-list-type": "set"}, func(r *rand.Rand, old any) any {
		return list(r, items, old, r.IntN(4))
	}}
}

// keyedShape is a list whose elements have keys, of which one may have a default.
func keyedShape(r *rand.Rand, depth int) shape {
	port := shape{map[string]any{"type": "integer"}, func(r *rand.Rand, _ any) any { return pick[any](r, int64(80), int64(443), 1.5) }}
	protocol := shape{map[string]any{"type": "string"}, func(r *rand.Rand, _ any) any { return pick(r, "TCP", "U<P") }}
	keys, given := []any{"port"}, map[string]shape{"port": port}
	if r.IntN(2) == 0 {
		keys, given["protocol"] = []any{"protocol", "port"}, protocol
		if r.IntN(2) == 0 {
			protocol.doc["default"] = "TCP"
		}
	}
	element := objectShape(r, depth, given)
	doc := map[string]any{"type": "array", "items": element.doc}
	if len(keys) == 1 && r.IntN(4) == 0 {
		doc["x-kubernetes-patch-strategy"], doc["x-kubernetes-patch-merge-key"] = "merge", "port"
	} else {
		doc["x-kubernetes-list-type"], doc["x-kubernetes-list-map-keys"] = "map", keys
	}
	return shape{doc, func(r *rand.Rand, old any) any {
		out := list(r, element, old, r.IntN(4))
		for _, e := range out {
			if e := e.(map[string]any); e["port"] == nil && r.IntN(200) > 0 {
				e["port"] = port.value(r, nil)
			}
		}
		return out
	}}
}

// list makes some new elements and keeps some of the old ones, in any order.
func list(r *rand.Rand, items shape, old any, n int) []any {
	out := []any{}
	kept, _ := old.([]any)
	for _, e := range kept {
		switch r.IntN(4) {
		case 0:
		case 1:
			out = append(out, items.value(r, e))
		default:
			out = append(out, e)
		}
	}
	for range n {
		out = append(out, items.value(r, nil))
	}
	if r.IntN(3) == 0 {
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

func anyValue(r *rand.Rand, depth int) any {
	out := map[string]any{}
	for _, name := range fieldNames {
		switch r.IntN(4) {
		case 0:
			out[name] = scalarShape(r).value(r, nil)
		case 1:
			if depth > 0 {
				out[name] = pick(r, anyValue(r, depth-1), any([]any{anyValue(r, 0), "x"}), nil)
			}
		}
	}
	return out
}

// otherwise is a document with some list and map types changed.
func otherwise(r *rand.Rand, doc any) any {
	switch doc := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range doc {
			out[key] = otherwise(r, value)
		}
		if out["x-kubernetes-list-type"] != nil && r.IntN(2) == 0 {
			delete(out, "x-kubernetes-list-map-keys")
			out["x-kubernetes-list-type"] = "atomic"
		}
		if properties, ok := out["properties"].(map[string]any); ok && properties["spec"] == nil && r.IntN(4) == 0 {
			out["x-kubernetes-map-type"] = "atomic"
		}
		return out
	case []any:
		return doc
	}
	return doc
}

// compileDoc compiles the types of a version.
func compileDoc(t testing.TB, doc any, apiVersion string) *Types {
	t.Helper()
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.Compile(raw, nil)
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	types, err := Compile(compiled, apiVersion, "Thing")
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return types
}

// randomObject makes the next state of an object.
func randomObject(r *rand.Rand, root shape, old map[string]any, apiVersion string) map[string]any {
	out := root.value(r, old).(map[string]any)
	out["apiVersion"], out["kind"] = apiVersion, "Thing"
	meta := copied(old["metadata"])
	meta["name"], meta["uid"] = "thing", "1-2-3"
	labels := copied(meta["labels"])
	label := scalarShape(r)
	for label.doc["type"] != "string" {
		label = scalarShape(r)
	}
	change(r, labels, pick(r, "app", "k8s.io/tier"), label)
	meta["labels"] = labels
	if r.IntN(3) == 0 {
		meta["finalizers"] = list(r, label, meta["finalizers"], 1)
	}
	if r.IntN(4) == 0 {
		meta["generation"] = int64(r.IntN(9))
		meta["ownerReferences"] = []any{map[string]any{"uid": fmt.Sprint(r.IntN(3)), "name": "x"}}
	}
	out["metadata"] = meta
	return out
}

// objectRoot is the shape of whole objects.
func objectRoot(r *rand.Rand) shape {
	spec, status := objectShape(r, 4, nil), objectShape(r, 2, nil)
	delete(spec.doc, "x-kubernetes-map-type")
	return objectShape(r, 0+1, map[string]shape{"spec": spec, "status": status})
}

// metaDoc is what of metadata's schema distinct has to know.
var metaDoc = map[string]any{"properties": map[string]any{
	"finalizers": map[string]any{"x-kubernetes-list-type": "set"},
}}

// distinct drops the elements of lists whose keys or values others have as well.
func distinct(doc, value any) any {
	d, _ := doc.(map[string]any)
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		properties, _ := d["properties"].(map[string]any)
		for key, v := range value {
			if below, ok := properties[key]; ok {
				out[key] = distinct(below, v)
			} else {
				out[key] = distinct(d["additionalProperties"], v)
			}
		}
		return out
	case []any:
		keys, isMap := d["x-kubernetes-list-map-keys"].([]any)
		if d["x-kubernetes-patch-merge-key"] != nil {
			keys, isMap = []any{d["x-kubernetes-patch-merge-key"]}, true
		}
		out, seen := []any{}, map[string]bool{}
		for _, e := range value {
			identity := fmt.Sprint(e)
			if isMap {
				identity = ""
				for _, key := range keys {
					v := e.(map[string]any)[key.(string)]
					if v == nil && key == "protocol" {
						v = "TCP" // if it is a default
					}
					identity += fmt.Sprint(v, "/")
				}
			}
			if (isMap || d["x-kubernetes-list-type"] == "set") && seen[identity] {
				continue
			}
			seen[identity] = true
			out = append(out, distinct(d["items"], e))
		}
		return out
	}
	return value
}
