package engine_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// renames converts between example.com, where a gadget has a size, and its cohabitant, where the same field is girth.
func renames(call *engine.Call, reply *engine.Reply) error {
	wanted := call.Options.Get("desiredAPIVersion").String()
	from, to := "size", "girth"
	if wanted == "example.com/v1" {
		from, to = to, from
	}
	for _, item := range call.Items {
		fields := item.Fields()
		value := fields.Get(from)
		fields.Set(from, nil)
		fields.Set(to, value)
		fields.SetString("apiVersion", wanted)
		reply.Items = append(reply.Items, fields.Raw())
	}
	return nil
}

// cohabit makes two worlds that show the same objects: example.com's as they are stored, and the other group's.
func cohabit(t *testing.T) (owner, lodger *world) {
	plain := func(r *engine.Resource) {
		r.Plural, r.KeyRoot, r.Kind, r.SelectableFields = "gadgets", "/gadgets", "Gadget", []string{".size"}
		r.Versions[0].Schema, r.Subresources = nil, nil
	}
	owner = newWorld(t, plain, hooked(script{engine.Convert: renames}))
	lodger = newWorld(t, plain, func(r *engine.Resource) {
		r.Group, r.StoredAs, r.SelectableFields = "lodger.example.com", "example.com/v1", []string{".girth"}
		r.FieldLabels = map[string][]string{"broad": {".nothing", ".girth"}}
	}, hooked(script{engine.Convert: renames, engine.Validate: func(call *engine.Call, reply *engine.Reply) error {
		if call.Object.APIVersion() != "lodger.example.com/v1" {
			t.Errorf("a hook gets %s", call.Object)
		}
		return nil
	}}))
	lodger.storage = owner.storage
	owner.store.Resource.Cohabitants = []*engine.Resource{lodger.store.Resource}
	lodger.store.Resource.Cohabitants = []*engine.Resource{owner.store.Resource}
	owner.store = engine.NewStore(owner.store.Resource, owner.storage, engine.Options{})
	lodger.store = engine.NewStore(lodger.store.Resource, owner.storage, engine.Options{})
	return owner, lodger
}

// What is written through one is read through the other, at the same revision and in the owner's form in the storage.
func TestCohabitants(t *testing.T) {
	owner, lodger := cohabit(t)
	made := lodger.create(`{"metadata":{"name":"a"},"girth":3}`)
	is(t, made, "apiVersion", `"lodger.example.com/v1"`)
	is(t, made, "girth", `3`)
	item, err := owner.storage.Get(owner.ctx, "/gadgets/ns/a")
	if err != nil || !strings.HasPrefix(string(item.Data), `{"apiVersion":"example.com/v1"`) || !strings.HasSuffix(string(item.Data), `"size":3}`) {
		t.Errorf("stored: %s, %v", item.Data, err)
	}
	seen := owner.get("a")
	is(t, seen, "size", `3`)
	is(t, seen, "girth", ``)
	is(t, seen, "metadata.resourceVersion", string(made.Get("metadata", "resourceVersion").Raw))
	is(t, seen, "metadata.uid", string(made.Get("metadata", "uid").Raw))

	owner.put("a", `{"metadata":{"name":"a"},"size":4}`)
	is(t, lodger.get("a"), "girth", `4`)
	owner.writesNothing(func() { lodger.put("a", `{"metadata":{"name":"a"},"girth":4}`) })
	_, err = owner.tryCreate(`{"metadata":{"name":"a"},"size":1}`)
	failsAs[*engine.AlreadyExistsError](t, err)
	if _, err := lodger.store.Delete(lodger.ctx, engine.DeleteRequest{Info: lodger.info("delete", "a")}); err != nil {
		t.Fatal(err)
	}
	owner.isGone("a")
}

// Each one's list, selectors and watch speak its own form.
func TestCohabitantsListAndWatch(t *testing.T) {
	owner, lodger := cohabit(t)
	for name, size := range map[string]string{"a": "1", "b": "2"} {
		owner.create(`{"metadata":{"name":"` + name + `"},"size":` + size + `}`)
	}
	for fields, want := range map[string]string{"": "ab", "girth=2": "b", "broad=1": "a", "broad!=1": "b"} {
		selector, err := lodger.store.Resource.ParseSelector("", fields)
		if err != nil {
			t.Fatalf("%s: %v", fields, err)
		}
		list, err := lodger.store.List(lodger.ctx, engine.ListRequest{Info: lodger.info("list", ""), Selector: selector})
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for _, item := range list.Items {
			names += item.Object.Name()
			is(t, item.Object, "size", ``)
		}
		if names != want {
			t.Errorf("%s: %q, want %q", fields, names, want)
		}
	}
	if _, err := owner.store.Resource.ParseSelector("", "girth=2"); err == nil {
		t.Error("the owner selects by a field of the lodger")
	}
	watch, err := lodger.store.Watch(lodger.ctx, engine.WatchRequest{Info: lodger.info("watch", ""), ResourceVersion: owner.get("b").ResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	owner.put("a", `{"metadata":{"name":"a"},"size":9}`)
	for { // the one that was created second may have been a
		event, err := watch.Next(lodger.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if event.Type == engine.EventModified {
			is(t, event.Object, "girth", `9`)
			is(t, event.Object, "apiVersion", `"lodger.example.com/v1"`)
			break
		}
	}
}

// Writes through either are guarded by the activation of what defines both.
func TestCohabitantsAreGuarded(t *testing.T) {
	owner, lodger := cohabit(t)
	revision, err := owner.storage.Create(owner.ctx, "/activation", []byte("1"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []*world{owner, lodger} {
		guarded := *w.store.Resource
		guarded.Activation = engine.Guard{Key: "/activation", Revision: revision}
		w.store = engine.NewStore(&guarded, owner.storage, engine.Options{})
	}
	owner.named("a")
	lodger.named("b")
	if _, err := owner.storage.Update(owner.ctx, "/activation", []byte("2"), revision, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*world{owner, lodger} {
		_, err := w.tryCreate(`{"metadata":{"name":"c"}}`)
		failsAs[*engine.StaleError](t, err)
		_, err = w.tryPut("a", `{"metadata":{"name":"a","labels":{"x":"y"}}}`)
		failsAs[*engine.StaleError](t, err)
	}
}

// The operator's word on the time to live goes before the strategy's, where the strategy has one.
func TestTTLByTheOperator(t *testing.T) {
	ttl := script{engine.TTL: func(_ *engine.Call, reply *engine.Reply) error {
		reply.Result = []byte("3600")
		return nil
	}}
	for _, tc := range []struct {
		strategy engine.Strategy
		leases   bool
	}{{ttl, true}, {nil, false}} {
		w := newWorld(t, hooked(tc.strategy))
		asked := &ttlStorage{Storage: w.storage}
		w.store = engine.NewStore(w.store.Resource, asked, engine.Options{TTL: map[schema.GroupResource]int64{w.store.Resource.GroupResource(): 90}})
		w.named("a")
		if want := map[bool]int64{true: 90}[tc.leases]; asked.ttl != want {
			t.Errorf("lives for %d s, want %d", asked.ttl, want)
		}
	}
}

// ttlStorage notes how long what is created is to live.
type ttlStorage struct {
	engine.Storage
	ttl int64
}

func (s *ttlStorage) Create(ctx context.Context, key string, data []byte, options engine.WriteOptions) (int64, error) {
	s.ttl = options.TTL
	return s.Storage.Create(ctx, key, data, options)
}
