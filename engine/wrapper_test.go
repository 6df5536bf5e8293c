package engine_test

import (
	"context"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// counted counts what runs through it.
type counted struct {
	engine.Strategy
	ran engine.Hooks
}

func (c *counted) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	c.ran |= hooks
	return c.Strategy.Run(ctx, hooks, call)
}

func (c *counted) Unwrap() engine.Strategy { return c.Strategy }

// keeper is a strategy that holds its objects.
type keeper struct{ script }

func (keeper) Holds(engine.Object) bool { return true }

func (keeper) Terminate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return call.Object.With("spec", []byte(`{"size":7}`)), nil
}

// A store of wrapped strategies serves the same objects, and what a strategy can do besides hooks is found through the wrapping.
func TestWrapped(t *testing.T) {
	status := script{engine.ValidateUpdate: rejects("status", "no")}
	w := newWorld(t, hooked(keeper{script{engine.Canonicalize: sets("spec", `{"size":1}`)}}), func(r *engine.Resource) {
		r.Subresources[0].Strategy = status
	})
	var wrappers []*counted
	wrapped := w.store.Wrapped(func(subresource string, inner engine.Strategy) engine.Strategy {
		c := &counted{Strategy: inner}
		wrappers = append(wrappers, c)
		return &counted{Strategy: c}
	})
	info := &engine.RequestInfo{Verb: "create", Group: "example.com", Version: "v1", Resource: "widgets", Namespace: "default"}
	result, err := wrapped.Create(w.ctx, engine.CreateRequest{Info: info, Object: engine.Object(`{"metadata":{"name":"w"},"spec":{}}`)})
	if err != nil || result.Object.Get("spec", "size").Int() != 1 {
		t.Fatalf("%s, %v", result.Object, err)
	}
	read := *info
	read.Verb, read.Name = "get", "w"
	if got, err := w.store.Get(w.ctx, engine.GetRequest{Info: &read}); err != nil || got.UID() != result.Object.UID() {
		t.Errorf("the store itself has %s, %v", got, err)
	}
	if len(wrappers) != 2 || wrappers[0].ran != engine.HooksOf(engine.Canonicalize) || wrappers[1].ran != 0 {
		t.Errorf("%d wrappers: %+v", len(wrappers), wrappers)
	}
	remove := read
	remove.Verb = "delete"
	if result, err = wrapped.Delete(w.ctx, engine.DeleteRequest{Info: &remove}); err != nil || result.Deleted || result.Object.Get("spec", "size").Int() != 7 {
		t.Errorf("what holds its objects does so no more: %s, %v", result.Object, err)
	}
}
