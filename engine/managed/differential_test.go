package managed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/klog/v2"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// world is what a sequence of writes happens in.
type world struct {
	t        testing.TB
	versions map[string]*Types
	step     int

	untracked int
}

func (w *world) write(obj, old map[string]any, manager, subresource, apiVersion string, scope Scope) *Write {
	write := &Write{
		Types: w.versions[apiVersion], Manager: manager, Subresource: subresource, Scope: scope,
		Time: time.Date(2020, 1, 1, 0, 0, w.step, 0, time.UTC),
		Versions: func(apiVersion string) (*Types, error) {
			return w.versions[apiVersion], nil
		},
		Convert: func(obj []byte, apiVersion string) ([]byte, error) {
			return splice(obj, "apiVersion", []byte(`"`+apiVersion+`"`)), nil
		},
	}
	write.New = w.canonical(obj)
	if old != nil {
		write.Old = w.canonical(old)
	}
	return write
}

func (w *world) canonical(obj map[string]any) []byte {
	raw, err := jsontext.AppendTree(nil, obj)
	if err != nil {
		w.t.Fatal(err)
	}
	return raw
}

// theirs is what Kubernetes' field manager makes of a write, and whether it can tell the elements of all lists apart. Where it cannot,
// it keeps the old managedFields.
func (w *world) theirs(write *Write) (fields []byte, tracked bool) {
	old := write.Old
	if old == nil {
		old = write.Types.identity()
	}
	live, err := decodeObject(old)
	if err != nil {
		w.t.Fatal(err)
	}
	obj, err := decodeObject(write.New)
	if err != nil {
		w.t.Fatal(err)
	}
	manager, err := write.fieldManager(&converter{write: write}, slices.Collect(maps.Keys(w.versions)))
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := manager.Update(live.DeepCopy(), obj, write.Manager)
	if tracked = err == nil; !tracked {
		out = live
	}
	entries := out.(*unstructured.Unstructured).GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Year() > 2025 {
			entries[i].Time = &metav1.Time{Time: write.Time}
		}
	}
	if len(entries) == 0 {
		return nil, tracked
	}
	raw, err := json.Marshal(entries)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.normal(raw), tracked
}

// normal writes managedFields as this package writes them, whoever wrote them.
func (w *world) normal(raw []byte) []byte {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var decoded any
	if err := kjson.Unmarshal(raw, &decoded); err != nil {
		w.t.Fatal(err)
	}
	plain, err := jsontext.AppendTree(nil, decoded)
	if err != nil {
		w.t.Fatal(err)
	}
	tree := &tree{}
	entries, err := tree.decodeEntries(nil, plain)
	if err != nil {
		w.t.Fatalf("%v in %s", err, plain)
	}
	for i := range entries {
		entries[i].raw = nil
	}
	sortEntries(entries)
	return tree.appendEntries(nil, entries)
}

// ours is what this package makes of a write.
func (w *world) ours(write *Write) (fields []byte, tracked bool) {
	raw, err := write.Update()
	if raw == nil || err != nil {
		return nil, err == nil
	}
	return w.normal(raw), true
}

// setFields puts managedFields into an object, nil removing them.
func setFields(t testing.TB, obj map[string]any, raw []byte) {
	meta := copied(obj["metadata"])
	delete(meta, "managedFields")
	if raw != nil {
		var fields any
		if err := kjson.Unmarshal(raw, &fields); err != nil {
			t.Fatal(err)
		}
		meta["managedFields"] = fields
	}
	obj["metadata"] = meta
}

// sent are managedFields that clients may send.
var sent = []string{
	`[]`, `[{}]`, `[{"manager":""}]`, `[{"operation":"Nope"}]`,
	`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:alpha":{},".":null,"x:y":{}},"f:gone":{}},"manager":"client","operation":"Update"}]`,
	`[{"apiVersion":"example.com/v9","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},"manager":"ancestor","operation":"Update"}]`,
	`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV2","fieldsV1":{"f:spec":{}},"manager":"client","operation":"Update"}]`,
	`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"spec":{}},"manager":"client","operation":"Update"}]`,
	`[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{}},"f:name":{}},"f:status":{".":{}}},"manager":"client","operation":"Apply","time":"2019-01-01T02:00:00+02:00"}]`,
}

