package engine_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

func TestCreateFillsInWhatTheServerDecides(t *testing.T) {
	w := newWorld(t)
	obj := w.create(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","uid":"mine","generation":7,"selfLink":"/x",
		"creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":3},
		"spec":{"size":1},"status":{"phase":"Done"}}`)
	is(t, obj, "metadata.namespace", `"ns"`)
	is(t, obj, "metadata.generation", `1`)
	is(t, obj, "metadata.deletionTimestamp", ``)
	is(t, obj, "metadata.deletionGracePeriodSeconds", ``)
	is(t, obj, "metadata.selfLink", ``)
	is(t, obj, "spec", `{"color":"red","size":1}`)
	is(t, obj, "status", ``)
	if obj.UID() == "mine" || len(obj.UID()) != 36 || obj.ResourceVersion() == "" {
		t.Errorf("uid and resourceVersion are not the server's: %s", obj)
	}
	if created := obj.Get("metadata", "creationTimestamp").Str; strings.HasPrefix(created, "2001") {
		t.Errorf("creationTimestamp is the client's: %s", created)
	}
	if got := w.get("a"); string(got) != string(obj) {
		t.Errorf("read\n  got  %s\n  want %s", got, obj)
	}
}

func TestCreateRefuses(t *testing.T) {
	w := newWorld(t)
	w.named("taken")
	for _, c := range []struct {
		name, body string
		check      func(*testing.T, error)
	}{
		{"no name", `{"metadata":{}}`, func(t *testing.T, err error) {
			invalid(t, err, "metadata.name: Required value: name or generateName is required")
		}},
		{"path in the name", `{"metadata":{"name":"a/b"}}`, func(t *testing.T, err error) {
			invalid(t, err, `metadata.name: Invalid value: "a/b": `)
		}},
		{"other namespace", `{"metadata":{"name":"a","namespace":"other"}}`, func(t *testing.T, err error) {
			fails[*engine.BadRequestError](t, err, "the namespace of the provided object does not match the namespace sent on the request")
		}},
		{"bad label", `{"metadata":{"name":"a","labels":{"-":"x"}}}`, func(t *testing.T, err error) { invalid(t, err, `metadata.labels: Invalid value: "-"`) }},
		{"bad finalizer", `{"metadata":{"name":"a","finalizers":["a b"]}}`, func(t *testing.T, err error) { invalid(t, err, "metadata.finalizers") }},
		{"both propagation finalizers", `{"metadata":{"name":"a","finalizers":["orphan","foregroundDeletion"]}}`, func(t *testing.T, err error) {
			invalid(t, err, "finalizer orphan and foregroundDeletion cannot be both set")
		}},
		{"owner without uid", `{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x"}]}}`, func(t *testing.T, err error) {
			invalid(t, err, "metadata.ownerReferences[0].uid: Required value: must not be empty")
		}},
		{"taken name", `{"metadata":{"name":"taken"}}`, func(t *testing.T, err error) {
			fails[*engine.AlreadyExistsError](t, err, `widgets.example.com "taken" already exists`)
		}},
		{"resourceVersion", `{"metadata":{"name":"a","resourceVersion":"5"}}`, func(t *testing.T, err error) {
			fails[*engine.BadRequestError](t, err, "resourceVersion should not be set on objects to be created")
		}},
		{"other kind", `{"kind":"Gadget","metadata":{"name":"a"}}`, func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
		{"other version", `{"apiVersion":"example.com/v2","metadata":{"name":"a"}}`, func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
		{"wrong type", `{"metadata":{"name":"a"},"spec":{"size":"big"}}`, func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
		{"metadata of the wrong type", `{"metadata":{"name":"a","finalizers":"x"}}`, func(t *testing.T, err error) { failsAs[*engine.BadRequestError](t, err) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.writesNothing(func() {
				_, err := w.tryCreate(c.body)
				c.check(t, err)
			})
		})
	}
}

func TestCreateOverAnObjectThatIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	w.create(`{"metadata":{"name":"a","finalizers":["example.com/f"]}}`)
	w.delete("a", engine.DeleteRequest{})
	_, err := w.tryCreate(`{"metadata":{"name":"a"}}`)
	fails[*engine.AlreadyExistsError](t, err, `object is being deleted: widgets.example.com "a" already exists`)
}

func TestGenerateName(t *testing.T) {
	w := newWorld(t)
	obj := w.create(`{"metadata":{"generateName":"web-"}}`)
	if !regexp.MustCompile(`^web-[a-z0-9]{5}$`).MatchString(obj.Name()) {
		t.Errorf("name %q", obj.Name())
	}
	long := w.create(`{"metadata":{"generateName":"` + strings.Repeat("x", 80) + `"}}`)
	if len(long.Name()) != 63 {
		t.Errorf("a name of %d characters", len(long.Name()))
	}
	if both := w.create(`{"metadata":{"name":"given","generateName":"web-"}}`); both.Name() != "given" {
		t.Errorf("name %q", both.Name())
	}
}

// collide is a strategy that gives every new object the same name, as an unlucky generator would.
func collide(tries *int, free int) script {
	return script{engine.PrepareForCreate: func(call *engine.Call, reply *engine.Reply) error {
		*tries++
		meta := call.Object.Meta()
		if meta.Has("generateName") && *tries < free {
			meta.SetString("name", "web-taken")
		}
		reply.Object = call.Object.WithMeta(meta)
		return nil
	}}
}

