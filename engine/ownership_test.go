package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stratagem-dev/stratagem/engine"
)

// as makes requests of one manager, at a time of their own.
func (w *world) as(manager, name, subresource string, change engine.Change) (engine.Result, error) {
	w.Helper()
	info := w.info("update", name)
	info.Manager, info.Subresource = manager, subresource
	info.Time = time.Date(2030, 1, 1, 0, 0, int(worlds.Add(1)), 0, time.UTC)
	return w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: change})
}

// applies applies a widget under a manager.
func (w *world) applies(manager, name, text string) engine.Object {
	w.Helper()
	result, err := w.as(manager, name, "", engine.ApplyPatch{Patch: w.object(text)})
	if err != nil {
		w.Fatalf("apply %s: %v", text, err)
	}
	return result.Object
}

func (w *world) merge(manager, name, subresource, patch string) engine.Object {
	w.Helper()
	result, err := w.as(manager, name, subresource, engine.MergePatch{Patch: w.object(patch)})
	if err != nil {
		w.Fatalf("patch %s: %v", patch, err)
	}
	return result.Object
}

// owned fails unless the managedFields of an object are these, but for their times. An entry is "manager operation subresource fields".
func owned(t *testing.T, obj engine.Object, want ...string) {
	t.Helper()
	var got []string
	for _, e := range obj.Get("metadata", "managedFields").Array() {
		entry := fmt.Sprintf("%s %s %s %s", e.Get("manager").Str, e.Get("operation").Str, e.Get("subresource").Str, e.Get("fieldsV1").Raw)
		got = append(got, strings.ReplaceAll(entry, "  ", " "))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("owners\n  got  %q\n  want %q", got, want)
	}
}

const widgetHead = `"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}`