// run makes a sequence of random writes and compares, after each of them, with Kubernetes.
func run(t testing.TB, seed uint64) (untracked int) {
	r := rand.New(rand.NewPCG(seed, 1))
	root := objectRoot(r)
	w := &world{t: t, versions: map[string]*Types{}}
	docs := []any{root.doc, otherwise(r, root.doc)}
	w.versions["example.com/v1"] = compileDoc(t, docs[0], "example.com/v1")
	w.versions["example.com/v2"] = compileDoc(t, pick(r, docs...), "example.com/v2")
	var old map[string]any
	managers := r.IntN(14) + 1
	// Kubernetes does not track objects with duplicates where managers use several versions.
	several := seed%2 == 0
	for w.step = range 30 {
		if r.IntN(12) == 0 {
			w.versions["example.com/v1"] = compileDoc(t, pick(r, docs...), "example.com/v1")
		}
		apiVersion := "example.com/v1"
		if several {
			apiVersion = pick(r, "example.com/v1", "example.com/v1", "example.com/v2")
		}
		manager := strings.Repeat("m", r.IntN(managers)+1)
		obj := randomObject(r, root, old, apiVersion)
		if several {
			obj = distinct(root.doc, obj).(map[string]any)
			obj["metadata"] = distinct(metaDoc, obj["metadata"])
		}
		if old == nil && r.IntN(2) == 0 {
			setFields(t, obj, []byte(pick(r, sent...)))
		}
		if old != nil {
			old["apiVersion"] = apiVersion
			if r.IntN(8) == 0 {
				setFields(t, obj, slices.Clone([]byte(pick(r, sent[2:]...))))
			}
			if r.IntN(60) == 0 {
				setFields(t, obj, []byte(pick(r, sent[:2]...)))
			}
		}
		subresource, scope := "", Excluding(".status")
		switch r.IntN(5) {
		case 0:
			subresource, scope = "status", Only("status")
		case 1:
			scope = Scope{}
		case 2:
			scope = Excluding(".status", ".spec.alpha", ".spec.beta.gamma")
		}
		write := w.write(obj, old, manager, subresource, apiVersion, scope)
		if several && r.IntN(3) == 0 {
			old = w.apply(write, seed, r.IntN(2) == 0)
			continue
		}
		got, tracked := w.ours(write)
		want, trackedToo := w.theirs(write)
		if !trackedToo {
			got = want // ours does not look into what has not changed
			w.untracked++
		}
		if string(got) != string(want) || trackedToo && !tracked {
			t.Fatalf("seed %d, step %d, %s\nold  %s\nnew  %s\ngot  %s\nwant %s", seed, w.step, manager, write.Old, write.New, got, want)
		}
		if old = obj; got == nil {
			setFields(t, old, nil)
		} else {
			setFields(t, old, got)
		}
	}
	return w.untracked
}

