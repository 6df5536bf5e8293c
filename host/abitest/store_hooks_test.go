package abitest

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/host/abitest/part"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// The hooks of the store, which belong to the resource and answer by a result or by items.
func TestStoreHooks(t *testing.T) {
	s := load(t, partWasm, host.Options{}).Resources[1].Strategy.(*host.Strategy)
	if want := engine.HooksOf(engine.TTL, engine.Decorate, engine.ShouldDeleteDuringUpdate); s.Hooks() != want {
		t.Fatalf("hooks %b, want %b", s.Hooks(), want)
	}
	native := sdktest.New(part.Fleeting{})
	call := partCall(t, `{"seconds":30,"wanted":true}`)
	call.Request.Resource = "fleetingparts"
	obj := sdktest.Object(t, string(call.Object))
	run := func(hook engine.Hook, call engine.Call) engine.Reply {
		t.Helper()
		reply, err := s.Run(t.Context(), engine.HooksOf(hook), &call)
		if err != nil {
			t.Fatalf("%s: %v", hook, err)
		}
		return reply
	}
	created, updated := *call, *call
	updated.Old = call.Object
	if got := run(engine.TTL, created); string(got.Result) != "30" || native.TTL(obj, nil) != 30 {
		t.Errorf("TTL of a create: %s, natively %d", got.Result, native.TTL(obj, nil))
	}
	if got := run(engine.TTL, updated); string(got.Result) != "90" || native.TTL(obj, obj) != 90 {
		t.Errorf("TTL of an update: %s, natively %d", got.Result, native.TTL(obj, obj))
	}
	if got := run(engine.ShouldDeleteDuringUpdate, updated); string(got.Result) != "false" || native.ShouldDeleteDuringUpdate(obj, obj) {
		t.Errorf("ShouldDeleteDuringUpdate: %s", got.Result)
	}
	shown := run(engine.Decorate, engine.Call{Request: call.Request, Items: []engine.Object{call.Object, call.Object}})
	if len(shown.Items) != 2 || shown.Items[1].Get("status", "place").String() != "shelf of default" {
		t.Errorf("Decorate: %s", shown.Items)
	}
	native.Request.Namespace = "default"
	if got := native.Decorate(obj).Get("status", "place").String(); got != "shelf of default" {
		t.Errorf("Decorate natively: %s", got)
	}
}

// What Decorate returns is held to what every hook that changes objects is held to.
func TestDecorateMayNotMoveAnObject(t *testing.T) {
	s := load(t, partWasm, host.Options{}).Resources[1].Strategy.(*host.Strategy)
	call := partCall(t, `{"move":true}`)
	call.Request.Resource = "fleetingparts"
	call.Items, call.Object = []engine.Object{call.Object}, nil
	_, err := s.Run(t.Context(), engine.HooksOf(engine.Decorate), call)
	failed := failure(t, err)
	if failed.Hook != "Decorate" || failed.Kind != engine.FailedMalformed || !strings.Contains(failed.Error(), "item 0: it changes metadata.namespace") {
		t.Error(failed)
	}
}
