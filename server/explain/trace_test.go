package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// lamp is a strategy with something of everything. A lamp that is broken is refused.
type lamp struct{}

func (lamp) Default(_ context.Context, call *engine.Call) (engine.Object, error) {
	return call.Object.With("spec", []byte(`{"on":true}`)), nil
}

func (lamp) PrepareForCreate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return call.Object.With("status", []byte(`{"seen":`+string(call.Object.Fields().Get("spec"))+`}`)), nil
}

func (lamp) Validate(_ context.Context, call *engine.Call) field.ErrorList {
	if call.Object.Fields().Has("broken") {
		return field.ErrorList{field.Forbidden(field.NewPath("broken"), "no light")}
	}
	return nil
}

func (lamp) WarningsOnCreate(context.Context, *engine.Call) []string { return []string{"bright"} }

func traced(t *Trace, inner engine.Strategy) engine.Strategy {
	return &strategy{Strategy: inner, trace: t, revision: "lamps@1"}
}

var all = engine.HooksOf(engine.Default, engine.PrepareForCreate, engine.Validate, engine.WarningsOnCreate, engine.Canonicalize)

// Hooks that are run one by one come to what they come to together, and each is noted.
func TestHooksRunSingly(t *testing.T) {
	native := engine.NewNative(lamp{})
	for _, object := range []string{
		`{"apiVersion":"v1","kind":"Lamp","metadata":{"managedFields":[{}],"name":"a"}}`, `{"apiVersion":"v1","broken":1,"kind":"Lamp","metadata":{"name":"a"}}`,
	} {
		call := &engine.Call{Request: &engine.RequestInfo{Verb: "create", Version: "v1"}, Object: engine.Object(object)}
		together, err := native.Run(t.Context(), all, call)
		if err != nil {
			t.Fatal(err)
		}
		var trace Trace
		singly, err := traced(&trace, native).Run(t.Context(), all, call)
		if err != nil {
			t.Fatal(err)
		}
		broken := len(together.Errors) > 0
		if !bytes.Equal(singly.Object, together.Object) || !reflect.DeepEqual(singly.Errors, together.Errors) || !broken && !reflect.DeepEqual(singly.Warnings, together.Warnings) {
			t.Errorf("singly %+v, together %+v", singly, together)
		}
		var names []string
		for _, s := range trace.steps {
			names = append(names, s.Name)
		}
		want := "Default PrepareForCreate Validate WarningsOnCreate"
		if broken {
			want = "Default PrepareForCreate Validate"
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What the server did between hooks is a step, without its bookkeeping.
func TestExplain(t *testing.T) {
	var trace Trace
	s := traced(&trace, engine.NewNative(lamp{}))
	info := &engine.RequestInfo{Verb: "create", Group: "example.com", Version: "v1", Resource: "lamps", Namespace: "default"}
	trace.Begin(engine.Object(`{"apiVersion":"v1","kind":"Lamp","metadata":{"name":"a"}}`))
	first, err := s.Run(t.Context(), engine.HooksOf(engine.Default), &engine.Call{Request: info, Object: engine.Object(`{"apiVersion":"v1","kind":"Lamp","metadata":{"name":"a","uid":"u"}}`)})
	if err != nil {
		t.Fatal(err)
	}
	owned := first.Object.WithMeta(engine.ParseFields([]byte(`{"managedFields":[{}],"name":"a","uid":"u"}`)))
	if _, err := s.Run(t.Context(), engine.HooksOf(engine.WarningsOnCreate), &engine.Call{Request: info, Object: owned}); err != nil {
		t.Fatal(err)
	}
	e := trace.Explain(info, Outcome{Code: 201, Object: json.RawMessage(owned.Served(7))})
	var out strings.Builder
	if err := e.Print(&out); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for line := range strings.Lines(out.String()) {
		if fields := strings.Fields(line); len(fields) > 0 {
			shown = append(shown, strings.Join(fields[:min(3, len(fields))], " "))
		}
	}
	want := []string{"create lamps.example.com default/a", "STEP PLUGIN VERSION", "Server", `add /metadata/uid "u"`, "Default lamps@1 v1", `add /spec {"on":true}`,
		"WarningsOnCreate lamps@1 v1", "warning bright", "Server", `add /metadata/resourceVersion "7"`, "201: it would"}
	if !reflect.DeepEqual(shown, want) {
		t.Errorf("%s\n%q, want\n%q", out.String(), shown, want)
	}
}
