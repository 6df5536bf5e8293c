package engine_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratagem-dev/stratagem/engine"
)

func (w *world) tryDelete(name string, req engine.DeleteRequest) (engine.Result, error) {
	w.Helper()
	if req.Info == nil {
		req.Info = w.info("delete", name)
	}
	return w.store.Delete(w.ctx, req)
}

func (w *world) delete(name string, req engine.DeleteRequest) engine.Result {
	w.Helper()
	result, err := w.tryDelete(name, req)
	if err != nil {
		w.Fatalf("delete %s: %v", name, err)
	}
	return result
}

func p[T any](v T) *T { return &v }

// options wraps DeleteOptions into a request.
func options(o metav1.DeleteOptions) engine.DeleteRequest { return engine.DeleteRequest{Options: o} }

func TestDelete(t *testing.T) {
	w := newWorld(t)
	obj := w.named("a")
	result := w.delete("a", engine.DeleteRequest{})
	if !result.Deleted || result.Object.UID() != obj.UID() {
		t.Errorf("%+v", result)
	}
	w.isGone("a")
	_, err := w.tryDelete("a", engine.DeleteRequest{})
	fails[*engine.NotFoundError](t, err, `widgets.example.com "a" not found`)
}

func TestDeleteRefuses(t *testing.T) {
	w := newWorld(t)
	obj := w.named("a")
	both := metav1.DeleteOptions{OrphanDependents: p(true), PropagationPolicy: p(metav1.DeletePropagationForeground)} //nolint:staticcheck // old clients still send it
	for _, c := range []struct {
		name    string
		options metav1.DeleteOptions
		check   func(*testing.T, error)
	}{
		{"uid", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: p(types.UID("other"))}}, func(t *testing.T, err error) {
			fails[*engine.ConflictError](t, err, `Operation cannot be fulfilled on widgets.example.com "a": the UID in the precondition (other) does not match the UID in record (`+obj.UID()+`). The object might have been deleted and then recreated`)
		}},
		{"resourceVersion", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: p("1")}}, func(t *testing.T, err error) {
			fails[*engine.ConflictError](t, err, `Operation cannot be fulfilled on widgets.example.com "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (`+obj.ResourceVersion()+`). The object might have been modified`)
		}},
		{"two policies", both, func(t *testing.T, err error) {
			invalid(t, err, `propagationPolicy: Invalid value: "Foreground": orphanDependents and deletionPropagation cannot be both set`)
		}},
		{"unknown policy", metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletionPropagation("Sideways"))}, func(t *testing.T, err error) {
			invalid(t, err, `propagationPolicy: Unsupported value: "Sideways"`)
		}},
		{"dryRun", metav1.DeleteOptions{DryRun: []string{"Some"}}, func(t *testing.T, err error) { invalid(t, err, `dryRun: Unsupported value: ["Some"]`) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.writesNothing(func() {
				_, err := w.tryDelete("a", options(c.options))
				c.check(t, err)
			})
		})
	}
	w.delete("a", options(metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: p(types.UID(obj.UID())), ResourceVersion: p(obj.ResourceVersion())}}))
	w.isGone("a")
}

