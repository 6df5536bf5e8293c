package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// ledger is a native strategy that notes which of its hooks ran.
type ledger struct {
	entries []string
	meddle  func() // runs in BeginUpdate, once
	keep    bool   // ShouldDeleteDuringUpdate says no
}

func (l *ledger) note(format string, args ...any) {
	l.entries = append(l.entries, fmt.Sprintf(format, args...))
}

func (l *ledger) begin(what string, call *engine.Call) (engine.Finish, error) {
	l.note("begin %s %s", what, call.Object.Name())
	if call.Object.Get("spec", "color").String() == "none" {
		return nil, errors.New("no colors left")
	}
	return func(ctx context.Context, stored bool) { l.note("finish %t", stored && ctx.Err() == nil) }, nil
}

func (l *ledger) BeginCreate(_ context.Context, call *engine.Call) (engine.Finish, error) {
	return l.begin("create", call)
}

func (l *ledger) BeginUpdate(_ context.Context, call *engine.Call) (engine.Finish, error) {
	if meddle := l.meddle; meddle != nil {
		l.meddle = nil
		meddle()
	}
	return l.begin("update", call)
}

func (l *ledger) AfterCreate(_ context.Context, call *engine.Call) {
	l.note("created %s", call.Object.Name())
}

func (l *ledger) AfterUpdate(_ context.Context, call *engine.Call) {
	l.note("updated %s from %s", call.Object.Get("spec", "color"), call.Old.Get("spec", "color"))
}

func (l *ledger) AfterDelete(_ context.Context, call *engine.Call) {
	l.note("deleted %s", call.Object.Name())
}

func (l *ledger) validate(call *engine.Call) (errs field.ErrorList) {
	if call.Object.Get("spec", "color").String() == "ugly" {
		errs = append(errs, field.Invalid(field.NewPath("spec", "color"), "ugly", "must be nice"))
	}
	return errs
}

func (l *ledger) Validate(_ context.Context, call *engine.Call) field.ErrorList {
	return l.validate(call)
}
func (l *ledger) ValidateUpdate(_ context.Context, call *engine.Call) field.ErrorList {
	return l.validate(call)
}

func (l *ledger) ShouldDeleteDuringUpdate(context.Context, *engine.Call) bool { return !l.keep }

// wrote compares what was noted since the last time.
func (l *ledger) wrote(t *testing.T, what string, want ...string) {
	t.Helper()
	if !slices.Equal(l.entries, want) {
		t.Errorf("%s:\n  got  %q\n  want %q", what, l.entries, want)
	}
	l.entries = nil
}

func painted(name, color string) string {
	return fmt.Sprintf(`{"metadata":{"name":"%s"},"spec":{"color":"%s"}}`, name, color)
}

func TestHooksAroundACreate(t *testing.T) {
	l := &ledger{}
	w := newWorld(t, hooked(engine.NewNative(l)))
	w.create(painted("a", "red"))
	l.wrote(t, "create", "begin create a", "finish true", "created a")
	w.writesNothing(func() {
		for color, want := range map[string][]string{"ugly": {"begin create b", "finish false"}, "none": {"begin create b"}} {
			if _, err := w.tryCreate(painted("b", color)); err == nil {
				t.Errorf("%s was taken", color)
			}
			l.wrote(t, color, want...)
		}
		_, err := w.tryCreate(painted("a", "red"))
		failsAs[*engine.AlreadyExistsError](t, err)
		l.wrote(t, "a name that is taken", "begin create a", "finish false")
		info := w.info("create", "")
		info.DryRun = true
		_, err = w.store.Create(w.ctx, engine.CreateRequest{Info: info, Object: w.object(painted("c", "red"))})
		if err != nil {
			t.Error(err)
		}
		l.wrote(t, "dry run", "begin create c", "finish true", "created c")
	})
}