func TestOwnersOfWrites(t *testing.T) {
	w := newWorld(t)
	info := w.info("create", "")
	info.Manager = "maker"
	result, err := w.store.Create(w.ctx, engine.CreateRequest{Info: info, Object: w.object(`{"metadata":{"name":"a"},"spec":{"size":1},"status":{"phase":"X"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	// The default of color is the maker's; the status, which a create cannot set, is not.
	owned(t, result.Object, `maker Update {"f:spec":{".":{},"f:color":{},"f:size":{}}}`)
	owned(t, w.merge("other", "a", "", `{"spec":{"size":2},"status":{"phase":"X"}}`),
		`maker Update {"f:spec":{".":{},"f:color":{}}}`, `other Update {"f:spec":{"f:size":{}}}`)
	owned(t, w.merge("watcher", "a", "status", `{"spec":{"size":9},"status":{"phase":"On"},"metadata":{"labels":{"a":"b"}}}`),
		`maker Update {"f:spec":{".":{},"f:color":{}}}`, `other Update {"f:spec":{"f:size":{}}}`, `watcher Update status {"f:status":{".":{},"f:phase":{}}}`)
	before := w.get("a")
	if after := w.merge("fourth", "a", "", `{"spec":{"size":2}}`); !bytes.Equal(before, after) {
		t.Errorf("a patch that changes nothing changed\n%s\ninto\n%s", before, after)
	}
	owned(t, w.merge("other", "a", "", `{"spec":null}`), `watcher Update status {"f:status":{".":{},"f:phase":{}}}`)
}

func TestOwnersThatHooksFillIn(t *testing.T) {
	w := newWorld(t, hooked(script{engine.Default: sets("spec", `{"color":"blue","replicas":1}`)}))
	owned(t, w.named("a"), `unknown Update {"f:spec":{".":{},"f:color":{},"f:replicas":{}}}`)
}

func TestOwnersThatClientsSend(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	for _, reset := range []string{`[]`, `[{}]`} {
		w.applies("m", "a", `{`+widgetHead+`,"spec":{"size":1}}`)
		owned(t, w.merge("m", "a", "", `{"metadata":{"managedFields":`+reset+`}}`))
		owned(t, w.merge("m", "a", "", `{"spec":{"size":2}}`))
		w.merge("m", "a", "", `{"spec":{"size":1}}`)
	}
	owned(t, w.applies("m", "a", `{`+widgetHead+`,"spec":{"size":1}}`),
		`m Apply {"f:spec":{"f:size":{}}}`, `before-first-apply Update {"f:spec":{".":{},"f:color":{},"f:size":{}}}`)
	kept := w.get("a")
	for _, ignored := range []string{`null`, `[{"operation":"Nope"}]`, `[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"bad":{}},"operation":"Update"}]`} {
		if got := w.merge("m", "a", "", `{"metadata":{"managedFields":`+ignored+`}}`); !bytes.Equal(got, kept) {
			t.Errorf("%s\n  got  %s\n  want %s", ignored, got, kept)
		}
	}
	owned(t, w.merge("m", "a", "", `{"metadata":{"managedFields":[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}},"manager":"x","operation":"Update"},
		{"apiVersion":"example.com/v9","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},"manager":"gone","operation":"Update"}]}}`),
		`x Update {"f:spec":{"f:size":{}}}`)
	long := strings.Repeat("m", 129)
	_, err := w.as("m", "a", "", engine.MergePatch{Patch: w.object(`{"metadata":{"managedFields":[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}},"manager":"` + long + `","operation":"Update"}]}}`)})
	invalid(t, err, "metadata.managedFields[0].manager: Too long: may not be more than 128 bytes")
}

func TestApply(t *testing.T) {
	w := newWorld(t)
	result, err := w.as("one", "a", "", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"size":1,"replicas":2}}`)})
	if err != nil || !result.Created {
		t.Fatalf("created %v, %v", result.Created, err)
	}
	is(t, result.Object, "metadata.generation", `1`)
	owned(t, result.Object, `one Apply {"f:spec":{"f:replicas":{},"f:size":{}}}`)

	_, err = w.as("two", "a", "", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"size":5}}`)})
	if !apierrors.IsConflict(err) || err.Error() != `Apply failed with 1 conflict: conflict with "one": .spec.size` {
		t.Errorf("got %v, want a conflict", err)
	}
	result, err = w.as("two", "a", "", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"size":5}}`), Force: true})
	if err != nil {
		t.Fatal(err)
	}
	is(t, result.Object, "spec", `{"color":"red","replicas":2,"size":5}`)
	is(t, result.Object, "metadata.generation", `2`)
	owned(t, result.Object, `one Apply {"f:spec":{"f:replicas":{}}}`, `two Apply {"f:spec":{"f:size":{}}}`)

	before := w.get("a")
	if after := w.applies("two", "a", `{`+widgetHead+`,"spec":{"size":5}}`); !bytes.Equal(before, after) {
		t.Errorf("an apply that changes nothing changed\n%s\ninto\n%s", before, after)
	}
	is(t, w.applies("one", "a", `{`+widgetHead+`}`), "spec", `{"color":"red","size":5}`)
	owned(t, w.get("a"), `two Apply {"f:spec":{"f:size":{}}}`)
}

func TestApplyToSubresources(t *testing.T) {
	w := newWorld(t, func(r *engine.Resource) {
		r.Subresources = append(r.Subresources, engine.Subresource{Name: "scale", Scale: &engine.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}})
	})
	_, err := w.as("one", "a", "status", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"status":{"phase":"On"}}`)})
	fails[*engine.NotFoundError](t, err, `widgets.example.com "a" not found`)
	w.applies("one", "a", `{`+widgetHead+`,"spec":{"replicas":1}}`)
	result, err := w.as("two", "a", "status", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"size":9},"status":{"phase":"On"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	is(t, result.Object, "spec", `{"color":"red","replicas":1}`)
	owned(t, result.Object, `one Apply {"f:spec":{"f:replicas":{}}}`, `two Apply status {"f:status":{"f:phase":{}}}`)

	scale := engine.ApplyPatch{Patch: w.object(`{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":7}}`)}
	if _, err = w.as("three", "a", "scale", scale); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want a conflict", err)
	}
	scale.Force = true
	if _, err = w.as("three", "a", "scale", scale); err != nil {
		t.Fatal(err)
	}
	is(t, w.get("a"), "spec.replicas", `7`)
	owned(t, w.get("a"), `two Apply status {"f:status":{"f:phase":{}}}`, `three Apply scale {"f:spec":{"f:replicas":{}}}`)
	if _, err = w.as("four", "a", "scale", engine.MergePatch{Patch: w.object(`{"spec":{"replicas":8}}`)}); err != nil {
		t.Fatal(err)
	}
	owned(t, w.get("a"), `two Apply status {"f:status":{"f:phase":{}}}`, `four Update scale {"f:spec":{"f:replicas":{}}}`)
}

