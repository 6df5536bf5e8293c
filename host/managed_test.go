package host

import (
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

func TestManagedFieldsDoNotCross(t *testing.T) {
	with := engine.Object(`{"kind":"X","metadata":{"managedFields":[{"manager":"a"}],"name":"n"},"spec":{}}`)
	without := `{"kind":"X","metadata":{"name":"n"},"spec":{}}`
	call := &engine.Call{Object: with, Old: with, Items: []engine.Object{with}}
	seen := withoutManaged(call)
	for _, obj := range []engine.Object{seen.Object, seen.Old, seen.Items[0]} {
		if string(obj) != without {
			t.Fatalf("the guest sees %s", obj)
		}
	}
	changed := engine.Object(`{"kind":"X","metadata":{"labels":{"l":"1"},"name":"n"},"spec":{}}`)
	for _, c := range []struct{ reply, want string }{
		{without, string(with)},
		{string(changed), `{"kind":"X","metadata":{"labels":{"l":"1"},"managedFields":[{"manager":"a"}],"name":"n"},"spec":{}}`},
	} {
		reply := engine.Reply{Object: engine.Object(c.reply), Items: []engine.Object{engine.Object(c.reply)}}
		restoreManaged(&reply, call, seen)
		if string(reply.Object) != c.want || string(reply.Items[0]) != c.want {
			t.Fatalf("%s came back as %s and %s", c.reply, reply.Object, reply.Items[0])
		}
	}
	unchanged := engine.Reply{Object: seen.Object}
	if restoreManaged(&unchanged, call, seen); &unchanged.Object[0] != &with[0] {
		t.Fatal("an unchanged object was copied")
	}
}

func TestRequestSegment(t *testing.T) {
	info := &engine.RequestInfo{Verb: "create", Version: "v1", Resource: "pods", Namespace: "d", DryRun: true,
		User: engine.User{Name: `a"b`, Groups: []string{"g", "é"}}}
	want := `{"verb":"create","version":"v1","resource":"pods","namespace":"d","user":{"name":"a\"b","groups":["g","é"]},"dryRun":true}`
	if got := string(appendRequest(nil, info)); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}
