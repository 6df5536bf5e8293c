package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// TestCacheSlowWatcher: who does not keep up is ended, and can go on where it was.
func TestCacheSlowWatcher(t *testing.T) {
	const n = 300
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{Events: 10})
	after, err := c.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{After: after})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		put(t, c, fmt.Sprintf("/pods/%03d", i), "v")
	}
	if _, err := c.List(ctx, "/pods/", engine.ListOptions{}); err != nil { // now the cache has them all
		t.Fatal(err)
	}
	seen := 0
	for event := range watcher.Events() {
		if event.Key != fmt.Sprintf("/pods/%03d", seen) {
			t.Fatalf("event %d is of %s", seen, event.Key)
		}
		after = event.Revision
		seen++
	}
	if !errors.Is(watcher.Err(), ErrSlowWatcher) || seen == n {
		t.Errorf("after %d events: %v", seen, watcher.Err())
	}
	if watcher, err = c.Watch(ctx, "/pods/", engine.WatchOptions{After: after}); err != nil {
		t.Fatal(err)
	}
	for ; seen < n; seen++ {
		if event := <-watcher.Events(); event.Key != fmt.Sprintf("/pods/%03d", seen) {
			t.Fatalf("event %d is of %s", seen, event.Key)
		}
	}
}

func TestCacheProgress(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{})
	watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		put(t, c, "/pods/"+strconv.Itoa(i), "v")
	}
	revision := put(t, c, "/services/a", "v")
	if err := watcher.(*cacheWatcher).RequestProgress(ctx); err != nil {
		t.Fatal(err)
	}
	events := 0
	for event := range watcher.Events() {
		if event.Type != engine.Progress {
			events++
			continue
		}
		if event.Revision < revision || events != 20 {
			t.Errorf("progress to %d after %d events, the newest revision is %d", event.Revision, events, revision)
		}
		break
	}
}

func TestCacheStop(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	put(t, storage, "/pods/a", "v")
	filled(t, storage, "/pods/", CacheOptions{}).Stop()
	for range 5 {
		first, second := filled(t, storage, "/pods/", CacheOptions{}), filled(t, storage, "/pods/", CacheOptions{})
		watcher, err := first.Watch(ctx, "/pods/", engine.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		first.Stop()
		first.Stop()
		for range watcher.Events() {
		}
		if err := watcher.Err(); !errors.Is(err, engine.ErrStopped) {
			t.Errorf("the watch ended with %v", err)
		}
		revision := put(t, first, "/pods/a", "w")
		for _, c := range []*Cache{first, second} {
			if item, err := c.Get(ctx, "/pods/a"); err != nil || item.Revision != revision {
				t.Errorf("%+v %v, want revision %d", item, err, revision)
			}
		}
		second.Stop()
	}
	settle(t, "etcd.(*Cache).", "etcd.(*hub).", "etcd.(*cacheWatcher).", "clientv3.(*watchGrpcStream).")
}

func TestCacheOfAClosedClient(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{})
	watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	for range watcher.Events() {
	}
	if err := watcher.Err(); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("the watch ended with %v", err)
	}
	if _, err := c.Get(ctx, "/pods/a"); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("get: %v", err)
	}
	if _, err := c.List(ctx, "/pods/", engine.ListOptions{}); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("list: %v", err)
	}
}
