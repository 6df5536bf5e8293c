package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
	"github.com/stratagem-dev/stratagem/server/controllers/controllertest"
	"github.com/stratagem-dev/stratagem/server/controllers/namespaces"
)

func namespace(name string) controllertest.Object {
	return controllertest.Object{Resource: "namespaces", Name: name}
}

func thing(ns, name string) controllertest.Object {
	return controllertest.Object{Resource: "things", Namespace: ns, Name: name}
}

var (
	things  = controllertest.Kind("Thing", "things", true)
	gadgets = controllertest.Kind("Gadget", "gadgets", true)
)

func namespaceKind(t *testing.T) *engine.Resource {
	t.Helper()
	r, err := namespaceResource()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// emptyNamespaces runs a namespace controller until stop is called.
func emptyNamespaces(c *controllertest.Cluster) (stop func()) {
	ctx, cancel := context.WithCancel(c.Ctx)
	controller := namespaces.New(c, slog.New(slog.DiscardHandler))
	feed := controllers.NewFeed(c, slog.New(slog.DiscardHandler), controller)
	feed.Start(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		controller.Run(ctx)
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-done
			feed.Wait()
		})
	}
	c.Cleanup(stop)
	return stop
}

func conditionOf(obj engine.Object, kind string) gjson.Result {
	return gjson.GetBytes(obj, `status.conditions.#(type=="`+kind+`")`)
}

func TestNamespaceOfItsOwn(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t))
	obj := c.Create(namespace("a"), `"labels":{"x":"1"}`)
	for path, want := range map[string]string{
		"spec": `{"finalizers":["kubernetes"]}`, "status": `{"phase":"Active"}`, "metadata.labels": `{"kubernetes.io/metadata.name":"a","x":"1"}`,
	} {
		if got := gjson.GetBytes(obj, path).Raw; got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	// Finalizers of the spec and the status are not what an update of the namespace changes.
	c.Patch(namespace("a"), `{"spec":{"finalizers":[]},"status":{"phase":"Terminating"}}`)
	if got := c.Get(namespace("a")); got.Get("spec").Raw != `{"finalizers":["kubernetes"]}` || got.Get("status").Raw != `{"phase":"Active"}` {
		t.Errorf("%s", got)
	}
}

// write changes a namespace through a subresource.
func write(c *controllertest.Cluster, name, subresource, patch string) error {
	snapshot, _ := c.Snapshot()
	info := &engine.RequestInfo{Verb: "update", Version: "v1", Resource: "namespaces", Subresource: subresource, Name: name, Time: time.Now()}
	_, err := snapshot.Store("", "namespaces").Update(c.Ctx, engine.UpdateRequest{Info: info, Change: engine.MergePatch{Patch: engine.Object(patch)}})
	return err
}

func TestNamespaceStatusAndFinalize(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t))
	c.Create(namespace("a"))
	for _, w := range []struct{ subresource, patch, want string }{
		{"status", `{"status":{"phase":"Terminating"}}`, "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"},
		{"finalize", `{"spec":{"finalizers":["mine"]}}`, `spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified`},
	} {
		var invalid *engine.InvalidError
		if err := write(c, "a", w.subresource, w.patch); !errors.As(err, &invalid) || invalid.Errors.ToAggregate().Error() != w.want {
			t.Errorf("%s: %v", w.subresource, err)
		}
	}
	if err := write(c, "a", "finalize", `{"spec":{"finalizers":["example.com/mine","kubernetes"]},"status":{"phase":"x"}}`); err != nil {
		t.Fatal(err)
	}
	if got := c.Get(namespace("a")); got.Get("spec", "finalizers").Raw != `["example.com/mine","kubernetes"]` || got.Get("status", "phase").Str != "Active" {
		t.Errorf("%s", got)
	}
	c.Delete(namespace("a"), "")
	if err := write(c, "a", "status", `{"status":{"phase":"Active"}}`); err == nil {
		t.Error("a namespace that is being deleted became Active")
	}
	// The last finalizer takes the namespace with it.
	if err := write(c, "a", "finalize", `{"spec":{"finalizers":["kubernetes"]}}`); err != nil {
		t.Fatal(err)
	}
	c.There(namespace("a"))
	if err := write(c, "a", "finalize", `{"spec":{"finalizers":[]}}`); err != nil {
		t.Fatal(err)
	}
	c.Gone(namespace("a"))
}

func TestTerminatingNamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t))
	for policy, want := range map[metav1.DeletionPropagation]string{
		"": "", metav1.DeletePropagationBackground: "", metav1.DeletePropagationForeground: `["foregroundDeletion"]`, metav1.DeletePropagationOrphan: `["orphan"]`,
	} {
		name := "with" + strings.ToLower(string(policy))
		c.Create(namespace(name))
		c.Delete(namespace(name), policy)
		first := c.Get(namespace(name))
		if !first.Deleting() || first.Get("status", "phase").Str != "Terminating" || first.Get("metadata", "finalizers").Raw != want {
			t.Errorf("%q: %s", policy, first)
		}
		// A second deletion changes nothing and is no error.
		c.Delete(namespace(name), policy)
		if second := c.Get(namespace(name)); string(second) != string(first) {
			t.Errorf("%q: %s became %s", policy, first, second)
		}
	}
}

func TestLifecycleAdmission(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things)
	c.Create(namespace("a"))
	c.Delete(namespace("a"), "")
	store := engine.NewStore(things, c.Storage, engine.Options{Admission: &lifecycle{c.Storage}})
	create := func(namespace, metadata string) error {
		info := &engine.RequestInfo{Verb: "create", Group: "example.com", Version: "v1", Resource: "things", Namespace: namespace, Time: time.Now()}
		_, err := store.Create(c.Ctx, engine.CreateRequest{Info: info, Object: engine.Object(`{"metadata":{` + metadata + `}}`)})
		return err
	}
	for metadata, name := range map[string]string{`"name":"x"`: "x", `"generateName":"x-"`: "x-", ``: "Unknown"} {
		status := statusOf(create("a", metadata), nil)
		want := fmt.Sprintf(`things.example.com %q is forbidden: unable to create new content in namespace a because it is being terminated`, name)
		if status.Code != 403 || status.Reason != metav1.StatusReasonForbidden || status.Message != want {
			t.Errorf("%+v, want %s", status, want)
		}
		cause := metav1.StatusCause{Type: "NamespaceTerminating", Message: "namespace a is being terminated", Field: "metadata.namespace"}
		if len(status.Details.Causes) != 1 || status.Details.Causes[0] != cause {
			t.Errorf("causes %+v", status.Details.Causes)
		}
	}
	if status := statusOf(create("none", `"name":"x"`), nil); status.Code != 404 || status.Message != `namespaces "none" not found` {
		t.Errorf("%+v", status)
	}
	for name, want := range map[string]string{"default": "this namespace may not be deleted", "kube-system": "this namespace may not be deleted", "other": ""} {
		_, err := (&lifecycle{c.Storage}).Admit(c.Ctx, namespaceKind(t), &engine.RequestInfo{Verb: "delete", Name: name}, engine.Guard{})
		if (err != nil) != (want != "") || err != nil && err.Error() != fmt.Sprintf("namespaces %q is forbidden: %s", name, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEmptyingANamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things, gadgets)
	emptyNamespaces(c)
	c.Create(namespace("a"))
	c.Create(namespace("b"))
	for i := range 50 {
		c.Create(thing("a", fmt.Sprintf("t%d", i)))
		c.Create(controllertest.Object{Resource: "gadgets", Namespace: "a", Name: fmt.Sprintf("g%d", i)})
	}
	c.Create(thing("b", "other"))
	c.Delete(namespace("a"), "")
	c.Gone(namespace("a"))
	snapshot, _ := c.Snapshot()
	for _, plural := range []string{"things", "gadgets"} {
		page, err := c.Storage.List(c.Ctx, snapshot.Store("example.com", plural).Resource.KeyRoot+"/a/", engine.ListOptions{})
		if err != nil || page.Count != 0 {
			t.Errorf("%d %s are left (%v)", page.Count, plural, err)
		}
	}
	c.There(namespace("b"), thing("b", "other"))
}

func TestFinalizersInANamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things, gadgets)
	emptyNamespaces(c)
	c.Create(namespace("a"))
	for i := range 2 {
		c.Create(thing("a", fmt.Sprintf("t%d", i)), `"finalizers":["example.com/f"]`)
	}
	c.Delete(namespace("a"), "")
	c.Until("the conditions tell of what remains", func() bool {
		return conditionOf(c.Get(namespace("a")), "NamespaceContentRemaining").Get("status").Str == "True"
	})
	ns := c.Get(namespace("a"))
	for kind, want := range map[string][3]string{
		"NamespaceDeletionDiscoveryFailure":           {"False", "ResourcesDiscovered", "All resources successfully discovered"},
		"NamespaceDeletionGroupVersionParsingFailure": {"False", "ParsedGroupVersions", "All legacy kube types successfully parsed"},
		"NamespaceDeletionContentFailure":             {"False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
		"NamespaceContentRemaining":                   {"True", "SomeResourcesRemain", "Some resources are remaining: things.example.com has 2 resource instances"},
		"NamespaceFinalizersRemaining":                {"True", "SomeFinalizersRemain", "Some finalizers are remaining: example.com/f in 2 resource instances"},
	} {
		got := conditionOf(ns, kind)
		if have := [3]string{got.Get("status").Str, got.Get("reason").Str, got.Get("message").Str}; have != want || got.Get("lastTransitionTime").Str == "" {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	for i := range 2 {
		c.Patch(thing("a", fmt.Sprintf("t%d", i)), `{"metadata":{"finalizers":null}}`)
	}
	c.Gone(namespace("a"))
}

func TestOtherFinalizersOfANamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things)
	emptyNamespaces(c)
	c.Create(namespace("a"), `"finalizers":["example.com/f"]`)
	c.Create(thing("a", "t"))
	c.Delete(namespace("a"), "")
	c.Gone(thing("a", "t"))
	c.Until("the server's own finalizer is gone", func() bool { return !c.Get(namespace("a")).Get("spec", "finalizers").Exists() })
	c.Patch(namespace("a"), `{"metadata":{"finalizers":null}}`)
	c.Gone(namespace("a"))
}

func TestDiscoveryFailureKeepsANamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things)
	emptyNamespaces(c)
	c.Create(namespace("a"))
	c.Break(errors.New("plugin \"x\" cannot be loaded"))
	c.Delete(namespace("a"), "")
	c.Until("the condition tells of it", func() bool {
		return conditionOf(c.Get(namespace("a")), "NamespaceDeletionDiscoveryFailure").Get("message").Str == `plugin "x" cannot be loaded`
	})
	c.Break(nil)
	c.Gone(namespace("a"))
}

// TestResourcesThatAreServedLater: a namespace that is held meanwhile is emptied of what is served later, too.
func TestResourcesThatAreServedLater(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things, gadgets)
	gadget := controllertest.Object{Resource: "gadgets", Namespace: "a", Name: "g"}
	c.Create(namespace("a"))
	c.Create(gadget)
	c.Create(thing("a", "t"), `"finalizers":["example.com/f"]`)
	c.Serve(namespaceKind(t), things)
	emptyNamespaces(c)
	c.Delete(namespace("a"), "")
	c.Until("the thing is being deleted", func() bool { return c.Get(thing("a", "t")).Deleting() })
	c.Serve(namespaceKind(t), things, gadgets)
	c.Patch(thing("a", "t"), `{"metadata":{"finalizers":null}}`)
	c.Gone(namespace("a"), gadget)
}

func TestSeveralServersAndARestart(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things)
	stop := emptyNamespaces(c)
	emptyNamespaces(c.Beside(namespaceKind(t), things))
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		c.Create(namespace(name))
		for j := range 5 {
			c.Create(thing(name, fmt.Sprintf("t%d", j)))
		}
		c.Delete(namespace(name), "")
		if i == 5 {
			stop()
		}
	}
	for i := range 10 {
		c.Gone(namespace(fmt.Sprintf("n%d", i)))
	}
	later := controllertest.New(t, namespaceKind(t), things)
	later.Create(namespace("a"))
	later.Create(thing("a", "t"))
	later.Delete(namespace("a"), "")
	emptyNamespaces(later)
	later.Gone(namespace("a"))
}

// TestNamespaceThatCameBack: preconditions hold a deletion off a namespace that is another by now.
func TestNamespaceThatCameBack(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t))
	c.Create(namespace("a"))
	snapshot, _ := c.Snapshot()
	uid := types.UID("other")
	_, err := snapshot.Store("", "namespaces").Delete(c.Ctx, engine.DeleteRequest{
		Info:    &engine.RequestInfo{Verb: "delete", Version: "v1", Resource: "namespaces", Name: "a", Time: time.Now()},
		Options: metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}},
	})
	var conflict *engine.ConflictError
	if !errors.As(err, &conflict) || c.Get(namespace("a")).Deleting() {
		t.Errorf("%v", err)
	}
}
