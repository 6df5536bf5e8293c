package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

func (w *world) jsonPatch(text string) engine.Change {
	w.Helper()
	patch, err := engine.NewJSONPatch([]byte(text))
	if err != nil {
		w.Fatal(err)
	}
	return patch
}

const patched = `{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"size":1,"parts":[{"n":1,"name":"p"},{"n":2,"name":"q"}]}}`

func TestPatches(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*world) engine.Change
		spec   string
		labels string
	}{
		{"merge", func(w *world) engine.Change {
			return engine.MergePatch{Patch: w.object(`{"metadata":{"labels":{"y":"2","x":null}},"spec":{"size":5,"parts":null}}`)}
		}, `{"color":"red","size":5}`, `{"y":"2"}`},
		{"merge replaces lists", func(w *world) engine.Change {
			return engine.MergePatch{Patch: w.object(`{"spec":{"parts":[{"name":"r"}]}}`)}
		}, `{"color":"red","parts":[{"name":"r"}],"size":1}`, `{"x":"1"}`},
		{"json", func(w *world) engine.Change {
			return w.jsonPatch(`[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":7},{"op":"remove","path":"/spec/parts/0"},{"op":"add","path":"/metadata/labels/z~1z","value":"3"}]`)
		}, `{"color":"red","parts":[{"n":2,"name":"q"}],"size":7}`, `{"x":"1","z/z":"3"}`},
		{"json copy and move", func(w *world) engine.Change {
			return w.jsonPatch(`[{"op":"copy","from":"/spec/parts/0","path":"/spec/parts/-"},{"op":"move","from":"/spec/size","path":"/spec/replicas"}]`)
		}, `{"color":"red","parts":[{"n":1,"name":"p"},{"n":2,"name":"q"},{"n":1,"name":"p"}],"replicas":1}`, `{"x":"1"}`},
		{"strategic", func(w *world) engine.Change {
			return engine.StrategicPatch{Patch: w.object(`{"spec":{"parts":[{"name":"q","n":9},{"name":"p","$patch":"delete"},{"name":"r","n":3}]}}`)}
		}, `{"color":"red","parts":[{"n":9,"name":"q"},{"n":3,"name":"r"}],"size":1}`, `{"x":"1"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.create(patched)
			result, err := w.change("a", "", c.change(w))
			if err != nil {
				t.Fatal(err)
			}
			is(t, result.Object, "spec", c.spec)
			is(t, result.Object, "metadata.labels", c.labels)
		})
	}
}

func TestPatchesThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*world) engine.Change
		check  func(*testing.T, error)
	}{
		{"failed test", func(w *world) engine.Change { return w.jsonPatch(`[{"op":"test","path":"/spec/size","value":2}]`) },
			func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"missing path", func(w *world) engine.Change { return w.jsonPatch(`[{"op":"remove","path":"/spec/none"}]`) },
			func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"index out of bounds", func(w *world) engine.Change {
			return w.jsonPatch(`[{"op":"add","path":"/spec/parts/9999999999","value":{}}]`)
		},
			func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"copies without end", func(w *world) engine.Change {
			op := `{"op":"copy","from":"/spec/parts","path":"/spec/parts/-"}`
			return w.jsonPatch("[" + op + strings.Repeat(","+op, 40) + "]")
		}, func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"the whole object becomes a list", func(w *world) engine.Change { return w.jsonPatch(`[{"op":"replace","path":"","value":[]}]`) },
			func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"another name", func(w *world) engine.Change { return engine.MergePatch{Patch: w.object(`{"metadata":{"name":"b"}}`)} },
			func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
		{"another uid", func(w *world) engine.Change { return engine.MergePatch{Patch: w.object(`{"metadata":{"uid":"b"}}`)} },
			func(t *testing.T, err error) {
				invalid(t, err, "metadata.uid: Invalid value: \"b\": field is immutable")
			}},
		{"a stale resourceVersion", func(w *world) engine.Change {
			return engine.MergePatch{Patch: w.object(`{"metadata":{"resourceVersion":"1"}}`)}
		}, func(t *testing.T, err error) { failsAs[*engine.ConflictError](t, err) }},
		{"a wrong type", func(w *world) engine.Change { return engine.MergePatch{Patch: w.object(`{"spec":{"size":"big"}}`)} },
			func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
		{"a bad directive", func(w *world) engine.Change {
			return engine.StrategicPatch{Patch: w.object(`{"spec":{"parts":[{"$patch":"explode"}]}}`)}
		}, func(t *testing.T, err error) { failsAs[*engine.PatchError](t, err) }},
		{"an element without its key", func(w *world) engine.Change {
			return engine.StrategicPatch{Patch: w.object(`{"spec":{"parts":[{"n":4}]}}`)}
		}, func(t *testing.T, err error) {
			if err == nil {
				t.Error("it was taken")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.create(patched)
			w.writesNothing(func() {
				_, err := w.change("a", "", c.change(w))
				c.check(t, err)
			})
		})
	}
}

func TestJSONPatchLimits(t *testing.T) {
	op := `{"op":"add","path":"/spec/size","value":1}`
	many := func(n int) []byte { return []byte("[" + op + strings.Repeat(","+op, n-1) + "]") }
	if _, err := engine.NewJSONPatch(many(engine.MaxPatchOperations)); err != nil {
		t.Error(err)
	}
	_, err := engine.NewJSONPatch(many(engine.MaxPatchOperations + 1))
	fails[*engine.PatchTooLargeError](t, err, fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", engine.MaxPatchOperations, engine.MaxPatchOperations+1))
	for _, bad := range []string{"", "{}", "[1]", `"x"`, "[", `[{"op":`} {
		_, err := engine.NewJSONPatch([]byte(bad))
		if failsAs[*engine.BadRequestError](t, err); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestPatchThatChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.create(patched)
	w.writesNothing(func() {
		for _, change := range []engine.Change{
			engine.MergePatch{Patch: w.object(`{}`)}, engine.MergePatch{Patch: w.object(`{"spec":{"size":1}}`)},
			w.jsonPatch(`[]`), engine.StrategicPatch{Patch: w.object(`{"spec":{"parts":[{"name":"p","n":1}]}}`)},
		} {
			if _, err := w.change("a", "", change); err != nil {
				t.Errorf("%T: %v", change, err)
			}
		}
	})
}

func TestPatchKeepsWhatItDoesNotName(t *testing.T) {
	w := newWorld(t)
	w.create(patched)
	before := w.get("a")
	result, err := w.change("a", "", engine.MergePatch{Patch: w.object(`{"spec":{"replicas":12345678901234567890}}`)})
	if err == nil {
		t.Fatalf("an integer that does not fit was taken: %s", result.Object)
	}
	if result, err = w.change("a", "", engine.MergePatch{Patch: w.object(`{"spec":{"replicas":9007199254740993}}`)}); err != nil {
		t.Fatal(err)
	}
	is(t, result.Object, "spec.replicas", "9007199254740993")
	is(t, result.Object, "spec.parts", before.Get("spec", "parts").Raw)
}
