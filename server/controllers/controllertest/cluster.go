// Package controllertest is a cluster for the tests of controllers: engine stores over one embedded etcd, without HTTP.
package controllertest

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// patience is how long a test waits for what has to come.
const patience = 30 * time.Second

// Cluster serves some resources, which can come and go. It is a controllers.Cluster.
type Cluster struct {
	testing.TB
	Ctx     context.Context
	Storage engine.Storage
	options engine.Options

	mu       sync.Mutex
	snapshot *engine.Snapshot
	changed  chan struct{}
	broken   error
}

// New returns a cluster with these resources over an etcd of its own.
func New(t testing.TB, resources ...*engine.Resource) *Cluster {
	t.Helper()
	server, err := etcd.Start(etcd.EmbedConfig{DataDir: filepath.Join(t.TempDir(), "etcd"), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	t.Cleanup(cancel)
	c := &Cluster{TB: t, Ctx: ctx, Storage: server.Storage("/registry"), changed: make(chan struct{})}
	c.Serve(resources...)
	return c
}

// Beside is another server over the same etcd, with resources of its own.
func (c *Cluster) Beside(resources ...*engine.Resource) *Cluster {
	other := &Cluster{TB: c.TB, Ctx: c.Ctx, Storage: c.Storage, changed: make(chan struct{})}
	other.Serve(resources...)
	return other
}

// Serve puts other resources in the place of those that are served.
func (c *Cluster) Serve(resources ...*engine.Resource) {
	var stores []*engine.Store
	for _, r := range resources {
		stores = append(stores, engine.NewStore(r, c.Storage, c.options))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshot = engine.NewSnapshot(stores)
	close(c.changed)
	c.changed = make(chan struct{})
}

// Break makes Refresh fail; nil mends it.
func (c *Cluster) Break(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = err
}

// Snapshot is what is served.
func (c *Cluster) Snapshot() (*engine.Snapshot, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.snapshot, c.changed
}

// Refresh fails when it has been told to.
func (c *Cluster) Refresh(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// Kind is a resource of group example.com, without schema and hooks.
func Kind(kind, plural string, namespaced bool) *engine.Resource {
	return &engine.Resource{
		Group: "example.com", Plural: plural, Kind: kind, ListKind: kind + "List", Namespaced: namespaced, KeyRoot: "/example.com/" + plural,
		Versions: []engine.Version{{Name: "v1", Served: true, Storage: true}}, Traits: engine.Traits{AllowUnconditionalUpdate: true},
	}
}

// Object names an object of a test: its resource's group is example.com.
type Object struct{ Resource, Namespace, Name string }

func (c *Cluster) store(resource string) (*engine.Store, string) {
	c.Helper()
	snapshot, _ := c.Snapshot()
	for _, group := range []string{"example.com", ""} {
		if store := snapshot.Store(group, resource); store != nil {
			return store, group
		}
	}
	c.Fatalf("%s is not served", resource)
	return nil, ""
}

func (c *Cluster) info(verb string, o Object) (*engine.Store, *engine.RequestInfo) {
	c.Helper()
	store, group := c.store(o.Resource)
	return store, &engine.RequestInfo{Verb: verb, Group: group, Version: "v1", Resource: o.Resource, Namespace: o.Namespace, Name: o.Name, Time: time.Now()}
}

// Create creates an object with the given members of metadata ("\"finalizers\":[…]") and returns it.
func (c *Cluster) Create(o Object, metadata ...string) engine.Object {
	c.Helper()
	store, info := c.info("create", o)
	info.Name = ""
	text := fmt.Sprintf(`{"metadata":{"name":%q`, o.Name)
	for _, m := range metadata {
		text += "," + m
	}
	obj, _, err := engine.ParseObject([]byte(text + "}}"))
	if err != nil {
		c.Fatal(err)
	}
	result, err := store.Create(c.Ctx, engine.CreateRequest{Info: info, Object: obj})
	if err != nil {
		c.Fatalf("create %v: %v", o, err)
	}
	return result.Object
}

// Delete deletes an object under a policy, "" for none.
func (c *Cluster) Delete(o Object, policy metav1.DeletionPropagation) {
	c.Helper()
	store, info := c.info("delete", o)
	options := metav1.DeleteOptions{}
	if policy != "" {
		options.PropagationPolicy = &policy
	}
	if _, err := store.Delete(c.Ctx, engine.DeleteRequest{Info: info, Options: options}); err != nil {
		c.Fatalf("delete %v: %v", o, err)
	}
}

// Patch merges a patch into an object.
func (c *Cluster) Patch(o Object, patch string) {
	c.Helper()
	store, info := c.info("patch", o)
	if _, err := store.Update(c.Ctx, engine.UpdateRequest{Info: info, Change: engine.MergePatch{Patch: engine.Object(patch)}}); err != nil {
		c.Fatalf("patch %v: %v", o, err)
	}
}

// Get returns an object, nil when it is not there.
func (c *Cluster) Get(o Object) engine.Object {
	c.Helper()
	store, info := c.info("get", o)
	obj, err := store.Get(c.Ctx, engine.GetRequest{Info: info})
	if err != nil {
		return nil
	}
	return obj
}

// Gone waits until objects are gone.
func (c *Cluster) Gone(objects ...Object) {
	c.Helper()
	for _, o := range objects {
		c.Until(fmt.Sprintf("%v is gone", o), func() bool { return c.Get(o) == nil })
	}
}

// Until waits for a condition.
func (c *Cluster) Until(what string, holds func() bool) {
	c.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			c.Fatalf("it never came about that %s", what)
		}
	}
}

// There wants objects to be there now.
func (c *Cluster) There(objects ...Object) {
	c.Helper()
	for _, o := range objects {
		if c.Get(o) == nil {
			c.Errorf("%v is gone", o)
		}
	}
}