// apply applies the new object of a write, and compares what comes of it with Kubernetes. It returns the object as it is then.
func (w *world) apply(write *Write, seed uint64, force bool) map[string]any {
	config := mustDecode(w.t, withFields(write.New, nil))
	config.SetUID("")
	patch := w.canonical(config.Object)
	old := write.Old
	if old == nil {
		old = write.Types.identity()
	}
	live := mustDecode(w.t, old)
	manager, err := write.fieldManager(&converter{write: write}, slices.Collect(maps.Keys(w.versions)))
	if err != nil {
		w.t.Fatal(err)
	}
	want, wantErr := manager.Apply(live.DeepCopy(), config, write.Manager, force)
	got, err := write.Apply(patch, force)
	if (err == nil) != (wantErr == nil) || err != nil && !sameLines(err.Error(), wantErr.Error()) {
		w.t.Fatalf("seed %d, step %d: got error %v, want %v", seed, w.step, err, wantErr)
	}
	if err != nil {
		if write.Old == nil {
			return nil
		}
		return live.Object
	}
	out := mustDecode(w.t, got)
	out.SetUID("1-2-3")
	expected := want.(*unstructured.Unstructured)
	expected.SetUID("1-2-3")
	owners := expected.GetManagedFields()
	for i := range owners {
		if owners[i].Time == nil && owners[i].Manager == write.Manager {
			owners[i].Time = &metav1.Time{Time: write.Time} // see RATIONALE.md
		}
		if owners[i].Time != nil && owners[i].Time.Year() > 2025 {
			owners[i].Time = &metav1.Time{Time: write.Time}
			if bytes.Equal(got, old) {
				owners[i].Time = live.GetManagedFields()[i].Time // nothing has changed
			}
		}
	}
	expected.SetManagedFields(owners)
	a, b := out.DeepCopy(), expected.DeepCopy()
	a.SetManagedFields(nil)
	b.SetManagedFields(nil)
	if string(w.canonical(a.Object)) != string(w.canonical(b.Object)) {
		w.t.Fatalf("seed %d, step %d, apply\ngot  %s\nwant %s", seed, w.step, w.canonical(a.Object), w.canonical(b.Object))
	}
	raw, err := json.Marshal(owners)
	if err != nil {
		w.t.Fatal(err)
	}
	if x, y := w.normal(fieldsOf(got)), w.normal(raw); !bytes.Equal(got, old) && string(x) != string(y) {
		w.t.Fatalf("seed %d, step %d, apply\nold  %s\npatch %s\ngot  %s\nwant %s", seed, w.step, old, patch, x, y)
	}
	return out.Object
}

// sameLines compares texts whose lines come in any order, as conflicts do.
func sameLines(a, b string) bool {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

func TestManyManagersAgreeWithKubernetes(t *testing.T) {
	w := &world{t: t, versions: map[string]*Types{}}
	for _, apiVersion := range []string{"example.com/v1", "example.com/v2", "example.com/v3"} {
		w.versions[apiVersion] = compileDoc(t, map[string]any{"type": "object"}, apiVersion)
	}
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "uid": "1", "labels": map[string]any{}}}
	var old map[string]any
	for w.step = range 50 {
		apiVersion := []string{"example.com/v1", "example.com/v1", "example.com/v2", "example.com/v3"}[w.step%4]
		obj["apiVersion"] = apiVersion
		meta := maps.Clone(obj["metadata"].(map[string]any))
		labels := maps.Clone(meta["labels"].(map[string]any))
		labels[fmt.Sprintf("l%d", w.step)] = "x"
		delete(labels, fmt.Sprintf("l%d", w.step-17))
		meta["labels"] = labels
		obj["metadata"] = meta
		if old != nil {
			old["apiVersion"] = apiVersion
		}
		write := w.write(obj, old, fmt.Sprintf("m%d", w.step), "", apiVersion, Scope{})
		got, _ := w.ours(write)
		want, tracked := w.theirs(write)
		if !tracked || string(got) != string(want) {
			t.Fatalf("step %d\nold  %s\ngot  %s\nwant %s", w.step, write.Old, got, want)
		}
		old = maps.Clone(obj)
		setFields(t, old, got)
		obj = maps.Clone(old)
	}
	if text := string(fieldsOf(w.canonical(old))); !strings.Contains(text, ancient) {
		t.Errorf("nothing has been merged: %s", text)
	}
}

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	os.Exit(m.Run())
}

func TestUpdateAgreesWithKubernetes(t *testing.T) {
	untracked := 0
	for seed := range uint64(80) {
		untracked += run(t, seed)
	}
	if untracked > 80*30/10 {
		t.Errorf("Kubernetes could not track %d of %d writes: that is too many to compare", untracked, 80*30)
	}
}

func FuzzUpdateAgreesWithKubernetes(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { run(t, seed) })
}
