package crd

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/stratagem-dev/stratagem/engine"
)

// All steps of a write share what a spec was decoded to: none may change it, and what they make of it is what they would make of
// one that they have decoded themselves.
func TestStepsShareASpec(t *testing.T) {
	run := func(forgetful bool, text string) (results []string) {
		recent.clear()
		note := func(obj engine.Object, err error) engine.Object {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if results = append(results, string(obj)); forgetful {
				recent.clear()
			}
			return obj
		}
		ctx, s := context.Background(), strategy{}
		obj := note(s.Default(ctx, &engine.Call{Object: object(t, text)}))
		obj = note(s.PrepareForCreate(ctx, &engine.Call{Object: obj}))
		other, _ := json.Marshal(s.Validate(ctx, &engine.Call{Object: obj}))
		results = append(results, string(other), strings.Join(s.WarningsOnCreate(ctx, &engine.Call{Object: obj}), "\n"))
		for _, apiVersion := range []string{Group + "/v1beta1", Group + "/v1"} {
			out, err := versions{}.Convert(ctx, nil, []engine.Object{obj}, apiVersion)
			if err != nil {
				t.Fatal(err)
			}
			obj = note(out[0], nil)
			if settled, err := NewRegistry(store, Webhooks{}).Settle(obj, nil); settled != nil || err != nil {
				note(settled, err)
			}
		}
		other, _ = json.Marshal(s.ValidateUpdate(ctx, &engine.Call{Object: obj, Old: obj}))
		return append(results, string(other))
	}
	for _, text := range []string{widgets, kubernetes} {
		want, got := run(true, text), run(false, text)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("step %d\ngot  %s\nwant %s", i, got[i], want[i])
			}
		}
	}
}

func TestRecentSpecsAreBounded(t *testing.T) {
	r := &recentSpecs{known: map[specText]*specForms{}}
	large := func(fill string) json.RawMessage {
		return json.RawMessage(`"` + strings.Repeat(fill, recentBytes/2) + `"`)
	}
	forms := newSpecForms(apiextensions.CustomResourceDefinitionSpec{})
	for _, fill := range []string{"a", "b", "c"} {
		r.put("v1", large(fill), forms)
		r.put("v1", large(fill), forms)
	}
	if r.get("v1", large("a")) != nil || r.get("v1", large("b")) != nil || r.get("v1", large("c")) != forms {
		t.Errorf("%d specs of %d bytes are remembered", len(r.known), r.bytes)
	}
	if r.get("v1beta1", large("c")) != nil {
		t.Error("a spec of another version was taken for this one's")
	}
	r.put("v1", json.RawMessage(strings.Repeat("d", recentBytes+1)), forms)
	if len(r.known) != 1 || len(r.oldest) != 1 || r.bytes > recentBytes {
		t.Errorf("%d specs, %d in order, %d bytes", len(r.known), len(r.oldest), r.bytes)
	}
	if r.clear(); len(r.known) != 0 || r.bytes != 0 {
		t.Error("something is remembered")
	}
}
