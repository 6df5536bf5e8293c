package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

func scalable(r *engine.Resource) {
	r.Subresources = append(r.Subresources, engine.Subresource{Name: "scale", Scale: &engine.Scale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}})
}

func TestScale(t *testing.T) {
	w := newWorld(t, scalable)
	obj := w.create(`{"metadata":{"name":"a"},"spec":{"replicas":2,"size":1}}`)
	info := w.info("get", "a")
	info.Subresource = "scale"
	scale, err := w.store.Get(w.ctx, engine.GetRequest{Info: info})
	if err != nil {
		t.Fatal(err)
	}
	is(t, scale, "kind", `"Scale"`)
	is(t, scale, "spec", `{"replicas":2}`)
	is(t, scale, "status", `{"replicas":0}`)
	if scale.ResourceVersion() != obj.ResourceVersion() || scale.UID() != obj.UID() {
		t.Errorf("scale %s of %s", scale, obj)
	}
	result, err := w.change("a", "scale", engine.Replace{Object: scale.With("spec", []byte(`{"replicas":5}`))})
	if err != nil {
		t.Fatal(err)
	}
	is(t, result.Object, "spec", `{"replicas":5}`)
	is(t, w.get("a"), "spec", `{"color":"red","replicas":5,"size":1}`)
	is(t, w.get("a"), "metadata.generation", "2")
	if _, err := w.change("a", "scale", engine.MergePatch{Patch: w.object(`{"spec":{"replicas":6}}`)}); err != nil {
		t.Fatal(err)
	}
	is(t, w.get("a"), "spec.replicas", "6")

	_, err = w.change("a", "scale", engine.Replace{Object: scale.With("spec", []byte(`{"replicas":7}`))})
	failsAs[*engine.ConflictError](t, err)
	w.writesNothing(func() {
		for _, bad := range []string{`{"replicas":-1}`, `{"replicas":"x"}`, `{"replicas":1.5}`, `{"replicas":99999999999}`} {
			if _, err := w.change("a", "scale", engine.Replace{Object: scale.Stored().With("spec", []byte(bad))}); err == nil {
				t.Errorf("%s was taken", bad)
			}
		}
	})
}

// assigning is a subresource "assign" that sets spec.color to what is posted, once.
func assigning(s script) func(*engine.Resource) {
	return func(r *engine.Resource) {
		r.Subresources = append(r.Subresources,
			engine.Subresource{Name: "assign", Strategy: s, Create: &engine.SubresourceCreate{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Assignment"}}},
			engine.Subresource{Name: "evict", Strategy: s, Create: &engine.SubresourceCreate{GroupVersionKind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Eviction"}, Delete: true}},
			engine.Subresource{Name: "later", Unavailable: "nobody serves it"},
			engine.Subresource{Name: "put", PutOnly: true})
	}
}

func (w *world) post(name, subresource, body string) (engine.Result, error) {
	w.Helper()
	info := w.info("create", name)
	info.Subresource = subresource
	return w.store.Post(w.ctx, engine.PostRequest{Info: info, Body: w.object(body)})
}

func assign(call *engine.Call, reply *engine.Reply) error {
	color := call.Options.Get("color").Str
	switch {
	case color == "":
		reply.Errors = field.ErrorList{field.Required(field.NewPath("color"), "say which")}
	case call.Object.Get("spec", "size").Int() > 0:
		reply.Refusal = &engine.Refusal{Reason: "Conflict", Message: "it is assigned"}
	default:
		reply.Object = call.Object.With("spec", fmt.Appendf(nil, `{"color":%q,"size":1}`, color))
		reply.Result = []byte(`{"message":"done"}`)
		reply.Warnings = []string{"careful"}
	}
	return nil
}

func TestPostedSubresource(t *testing.T) {
	w := newWorld(t, assigning(script{engine.CreateSubresource: assign}))
	w.named("a")
	_, err := w.post("a", "assign", `{"kind":"Assignment"}`)
	invalid(t, err, "color: Required value: say which")
	result, err := w.post("a", "assign", `{"color":"blue"}`)
	if err != nil || result.Message != "done" || fmt.Sprint(result.Warnings) != "[careful]" {
		t.Fatalf("%+v %v", result, err)
	}
	is(t, w.get("a"), "spec", `{"color":"blue","size":1}`)
	w.writesNothing(func() {
		_, err := w.post("a", "assign", `{"color":"green"}`)
		if refused := failsAs[*engine.RefusedError](t, err); refused.Refusal.Reason != "Conflict" {
			t.Errorf("%+v", refused)
		}
		for body, want := range map[string]string{
			`{"kind":"Other"}`:                 "widgets/assign takes a Assignment, not a Other",
			`{"metadata":{"name":"b"}}`:        "the name of the object (b) does not match the name on the URL (a)",
			`{"metadata":{"namespace":"ns2"}}`: "the namespace of the provided object does not match the namespace sent on the request",
		} {
			_, err := w.post("a", "assign", body)
			fails[*engine.BadRequestError](t, err, want)
		}
		_, err = w.post("none", "assign", `{"color":"blue"}`)
		failsAs[*engine.NotFoundError](t, err)
		_, err = w.post("a", "none", `{}`)
		failsAs[*engine.NotFoundError](t, err)
		_, err = w.post("a", "later", `{}`)
		failsAs[*engine.UnavailableError](t, err)
		_, err = w.post("a", "status", `{}`)
		failsAs[*engine.MethodNotSupportedError](t, err)
		_, err = w.change("a", "assign", engine.Replace{Object: w.object(`{}`)})
		failsAs[*engine.MethodNotSupportedError](t, err)
		info := w.info("get", "a")
		info.Subresource = "put"
		_, err = w.store.Get(w.ctx, engine.GetRequest{Info: info})
		failsAs[*engine.MethodNotSupportedError](t, err)
	})
}

func TestPostedSubresourceThatDeletes(t *testing.T) {
	w := newWorld(t, assigning(script{engine.CreateSubresource: assign}))
	w.named("a")
	w.writesNothing(func() {
		_, err := w.post("a", "evict", `{"color":"x","deleteOptions":{"preconditions":{"uid":"other"}}}`)
		failsAs[*engine.ConflictError](t, err)
		_, err = w.post("a", "evict", `{"color":"x","deleteOptions":{"dryRun":["All"]}}`)
		if err != nil {
			t.Error(err)
		}
		_, err = w.post("a", "evict", `{"color":"x","deleteOptions":5}`)
		failsAs[*engine.BadRequestError](t, err)
	})
	if result, err := w.post("a", "evict", `{"color":"x"}`); err != nil || !result.Deleted {
		t.Errorf("%+v %v", result, err)
	}
	w.isGone("a")
}

// TestPostsThatMeet: of many posts that can only succeed once, one does, and none is lost or done twice.
func TestPostsThatMeet(t *testing.T) {
	w := newWorld(t, assigning(script{engine.CreateSubresource: assign}))
	w.named("a")
	var running sync.WaitGroup
	results := make(chan error, 20)
	for i := range cap(results) {
		running.Go(func() {
			_, err := w.post("a", "assign", fmt.Sprintf(`{"color":"c%d"}`, i))
			results <- err
		})
	}
	running.Wait()
	close(results)
	won := 0
	for err := range results {
		var refused *engine.RefusedError
		if err == nil {
			won++
		} else if !errors.As(err, &refused) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d posts succeeded", won)
	}
	is(t, w.get("a"), "metadata.generation", "2")
}