func TestPropagationPolicies(t *testing.T) {
	for _, c := range []struct {
		name       string
		finalizers string
		options    metav1.DeleteOptions
		want       string // the finalizers that remain; "" deletes
	}{
		{"none", `[]`, metav1.DeleteOptions{}, ``},
		{"background", `[]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationBackground)}, ``},
		{"foreground", `[]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationForeground)}, `["foregroundDeletion"]`},
		{"orphan", `[]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationOrphan)}, `["orphan"]`},
		{"orphanDependents", `[]`, metav1.DeleteOptions{OrphanDependents: p(true)}, `["orphan"]`},   //nolint:staticcheck // old clients still send it
		{"no orphanDependents", `["orphan"]`, metav1.DeleteOptions{OrphanDependents: p(false)}, ``}, //nolint:staticcheck // old clients still send it
		{"the object's own", `["orphan"]`, metav1.DeleteOptions{}, `["orphan"]`},
		{"overruled", `["orphan"]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationForeground)}, `["foregroundDeletion"]`},
		{"overruled by background", `["orphan","example.com/f"]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationBackground)}, `["example.com/f"]`},
		{"others stay", `["example.com/f"]`, metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationForeground)}, `["example.com/f","foregroundDeletion"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.create(`{"metadata":{"name":"a","finalizers":` + c.finalizers + `}}`)
			result := w.delete("a", options(c.options))
			if result.Deleted != (c.want == "") {
				t.Fatalf("%+v", result)
			}
			if c.want == "" {
				w.isGone("a")
				return
			}
			obj := w.get("a")
			is(t, obj, "metadata.finalizers", c.want)
			is(t, obj, "metadata.deletionGracePeriodSeconds", "0")
			is(t, obj, "metadata.generation", "2")
			if !obj.Deleting() || string(obj) != string(result.Object) {
				t.Errorf("stored %s, answered %s", obj, result.Object)
			}
		})
	}
}

func TestFinalizersHoldAnObject(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a","finalizers":["example.com/f","example.com/g"]}}`)
	w.delete("a", engine.DeleteRequest{})
	first := w.get("a")
	w.writesNothing(func() { w.delete("a", engine.DeleteRequest{}) })

	_, err := w.tryPut("a", `{"metadata":{"name":"a","finalizers":["example.com/f","example.com/g","example.com/new"]}}`)
	invalid(t, err, `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}`)

	obj := w.put("a", `{"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"size":3}}`)
	for _, key := range []string{"deletionTimestamp", "deletionGracePeriodSeconds", "creationTimestamp", "uid"} {
		is(t, obj, "metadata."+key, first.Get("metadata", key).Raw)
	}
	_, err = w.tryPut("a", `{"metadata":{"name":"a","finalizers":["example.com/f"],"deletionGracePeriodSeconds":9}}`)
	invalid(t, err, "metadata.deletionGracePeriodSeconds: Invalid value: 9: field is immutable")

	result, err := w.tryPut("a", `{"metadata":{"name":"a"}}`)
	if err != nil || !result.Deleted {
		t.Fatalf("%+v %v", result, err)
	}
	w.isGone("a")
}

func TestUpdateCannotBeginADeletion(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	_, err := w.tryPut("a", `{"metadata":{"name":"a","deletionTimestamp":"2030-01-01T00:00:00Z"}}`)
	invalid(t, err, "metadata.deletionTimestamp: Invalid value")
}

// graceful is a strategy that wants grace: what the options ask for, or 30 seconds.
func graceful() script {
	return script{engine.CheckGraceful: func(call *engine.Call, reply *engine.Reply) error {
		seconds := call.Options.Get("gracePeriodSeconds").Raw
		if seconds == "" {
			seconds = "30"
		}
		reply.Result = []byte(`{"graceful":true,"gracePeriodSeconds":` + seconds + `}`)
		return nil
	}}
}

func TestGracefulDeletion(t *testing.T) {
	w := newWorld(t, hooked(graceful()))
	w.named("a")
	now := time.Now().UTC().Truncate(time.Second)
	at := func(seconds int64) engine.DeleteRequest {
		req := options(metav1.DeleteOptions{GracePeriodSeconds: &seconds})
		req.Info = w.info("delete", "a")
		req.Info.Time = now
		return req
	}
	deadline := func(seconds int) string {
		return `"` + now.Add(time.Duration(seconds)*time.Second).Format(time.RFC3339) + `"`
	}

	result := w.delete("a", at(60))
	is(t, result.Object, "metadata.deletionTimestamp", deadline(60))
	is(t, result.Object, "metadata.deletionGracePeriodSeconds", "60")
	is(t, result.Object, "metadata.generation", "2")

	w.writesNothing(func() {
		w.delete("a", at(90)) // longer: nothing changes
		w.delete("a", at(60))
		w.delete("a", engine.DeleteRequest{})
	})
	shorter := w.delete("a", at(20))
	is(t, shorter.Object, "metadata.deletionTimestamp", deadline(20))
	is(t, shorter.Object, "metadata.deletionGracePeriodSeconds", "20")
	is(t, shorter.Object, "metadata.generation", "2")

	// An update keeps an object that is in its grace period, finalizers or none.
	if result, err := w.tryPut("a", `{"metadata":{"name":"a"}}`); err != nil || result.Deleted {
		t.Errorf("%+v %v", result, err)
	}
	if result := w.delete("a", at(0)); !result.Deleted {
		t.Errorf("%+v", result)
	}
	w.isGone("a")
}

