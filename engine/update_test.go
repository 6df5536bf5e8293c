package engine_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/tidwall/sjson"

	"github.com/stratagem-dev/stratagem/engine"
)

func TestUpdate(t *testing.T) {
	w := newWorld(t)
	first := w.create(`{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"size":1}}`)
	second := w.put("a", `{"metadata":{"name":"a","labels":{"x":"2"}},"spec":{"size":2}}`)
	for _, key := range []string{"uid", "creationTimestamp", "namespace"} {
		is(t, second, "metadata."+key, first.Get("metadata", key).Raw)
	}
	is(t, second, "metadata.generation", "2")
	is(t, second, "metadata.labels", `{"x":"2"}`)
	third := w.put("a", `{"metadata":{"name":"a","generation":77},"spec":{"color":"red","size":2}}`)
	is(t, third, "metadata.generation", "2")
	if first.ResourceVersion() == second.ResourceVersion() || second.ResourceVersion() == third.ResourceVersion() {
		t.Error("a change kept the resourceVersion")
	}
	if got := w.get("a"); string(got) != string(third) {
		t.Errorf("read\n  got  %s\n  want %s", got, third)
	}
}

func TestUpdateThatChangesNothing(t *testing.T) {
	w := newWorld(t)
	first := w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	w.writesNothing(func() {
		again := w.put("a", `{"spec":{"size":1,"color":"red"},"metadata":{"name":"a","resourceVersion":"`+first.ResourceVersion()+`"}}`)
		if string(again) != string(first) {
			t.Errorf("answered %s, want %s", again, first)
		}
	})
}