func TestHooksAroundAnUpdate(t *testing.T) {
	l := &ledger{}
	w := newWorld(t, hooked(engine.NewNative(l)))
	w.create(painted("a", "red"))
	l.entries = nil
	w.put("a", painted("a", "blue"))
	l.wrote(t, "update", "begin update a", "finish true", "updated blue from red")
	w.put("a", painted("a", "blue"))
	l.wrote(t, "an update that changes nothing", "begin update a", "finish true", "updated blue from blue")
	for color, want := range map[string][]string{"ugly": {"begin update a", "finish false"}, "none": {"begin update a"}} {
		if _, err := w.tryPut("a", painted("a", color)); err == nil {
			t.Errorf("%s was taken", color)
		}
		l.wrote(t, color, want...)
	}
	l.meddle = func() {
		item, err := w.storage.Get(w.ctx, "/example.com/widgets/ns/a")
		if err == nil {
			_, err = w.storage.Update(w.ctx, item.Key, []byte(strings.Replace(string(item.Data), "blue", "grey", 1)), item.Revision, engine.WriteOptions{})
		}
		if err != nil {
			t.Error(err)
		}
	}
	w.put("a", painted("a", "green"))
	l.wrote(t, "an update that meets another", "begin update a", "finish false", "begin update a", "finish true", "updated green from grey")
}

func TestHooksAroundADelete(t *testing.T) {
	l := &ledger{}
	w := newWorld(t, hooked(engine.NewNative(l)))
	w.create(painted("a", "red"))
	l.entries = nil
	uid := "other"
	precondition := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(uid)}
	if _, err := w.store.Delete(w.ctx, engine.DeleteRequest{Info: w.info("delete", "a"), Options: precondition}); err == nil {
		t.Error("an object of another uid was deleted")
	}
	l.wrote(t, "a deletion that fails")
	w.delete("a", engine.DeleteRequest{})
	l.wrote(t, "delete", "deleted a")

	w.create(`{"metadata":{"name":"b","finalizers":["example.com/f"]},"spec":{"color":"red"}}`)
	l.entries = nil
	w.delete("b", engine.DeleteRequest{})
	l.wrote(t, "a deletion that waits")
	l.keep = true
	w.put("b", painted("b", "blue"))
	l.wrote(t, "the last finalizer of an object that is kept", "begin update b", "finish true", "updated blue from red")
	l.keep = false
	w.put("b", painted("b", "green"))
	l.wrote(t, "an update that completes a deletion", "begin update b", "finish false", "deleted b")
	w.isGone("b")
}

// decorator shows a field that is not stored, and lets its objects live for a while.
type decorator struct{ seconds uint32 }

func (d decorator) TTL(context.Context, *engine.Call) uint32 { return d.seconds }

func (decorator) Decorate(_ context.Context, obj engine.Object) engine.Object {
	return obj.With("zone", []byte(`"north"`))
}

func TestDecorate(t *testing.T) {
	w := newWorld(t, hooked(engine.NewNative(decorator{})))
	watch := w.watch(engine.WatchRequest{ResourceVersion: fmt.Sprint(revisionOf(t, w.named("first")))})
	seen := map[string]engine.Object{"create": w.named("a"), "get": w.get("a"), "update": w.put("a", `{"metadata":{"name":"a"},"spec":{"size":1}}`)}
	seen["list"] = w.list(engine.ListRequest{Limit: 1}).Items[0].Object
	stream, err := w.store.Stream(w.ctx, engine.ListRequest{Info: w.info("list", "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Each(w.ctx, func(item engine.Listed) error { seen["stream"] = item.Object; return nil }); err != nil {
		t.Fatal(err)
	}
	item, err := w.storage.Get(w.ctx, "/example.com/widgets/ns/a")
	if err != nil || strings.Contains(string(item.Data), "zone") {
		t.Errorf("stored: %s (%v)", item.Data, err)
	}
	seen["delete"] = w.delete("a", engine.DeleteRequest{}).Object
	for range 3 {
		event, err := watch.Next(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		seen["watch: "+string(event.Type)] = event.Object
	}
	if len(seen) != 9 {
		t.Errorf("%d ways to see an object", len(seen))
	}
	for what, obj := range seen {
		if obj.Get("zone").String() != "north" {
			t.Errorf("%s: %s", what, obj)
		}
	}
}

// TestTTL: an object that has expired is deleted, and watches say so. An update lets it live on.
func TestTTL(t *testing.T) {
	for _, cached := range []bool{false, true} {
		w := newWorld(t, hooked(engine.NewNative(decorator{seconds: 1})))
		if cached {
			w.cached()
		}
		obj := w.named("a")
		watch := w.watch(engine.WatchRequest{ResourceVersion: obj.ResourceVersion()})
		w.put("a", `{"metadata":{"name":"a"},"spec":{"size":1}}`)
		w.expect(watch, "MODIFIED a", "DELETED a")
		w.isGone("a")
	}
}
