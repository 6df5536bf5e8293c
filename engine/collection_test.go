package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

func (w *world) deleteCollection(req engine.ListRequest, options metav1.DeleteOptions) (engine.List, error) {
	w.Helper()
	req.Info = w.info("deletecollection", "")
	return w.store.DeleteCollection(w.ctx, req, options)
}

func TestDeleteCollection(t *testing.T) {
	w := newWorld(t)
	w.colored(40)
	w.create(`{"metadata":{"name":"x","labels":{"color":"red"},"finalizers":["example.com/f"]}}`)
	list, err := w.deleteCollection(engine.ListRequest{Selector: w.selector("color=red", "")}, metav1.DeleteOptions{})
	if err != nil || len(list.Items) != 21 || list.Revision == 0 {
		t.Fatalf("%d items at %d, %v", len(list.Items), list.Revision, err)
	}
	left := w.list(engine.ListRequest{})
	if len(left.Items) != 21 || !w.get("x").Deleting() {
		t.Errorf("left: %s", names(left))
	}
	list, err = w.deleteCollection(engine.ListRequest{Limit: 5}, metav1.DeleteOptions{})
	if err != nil || len(list.Items) != 5 || list.Continue == "" {
		t.Errorf("%d items, continue %q, %v", len(list.Items), list.Continue, err)
	}
	if left := w.list(engine.ListRequest{}); len(left.Items) != 16 {
		t.Errorf("left: %s", names(left))
	}
}

func TestDeleteCollectionRefuses(t *testing.T) {
	w := newWorld(t)
	both := metav1.DeleteOptions{OrphanDependents: p(true), PropagationPolicy: p(metav1.DeletePropagationOrphan)} //nolint:staticcheck // old clients still send it
	_, err := w.deleteCollection(engine.ListRequest{}, both)
	invalid(t, err, "orphanDependents and deletionPropagation cannot be both set")
	w.colored(3)
	w.writesNothing(func() {
		_, err := w.deleteCollection(engine.ListRequest{}, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: p("1")}})
		failsAs[*engine.ConflictError](t, err)
		_, err = w.deleteCollection(engine.ListRequest{Continue: "%"}, metav1.DeleteOptions{})
		failsAs[*engine.BadRequestError](t, err)
		ctx, cancel := context.WithCancel(w.ctx)
		cancel()
		if _, err := w.store.DeleteCollection(ctx, engine.ListRequest{Info: w.info("deletecollection", "")}, metav1.DeleteOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		info := w.info("deletecollection", "")
		info.DryRun = true
		if list, err := w.store.DeleteCollection(w.ctx, engine.ListRequest{Info: info}, metav1.DeleteOptions{}); err != nil || len(list.Items) != 3 {
			t.Errorf("%s %v", names(list), err)
		}
	})
}

// TestDeleteCollectionTellsOfAFailure: what fails ends the deletion, and what has not been reached stays.
func TestDeleteCollectionTellsOfAFailure(t *testing.T) {
	w := newWorld(t, hooked(script{engine.CheckGraceful: func(call *engine.Call, reply *engine.Reply) error {
		if strings.HasSuffix(call.Object.Name(), "7") {
			return breaks(call, reply)
		}
		reply.Result = []byte(`{"graceful":false}`)
		return nil
	}}))
	w.colored(30)
	_, err := w.deleteCollection(engine.ListRequest{}, metav1.DeleteOptions{})
	failsAs[*engine.HookError](t, err)
	if left := names(w.list(engine.ListRequest{})); !strings.Contains(left, "w7") {
		t.Errorf("left: %s", left)
	}
}

// safe is a native strategy whose objects are held while spec.size is not 0.
type safe struct{}

func (safe) Holds(obj engine.Object) bool { return obj.Get("spec", "size").Int() > 0 }
func (safe) Terminate(_ context.Context, call *engine.Call) (engine.Object, error) {
	if call.Object.Get("spec", "color").Str == "iron" {
		return nil, &engine.ForbiddenError{Resource: engine.NamespaceResource, Name: "a", Message: "never"}
	}
	meta := call.Object.Meta()
	meta.SetString("deletionTimestamp", "2030-01-01T00:00:00Z")
	return call.Object.WithMeta(meta).With("status", fmt.Appendf(nil, `{"phase":%q}`, call.Options.Get("propagationPolicy").Str)), nil
}

func TestObjectsThatTheirStrategyHolds(t *testing.T) {
	w := newWorld(t, hooked(engine.NewNative(safe{})))
	w.create(`{"metadata":{"name":"free"}}`)
	if result := w.delete("free", engine.DeleteRequest{}); !result.Deleted {
		t.Errorf("%+v", result)
	}
	w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	policy := options(metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationForeground)})
	result := w.delete("a", policy)
	is(t, result.Object, "status.phase", `"Foreground"`)
	is(t, result.Object, "metadata.deletionTimestamp", `"2030-01-01T00:00:00Z"`)
	if result.Deleted || string(w.get("a")) != string(result.Object) {
		t.Errorf("%+v, stored %s", result, w.get("a"))
	}
	w.writesNothing(func() { w.delete("a", policy) })
	// An update without finalizers completes a deletion only once the strategy lets go.
	if result, err := w.tryPut("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`); err != nil || result.Deleted {
		t.Errorf("%+v %v", result, err)
	}
	if result, err := w.tryPut("a", `{"metadata":{"name":"a"},"spec":{"size":0}}`); err != nil || !result.Deleted {
		t.Errorf("%+v %v", result, err)
	}
	w.isGone("a")

	w.create(`{"metadata":{"name":"b"},"spec":{"size":1,"color":"iron"}}`)
	w.writesNothing(func() {
		_, err := w.tryDelete("b", engine.DeleteRequest{})
		failsAs[*engine.ForbiddenError](t, err)
	})
}