func TestGenerateNameTriesAgain(t *testing.T) {
	tries := 0
	w := newWorld(t, hooked(collide(&tries, 5)))
	w.named("web-taken")
	tries = 0
	w.create(`{"metadata":{"generateName":"web-"}}`)
	if tries != 5 {
		t.Errorf("%d tries, want 5", tries)
	}
}

func TestGenerateNameGivesUp(t *testing.T) {
	tries := 0
	w := newWorld(t, hooked(collide(&tries, 1000)))
	w.named("web-taken")
	tries = 0
	_, err := w.tryCreate(`{"metadata":{"generateName":"web-"}}`)
	if !failsAs[*engine.AlreadyExistsError](t, err).Generated || tries != 8 {
		t.Errorf("%v after %d tries, want 8", err, tries)
	}
}

func TestFieldValidation(t *testing.T) {
	body := `{"metadata":{"name":"%s"},"spec":{"size":1,"size":2,"colour":"x"}}`
	for mode, want := range map[engine.FieldValidation][]string{
		engine.WarnFields:   {`duplicate field "spec.size"`, `unknown field "spec.colour"`},
		"":                  {`duplicate field "spec.size"`, `unknown field "spec.colour"`},
		engine.IgnoreFields: nil,
	} {
		w := newWorld(t)
		obj, duplicates, err := engine.ParseObject(fmt.Appendf(nil, body, "a"))
		if err != nil {
			t.Fatal(err)
		}
		result, err := w.store.Create(w.ctx, engine.CreateRequest{Info: w.info("create", ""), Object: obj, Decoding: engine.Decoding{FieldValidation: mode, Duplicates: duplicates}})
		if err != nil || fmt.Sprint(result.Warnings) != fmt.Sprint(want) {
			t.Errorf("%q: %v, warnings %q, want %q", mode, err, result.Warnings, want)
		}
		is(t, result.Object, "spec", `{"color":"red","size":2}`)
		_, err = w.store.Create(w.ctx, engine.CreateRequest{Info: w.info("create", ""), Object: obj, Decoding: engine.Decoding{FieldValidation: engine.StrictFields, Duplicates: duplicates}})
		fails[*engine.BadRequestError](t, err, `Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.size", unknown field "spec.colour"`)
	}
}

func TestCreateRunsTheHooksInOrder(t *testing.T) {
	w := newWorld(t, hooked(script{
		engine.Default:          sets("spec", `{"color":"blue"}`),
		engine.PrepareForCreate: sets("spec", `{"color":"green"}`),
		engine.Validate: func(call *engine.Call, _ *engine.Reply) error {
			if call.Object.Get("spec", "color").Str != "green" {
				return errors.New("Validate did not see what PrepareForCreate made")
			}
			return nil
		},
		engine.WarningsOnCreate: warns("careful"),
		engine.Canonicalize:     sets("spec", `{"color":"white"}`),
	}))
	result, err := w.tryCreate(`{"metadata":{"name":"a"},"status":{"phase":"x"}}`)
	if err != nil || fmt.Sprint(result.Warnings) != "[careful]" || !result.Created {
		t.Fatalf("%+v %v", result, err)
	}
	is(t, w.get("a"), "spec.color", `"white"`)
}

func TestHooksThatStopACreate(t *testing.T) {
	for _, hook := range []engine.Hook{engine.Default, engine.PrepareForCreate, engine.Validate, engine.WarningsOnCreate, engine.Canonicalize} {
		w := newWorld(t, hooked(script{hook: breaks}))
		w.writesNothing(func() {
			_, err := w.tryCreate(`{"metadata":{"name":"a"}}`)
			failsAs[*engine.HookError](t, err)
		})
	}
	w := newWorld(t, hooked(script{engine.Validate: rejects("spec", "no")}))
	w.writesNothing(func() {
		// What the strategy finds is told alone: the common validation of metadata comes only after it.
		_, err := w.tryCreate(`{"metadata":{"name":"a/b"}}`)
		if errs := failsAs[*engine.InvalidError](t, err).Errors; len(errs) != 1 || errs[0].Field != "spec" {
			t.Errorf("errors %v", errs)
		}
	})
	broken := newWorld(t, hooked(script{engine.Canonicalize: func(call *engine.Call, reply *engine.Reply) error {
		meta := call.Object.Meta()
		meta.Set("labels", []byte(`{"-":"x"}`))
		reply.Object = call.Object.WithMeta(meta)
		return nil
	}}))
	broken.writesNothing(func() {
		_, err := broken.tryCreate(`{"metadata":{"name":"a"}}`)
		failsAs[*engine.HookError](t, err)
	})
}

func TestDryRunOfACreate(t *testing.T) {
	w := newWorld(t)
	w.named("taken")
	w.writesNothing(func() {
		info := w.info("create", "")
		info.DryRun = true
		result, err := w.store.Create(w.ctx, engine.CreateRequest{Info: info, Object: w.object(`{"metadata":{"name":"a"}}`)})
		if err != nil || result.Object.ResourceVersion() != "" || result.Object.UID() == "" {
			t.Errorf("%s %v", result.Object, err)
		}
		_, err = w.store.Create(w.ctx, engine.CreateRequest{Info: info, Object: w.object(`{"metadata":{"name":"taken"}}`)})
		failsAs[*engine.AlreadyExistsError](t, err)
	})
}

func TestCreateUnderADefinitionThatIsNoLongerActive(t *testing.T) {
	w := newWorld(t, func(r *engine.Resource) { r.Activation = engine.Guard{Key: "/activation", Revision: 1 << 50} })
	w.writesNothing(func() {
		_, err := w.tryCreate(`{"metadata":{"name":"a"}}`)
		failsAs[*engine.StaleError](t, err)
	})
}