func TestUpdateRefuses(t *testing.T) {
	w := newWorld(t, func(r *engine.Resource) { r.Traits.AllowUnconditionalUpdate = false })
	first := w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	version := first.ResourceVersion()
	current := w.put("a", `{"metadata":{"name":"a","resourceVersion":"`+version+`"},"spec":{"size":2}}`).ResourceVersion()
	for _, c := range []struct {
		name, body string
		check      func(*testing.T, error)
	}{
		{"no resourceVersion", `{"metadata":{"name":"a"}}`, func(t *testing.T, err error) {
			invalid(t, err, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")
			if kind := failsAs[*engine.InvalidError](t, err).Kind.String(); kind != "widgets.example.com" {
				t.Errorf("kind %s", kind)
			}
		}},
		{"stale", `{"metadata":{"name":"a","resourceVersion":"` + version + `"}}`, func(t *testing.T, err error) {
			fails[*engine.ConflictError](t, err, `Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again`)
		}},
		{"malformed resourceVersion", `{"metadata":{"name":"a","resourceVersion":"x"}}`, func(t *testing.T, err error) { invalid(t, err, "metadata.resourceVersion") }},
		{"other uid", `{"metadata":{"name":"a","uid":"u","resourceVersion":"` + current + `"}}`, func(t *testing.T, err error) {
			fails[*engine.ConflictError](t, err, `Operation cannot be fulfilled on widgets.example.com "a": Precondition failed: UID in precondition: u, UID in object meta: `+first.UID())
		}},
		{"other name", `{"metadata":{"name":"b","resourceVersion":"` + current + `"}}`, func(t *testing.T, err error) {
			fails[*engine.BadRequestError](t, err, "the name of the object (b) does not match the name on the URL (a)")
		}},
		{"no name", `{"metadata":{"resourceVersion":"` + current + `"}}`, func(t *testing.T, err error) {
			fails[*engine.BadRequestError](t, err, "the name of the object (a based on URL) was undeterminable: name must be provided")
		}},
		{"other namespace", `{"metadata":{"name":"a","namespace":"b","resourceVersion":"` + current + `"}}`, func(t *testing.T, err error) {
			fails[*engine.BadRequestError](t, err, "the namespace of the object (b) does not match the namespace on the request (ns)")
		}},
		{"bad annotation", `{"metadata":{"name":"a","annotations":{"/":"x"},"resourceVersion":"` + current + `"}}`, func(t *testing.T, err error) {
			invalid(t, err, "metadata.annotations")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.writesNothing(func() {
				_, err := w.tryPut("a", c.body)
				c.check(t, err)
			})
		})
	}
	_, err := w.tryPut("missing", `{"metadata":{"name":"missing"}}`)
	fails[*engine.NotFoundError](t, err, `widgets.example.com "missing" not found`)
}

func TestCreateOnUpdate(t *testing.T) {
	w := newWorld(t, func(r *engine.Resource) { r.Traits.AllowCreateOnUpdate = true })
	result, err := w.tryPut("a", `{"metadata":{"name":"a","resourceVersion":"5"},"spec":{"size":1}}`)
	if err != nil || !result.Created {
		t.Fatalf("%+v %v", result, err)
	}
	is(t, w.get("a"), "metadata.generation", "1")
	_, err = w.tryPut("b", `{"metadata":{"name":"b","uid":"u"}}`)
	failsAs[*engine.ConflictError](t, err)
	_, err = w.tryPut("b", `{"metadata":{"name":"c"}}`)
	fails[*engine.BadRequestError](t, err, "the name of the object (c) does not match the name on the URL (b)")
	_, err = w.tryPut("b", `{"metadata":{}}`)
	fails[*engine.BadRequestError](t, err, "the name of the object (b based on URL) was undeterminable: name must be provided")
	_, err = w.change("b", "", engine.MergePatch{Patch: w.object(`{"spec":{}}`)})
	failsAs[*engine.NotFoundError](t, err)
	_, err = w.change("b", "status", engine.Replace{Object: w.object(`{"metadata":{"name":"b"}}`)})
	failsAs[*engine.NotFoundError](t, err)
	w.isGone("b")
}

func TestUpdateRunsTheHooksInOrder(t *testing.T) {
	w := newWorld(t, hooked(script{
		engine.PrepareForUpdate: func(call *engine.Call, reply *engine.Reply) error {
			if call.Old.Get("spec", "size").Int() != 1 {
				return errors.New("PrepareForUpdate did not get the old object")
			}
			return sets("spec", `{"size":5}`)(call, reply)
		},
		engine.ValidateUpdate: func(call *engine.Call, _ *engine.Reply) error {
			if call.Object.Get("spec", "size").Int() != 5 {
				return errors.New("ValidateUpdate did not see what PrepareForUpdate made")
			}
			return nil
		},
		engine.WarningsOnUpdate: warns("careful"),
		engine.Canonicalize:     func(call *engine.Call, reply *engine.Reply) error { return nil },
	}))
	w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	result, err := w.tryPut("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`)
	if err != nil || fmt.Sprint(result.Warnings) != "[careful]" {
		t.Fatalf("%+v %v", result, err)
	}
	is(t, w.get("a"), "spec.size", "5")
}

func TestHooksThatStopAnUpdate(t *testing.T) {
	for _, hook := range []engine.Hook{engine.PrepareForUpdate, engine.ValidateUpdate, engine.WarningsOnUpdate} {
		w := newWorld(t, hooked(script{hook: breaks}))
		w.named("a")
		w.writesNothing(func() {
			_, err := w.tryPut("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`)
			failsAs[*engine.HookError](t, err)
		})
	}
	w := newWorld(t, hooked(script{engine.ValidateUpdate: rejects("spec", "no")}))
	w.named("a")
	w.writesNothing(func() {
		_, err := w.tryPut("a", `{"metadata":{"name":"a","labels":{"-":"x"}}}`)
		// An update tells of both, metadata and what the strategy finds.
		invalid(t, err, "metadata.labels")
		invalid(t, err, "spec: Invalid value")
	})
}

func TestStatusAndSpecAreApart(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a"},"spec":{"size":1}}`)
	stale := w.get("a")
	labelled := w.put("a", `{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"size":1},"status":{"phase":"Mine"}}`)
	is(t, labelled, "status", "")

	_, err := w.change("a", "status", engine.Replace{Object: stale.With("status", []byte(`{"phase":"Done"}`))})
	failsAs[*engine.ConflictError](t, err)
	result, err := w.change("a", "status", engine.Replace{Object: stale.Stored().With("status", []byte(`{"phase":"Done"}`)).With("spec", []byte(`{"size":9}`))})
	if err != nil {
		t.Fatal(err)
	}
	is(t, result.Object, "status", `{"phase":"Done"}`)
	is(t, result.Object, "spec.size", "1")
	is(t, result.Object, "metadata.labels", `{"x":"1"}`)
	is(t, result.Object, "metadata.generation", "1")
	is(t, w.put("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`), "status.phase", `"Done"`)
}

func TestDryRunOfAnUpdate(t *testing.T) {
	w := newWorld(t)
	first := w.named("a")
	w.writesNothing(func() {
		info := w.info("update", "a")
		info.DryRun = true
		result, err := w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: engine.Replace{Object: w.object(`{"metadata":{"name":"a"},"spec":{"size":3}}`)}})
		if err != nil || result.Object.ResourceVersion() != first.ResourceVersion() {
			t.Errorf("%s %v", result.Object, err)
		}
		is(t, result.Object, "spec.size", "3")
	})
}

func TestEqualOwnersAreOne(t *testing.T) {
	w := newWorld(t)
	ref := `{"apiVersion":"v1","kind":"X","name":"x","uid":"%s"}`
	one, two := fmt.Sprintf(ref, "1"), fmt.Sprintf(ref, "2")
	result, err := w.tryCreate(`{"metadata":{"name":"a","ownerReferences":[` + one + `,` + two + `,` + one + `]}}`)
	if err != nil || len(result.Warnings) != 1 {
		t.Fatalf("%v %v", result.Warnings, err)
	}
	is(t, result.Object, "metadata.ownerReferences", "["+one+","+two+"]")
}

// increment adds one to spec.size, whatever it is.
type increment struct{}

func (increment) Replaces() bool { return false }
func (increment) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	out, err := sjson.SetBytes(append([]byte(nil), current...), "spec.size", current.Get("spec", "size").Int()+1)
	return out, nil, err
}

func TestConcurrentWritersLoseNothing(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a"},"spec":{"size":0}}`)
	const writers, each = 50, 4
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for range each {
				for {
					_, err := w.change("a", "", increment{})
					var conflict *engine.ConflictError
					if errors.As(err, &conflict) {
						continue
					}
					if err != nil {
						t.Error(err)
					}
					break
				}
			}
		})
	}
	running.Wait()
	is(t, w.get("a"), "spec.size", fmt.Sprint(writers*each))
	is(t, w.get("a"), "metadata.generation", fmt.Sprint(writers*each+1))
}

// TestWritersThatReadFirst: of many that write what they read, one wins each time and the others hear of it.
func TestWritersThatReadFirst(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a"},"spec":{"size":0}}`)
	const writers = 50
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for {
				obj, err := w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", "a")})
				if err != nil {
					t.Error(err)
					return
				}
				next, _, err := increment{}.Apply(obj, nil)
				if err == nil {
					_, err = w.change("a", "", engine.Replace{Object: next})
				}
				var conflict *engine.ConflictError
				if !errors.As(err, &conflict) {
					if err != nil {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	running.Wait()
	is(t, w.get("a"), "spec.size", fmt.Sprint(writers))
}

func TestUpdateAndDeleteUnderADefinitionThatIsNoLongerActive(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	r := *w.store.Resource
	r.Activation = engine.Guard{Key: "/activation", Revision: 1 << 50}
	w.store = engine.NewStore(&r, w.storage, engine.Options{})
	w.writesNothing(func() {
		_, err := w.tryPut("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`)
		failsAs[*engine.StaleError](t, err)
		_, err = w.tryDelete("a", engine.DeleteRequest{})
		failsAs[*engine.StaleError](t, err)
	})
}