func TestOwnersOfSeveralVersions(t *testing.T) {
	w := newWorld(t, func(r *engine.Resource) {
		beta := r.Versions[0]
		beta.Name, beta.Storage = "v1beta1", false
		r.Versions = append(r.Versions, beta)
	})
	w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	info := w.info("patch", "a")
	info.Version, info.Manager, info.Time = "v1beta1", "old", time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)
	result, err := w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: engine.MergePatch{Patch: w.object(`{"spec":{"size":2,"replicas":2}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	owned(t, result.Object, `unknown Update {"f:spec":{".":{},"f:color":{}}}`, `old Update {"f:spec":{"f:replicas":{},"f:size":{}}}`)
	// What the other version's manager owned is found in that version.
	owned(t, w.merge("new", "a", "", `{"spec":{"size":3}}`),
		`unknown Update {"f:spec":{".":{},"f:color":{}}}`, `old Update {"f:spec":{"f:replicas":{}}}`, `new Update {"f:spec":{"f:size":{}}}`)
	_, err = w.as("third", "a", "", engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"replicas":9}}`)})
	if err == nil || err.Error() != `Apply failed with 1 conflict: conflict with "old" using example.com/v1beta1: .spec.replicas` {
		t.Errorf("got %v, want a conflict", err)
	}
}

func TestApplyIsADryRun(t *testing.T) {
	w := newWorld(t)
	info := w.info("patch", "a")
	info.DryRun = true
	_, err := w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `}`)}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", "a")})
	fails[*engine.NotFoundError](t, err, `widgets.example.com "a" not found`)
}

// narrow is a storage that takes no managedFields.
type narrow struct{ engine.Storage }

func (n narrow) Create(ctx context.Context, key string, value []byte, opts engine.WriteOptions) (int64, error) {
	if bytes.Contains(value, []byte("managedFields")) {
		return 0, &engine.TooLargeError{Key: key, Size: len(value)}
	}
	return n.Storage.Create(ctx, key, value, opts)
}

func (n narrow) Update(ctx context.Context, key string, value []byte, revision int64, opts engine.WriteOptions) (int64, error) {
	if bytes.Contains(value, []byte("managedFields")) {
		return 0, &engine.TooLargeError{Key: key, Size: len(value)}
	}
	return n.Storage.Update(ctx, key, value, revision, opts)
}

func TestManagedFieldsGiveWayToSize(t *testing.T) {
	w := newWorld(t)
	r := w.store.Resource
	info := w.info("update", "a")
	wide := w.applies("m", "b", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"size":1}}`)
	w.store = engine.NewStore(r, narrow{w.storage}, engine.Options{})
	owned(t, w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`))
	owned(t, w.merge("m", wide.Name(), "", `{"spec":{"size":2}}`))
	_, err := w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: engine.ApplyPatch{Patch: w.object(`{` + widgetHead + `,"spec":{"size":3}}`), Force: true}})
	failsAs[*engine.TooLargeError](t, err)
}