func TestGracePeriodOfNegativeSecondsIsOne(t *testing.T) {
	w := newWorld(t, hooked(graceful()))
	w.named("a")
	asked := int64(-5)
	result := w.delete("a", options(metav1.DeleteOptions{GracePeriodSeconds: &asked}))
	is(t, result.Object, "metadata.deletionGracePeriodSeconds", "1")
	if asked != -5 {
		t.Error("the caller's options have changed")
	}
}

func TestShortenedGraceThatHasRunOut(t *testing.T) {
	w := newWorld(t, hooked(graceful()))
	w.named("a")
	w.delete("a", engine.DeleteRequest{})
	late := options(metav1.DeleteOptions{GracePeriodSeconds: p(int64(10))})
	late.Info = w.info("delete", "a")
	late.Info.Time = time.Now().Add(time.Hour)
	result := w.delete("a", late)
	is(t, result.Object, "metadata.deletionGracePeriodSeconds", "1")
	is(t, result.Object, "metadata.deletionTimestamp", `"`+late.Info.Time.UTC().Format(time.RFC3339)+`"`)
}

func TestGraceAndFinalizers(t *testing.T) {
	w := newWorld(t, hooked(graceful()))
	w.create(`{"metadata":{"name":"a","finalizers":["example.com/f"]}}`)
	w.delete("a", engine.DeleteRequest{})
	if result := w.delete("a", options(metav1.DeleteOptions{GracePeriodSeconds: p(int64(0))})); result.Deleted {
		t.Error("a finalizer was passed over")
	}
	is(t, w.get("a"), "metadata.deletionGracePeriodSeconds", "0")
	if result, err := w.tryPut("a", `{"metadata":{"name":"a"}}`); err != nil || !result.Deleted {
		t.Errorf("%+v %v", result, err)
	}
	w.isGone("a")
}

func TestCheckGracefulThatAnswersNonsense(t *testing.T) {
	for _, answer := range []string{`{"graceful":true}`, `{"graceful":true,"gracePeriodSeconds":-1}`} {
		w := newWorld(t, hooked(script{engine.CheckGraceful: func(_ *engine.Call, reply *engine.Reply) error {
			reply.Result = []byte(answer)
			return nil
		}}))
		w.named("a")
		w.writesNothing(func() {
			_, err := w.tryDelete("a", engine.DeleteRequest{})
			failsAs[*engine.HookError](t, err)
		})
	}
}

func TestDryRunOfADeletion(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	w.create(`{"metadata":{"name":"b","finalizers":["example.com/f"]}}`)
	w.writesNothing(func() {
		for _, name := range []string{"a", "b"} {
			info := w.info("delete", name)
			info.DryRun = true
			if result := w.delete(name, engine.DeleteRequest{Info: info}); result.Deleted != (name == "a") {
				t.Errorf("%s: %+v", name, result)
			}
		}
	})
}

func TestDeletionWithoutGarbageCollector(t *testing.T) {
	w := newWorld(t)
	w.store = engine.NewStore(w.store.Resource, w.storage, engine.Options{NoGarbageCollection: true})
	w.named("a")
	w.delete("a", options(metav1.DeleteOptions{PropagationPolicy: p(metav1.DeletePropagationForeground)}))
	w.isGone("a")
}
