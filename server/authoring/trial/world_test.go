package trial

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// counts is a guest that has WarningsOnCreate and Canonicalize and would take more fuel with each call, were it not reset.
func counts(t *testing.T) *World { return world(t, "counts") }

// world is that of a guest of the host's tests.
func world(t *testing.T, guest string) *World {
	t.Helper()
	wasm, err := os.ReadFile("../../../host/testdata/guests/" + guest + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWorld(t.Context(), wasm, host.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(w.dir); err == nil {
			t.Errorf("%s was left behind", w.dir)
		}
	})
	return w
}

func widget(spec string) engine.Object {
	return engine.Object(`{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"name":"w"},"spec":` + spec + `}`)
}

func TestWorld(t *testing.T) {
	w := counts(t)
	fuel := int64(0)
	for range 3 {
		r, err := w.Run(t.Context(), Request{Operation: "create", Input: widget(`{"a":1}`)})
		if err != nil || r.Err != nil || !r.Created || r.Object.Namespace() != "default" || r.Explanation.Outcome.Code != 201 {
			t.Fatalf("%+v, %v", r, err)
		}
		if took := r.Explanation.Fuel(); took == 0 || fuel != 0 && took != fuel {
			t.Errorf("it took %d, before %d", took, fuel)
		}
		fuel = r.Explanation.Fuel()
	}
	for name, c := range map[string]struct {
		req  Request
		want string // of the spec, or the error
	}{
		"update":         {Request{Operation: "update", Old: widget(`{"a":1}`), Input: widget(`{"a":2}`)}, `{"a":2}`},
		"stale update":   {Request{Operation: "update", Old: widget(`{"a":1}`), Input: widget(`{"a":2}`).Served(1)}, "the object has been modified"},
		"missing update": {Request{Operation: "update", Input: widget(`{"a":2}`)}, `widgets.hostile.example "w" not found`},
		"patch":          {Request{Operation: "patch", Old: widget(`{"a":1,"b":1}`), Input: engine.Object(`{"spec":{"a":3}}`)}, `{"a":3,"b":1}`},
		"get":            {Request{Operation: "get", Old: widget(`{"a":4}`)}, `{"a":4}`},
		"delete":         {Request{Operation: "delete", Old: widget(`{"a":5}`)}, `{"a":5}`},
	} {
		r, err := w.Run(t.Context(), c.req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := r.Object.Get("spec").Raw
		if r.Err != nil {
			got = r.Err.Error()
		}
		if !strings.Contains(got, c.want) || r.Deleted != (name == "delete") {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestWorldRefuses(t *testing.T) {
	w := counts(t)
	for want, req := range map[string]Request{
		`operation "renew": must be create, update`: {Operation: "renew", Old: widget(`{}`), Input: widget(`{}`)},
		"operation status: input is required":       {Operation: "status", Old: widget(`{}`)},
		"operation delete: old is required":         {Operation: "delete", Input: widget(`{}`)},
		"input or old is required":                  {Operation: "create"},
		`the module has no kind "Pod"`:              {Operation: "create", Input: engine.Object(`{"apiVersion":"v1","kind":"Pod"}`)},
		"old: metadata.name is required":            {Operation: "get", Old: engine.Object(`{"apiVersion":"hostile.example/v1","kind":"Widget"}`)},
	} {
		if r, err := w.Run(t.Context(), req); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v, %v, want %s", r, err, want)
		}
	}
}

// Fuel that was not counted from a snapshot says so, wherever people read it.
func TestApproximateFuel(t *testing.T) {
	for guest, mark := range map[string]string{"counts": "", "remembers_in_table": "~"} {
		w := world(t, guest)
		r, err := w.Run(t.Context(), Request{Operation: "create", Input: widget(`{"a":1}`)})
		if err != nil {
			t.Fatal(err)
		}
		var table strings.Builder
		if err := r.Explanation.Print(&table); err != nil {
			t.Fatal(err)
		}
		if text, want := r.Explanation.FuelText(), mark+strconv.FormatInt(r.Explanation.Fuel(), 10); text != want || strings.Contains(table.String(), "~") != (mark != "") {
			t.Errorf("%s: %s, want %s, in\n%s", guest, text, want, &table)
		}
		raw, err := json.Marshal(r.Explanation)
		if err != nil || strings.Contains(string(raw), `"approximate":true`) != (mark != "") {
			t.Errorf("%s: %s, %v", guest, raw, err)
		}
	}
}

func TestHookCall(t *testing.T) {
	w := counts(t)
	_, cost, err := HookCall{Hook: engine.WarningsOnCreate, Object: widget(`{}`)}.Run(t.Context(), w.Module)
	if err != nil || cost.Fuel == 0 || cost.Sent == 0 {
		t.Errorf("%+v, %v", cost, err)
	}
	for want, h := range map[string]HookCall{
		"Validate: the module does not have this hook": {Hook: engine.Validate, Object: widget(`{}`)},
		`widgets has no subresource "status"`:          {Hook: engine.Validate, Object: widget(`{}`), Subresource: "status"},
	} {
		if _, _, err := h.Run(t.Context(), w.Module); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
