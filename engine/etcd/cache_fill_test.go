package etcd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// TestCacheWithoutEtcd: while etcd cannot be asked, no read is answered with what may be stale. After that, and
// with a gap in what etcd still knows, watchers have to begin anew, and readers see what is there.
func TestCacheWithoutEtcd(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0"})
	between := startProxy(t, server.ClientURL())
	direct := server.Storage("registry")
	c := filled(t, New(between.client(t), "registry"), "/pods/", CacheOptions{})
	for i := range 20 {
		key := fmt.Sprintf("/pods/%02d", i)
		put(t, direct, key, "before")
	}
	page, err := c.List(ctx, "/pods/", engine.ListOptions{})
	if err != nil || len(page.Items) != 20 {
		t.Fatalf("%d items, %v", len(page.Items), err)
	}
	watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{After: page.Revision})
	if err != nil {
		t.Fatal(err)
	}

	between.cut(true)
	put(t, direct, "/pods/05", "during")
	put(t, direct, "/pods/99", "during")
	for _, key := range []string{"/pods/07", "/pods/08"} {
		item, err := direct.Get(ctx, key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := direct.Delete(ctx, key, item.Revision, engine.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	last := put(t, direct, "/pods/08", "again")
	short, stop := context.WithTimeout(ctx, 100*time.Millisecond)
	defer stop()
	if item, err := c.Get(short, "/pods/05"); err == nil {
		t.Errorf("a read without etcd is answered: %+v", item)
	}
	if _, err := server.Client().Compact(ctx, last); err != nil {
		t.Fatal(err)
	}
	between.cut(false)

	item, err := c.Get(ctx, "/pods/05")
	if err != nil || string(item.Data) != "during" {
		t.Errorf("%+v %v", item, err)
	}
	// What was deleted and made again in the gap nobody can tell: the watch of before ends, and one of now sees what comes.
	for event := range watcher.Events() {
		t.Errorf("an event across the gap: %+v", event)
	}
	var compacted *engine.CompactedError
	if !errors.As(watcher.Err(), &compacted) || compacted.Compacted < last {
		t.Errorf("the watch ended with %v", watcher.Err())
	}
	final, err := c.List(ctx, "/pods/", engine.ListOptions{})
	if err != nil || len(final.Items) != 20 {
		t.Fatalf("%d items, %v", len(final.Items), err)
	}
	watcher, err = c.Watch(ctx, "/pods/", engine.WatchOptions{After: final.Revision})
	if err != nil {
		t.Fatal(err)
	}
	next := put(t, direct, "/pods/05", "after")
	if event := <-watcher.Events(); event.Revision != next || string(event.Prev) != "during" {
		t.Errorf("%+v", event)
	}
}

// TestFillThatFallsBehind: events that could not be kept make the list useless, and so does a gap.
func TestFillThatFallsBehind(t *testing.T) {
	c := &Cache{prefix: "/", ready: make(chan struct{}), dirty: make(chan struct{}, 1), fill: newFill(), ring: ring{mostEvents: 10, mostBytes: 1000}}
	event := engine.Event{Type: engine.Created, Key: "/a", Data: make([]byte, mostPendingBytes/4), Revision: 7}
	turn, due := c.beginFill()
	for range 5 {
		c.take([]engine.Event{event})
	}
	c.fillWith(turn, nil, 6)
	if !due || c.view.Load() != nil {
		t.Fatal("a list whose events were dropped is used")
	}
	turn, due = c.beginFill()
	c.refill()
	c.fillWith(turn, nil, 8)
	if !due || c.view.Load() != nil {
		t.Fatal("a list from before a gap is used")
	}
	turn, _ = c.beginFill()
	event.Revision, event.Data = 9, []byte("v")
	c.take([]engine.Event{event})
	c.fillWith(turn, nil, 8)
	if v := c.view.Load(); v == nil || v.revision != 9 || v.index.count != 1 {
		t.Fatalf("%+v", v)
	}
	if _, due = c.beginFill(); due {
		t.Error("the cache still has to be filled")
	}
}
