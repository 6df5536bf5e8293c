package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/controllertest"
)

// interrupted is a storage where something happens between the admission of a create and the create.
type interrupted struct {
	engine.Storage
	meanwhile func()
}

func (s *interrupted) Create(ctx context.Context, key string, value []byte, opts engine.WriteOptions) (int64, error) {
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return s.Storage.Create(ctx, key, value, opts)
}

// remembering is a storage whose memory has not heard of anything that came after an item.
type remembering struct {
	engine.Storage
	item engine.Item
}

func (s remembering) Peek(key string) (engine.Item, bool) { return s.item, key == s.item.Key }

// createThing creates a thing in the namespace a.
func createThing(ctx context.Context, store *engine.Store, name string) error {
	info := &engine.RequestInfo{Verb: "create", Group: "example.com", Version: "v1", Resource: "things", Namespace: "a", Time: time.Now()}
	_, err := store.Create(ctx, engine.CreateRequest{Info: info, Object: engine.Object(fmt.Sprintf(`{"metadata":{"name":%q}}`, name))})
	return err
}

func TestANamespaceThatChangesBehindAnAdmission(t *testing.T) {
	for _, test := range []struct {
		name      string
		meanwhile func(*controllertest.Cluster)
		want      string // what the error says; "": the object is there
	}{
		{"labelled", func(c *controllertest.Cluster) { c.Patch(namespace("a"), `{"metadata":{"labels":{"x":"y"}}}`) }, ""},
		{"ending", func(c *controllertest.Cluster) { c.Delete(namespace("a"), "") }, "because it is being terminated"},
		{"gone", func(c *controllertest.Cluster) { dropNamespace(c) }, `namespaces "a" not found`},
		{"another", func(c *controllertest.Cluster) { dropNamespace(c); c.Create(namespace("a")) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := controllertest.New(t, namespaceKind(t), things)
			c.Create(namespace("a"))
			item, err := c.Storage.Get(c.Ctx, namespaceKey("a"))
			if err != nil {
				t.Fatal(err)
			}
			storage := &interrupted{c.Storage, func() { test.meanwhile(c) }}
			store := engine.NewStore(things, storage, engine.Options{Admission: &lifecycle{remembering{c.Storage, item}}})
			if err := createThing(c.Ctx, store, "x"); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if page, err := c.Storage.List(c.Ctx, things.KeyRoot+"/", engine.ListOptions{}); err != nil || (page.Count == 1) != (test.want == "") {
				t.Errorf("%d things are stored (%v)", page.Count, err)
			}
		})
	}
}

// dropNamespace takes the namespace a away, as the end of its finalizers does.
func dropNamespace(c *controllertest.Cluster) {
	c.Helper()
	item, err := c.Storage.Get(c.Ctx, namespaceKey("a"))
	if err == nil {
		_, err = c.Storage.Delete(c.Ctx, item.Key, item.Revision, engine.WriteOptions{})
	}
	if err != nil {
		c.Fatal(err)
	}
}

// TestNothingOutlivesItsNamespace has many create while namespaces end, again and again.
func TestNothingOutlivesItsNamespace(t *testing.T) {
	c := controllertest.New(t, namespaceKind(t), things)
	emptyNamespaces(c)
	for round := range 10 {
		c.Create(namespace("a"))
		item, err := c.Storage.Get(c.Ctx, namespaceKey("a"))
		if err != nil {
			t.Fatal(err)
		}
		store := engine.NewStore(things, c.Storage, engine.Options{Admission: &lifecycle{remembering{c.Storage, item}}})
		var group sync.WaitGroup
		var made atomic.Int32
		var stop atomic.Bool
		for worker := range 4 {
			group.Go(func() {
				for n := 0; !stop.Load() && createThing(c.Ctx, store, fmt.Sprintf("t%d-%d", worker, n)) == nil; n++ {
					made.Add(1)
				}
			})
		}
		c.Until("something is made", func() bool { return made.Load() > 5 })
		c.Delete(namespace("a"), "")
		c.Gone(namespace("a"))
		stop.Store(true)
		group.Wait()
		if page, err := c.Storage.List(c.Ctx, things.KeyRoot+"/", engine.ListOptions{}); err != nil || page.Count != 0 {
			t.Fatalf("round %d: %d things have outlived their namespace (%v)", round, page.Count, err)
		}
	}
}
