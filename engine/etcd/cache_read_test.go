package etcd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// filled is a cache that has been filled.
func filled(t testing.TB, storage *Storage, prefix string, opts CacheOptions) *Cache {
	t.Helper()
	c := NewCache(storage, prefix, opts)
	t.Cleanup(c.Stop)
	if err := c.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	return c
}

func put(t testing.TB, storage engine.Storage, key, value string) int64 {
	t.Helper()
	revision, err := storage.Create(context.Background(), key, []byte(value), engine.WriteOptions{})
	var exists *engine.KeyExistsError
	if errors.As(err, &exists) {
		revision, err = storage.Update(context.Background(), key, []byte(value), exists.Existing.Revision, engine.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// countingKV counts the reads that get as far as etcd.
type countingKV struct {
	clientv3.KV
	reads int
}

func (c *countingKV) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	c.reads++
	return c.KV.Get(ctx, key, opts...)
}

func TestCacheReadsFromMemory(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	counting := &countingKV{KV: server.client.KV}
	server.client.KV = counting
	storage := server.Storage("registry")
	c := filled(t, storage, "/pods/", CacheOptions{})
	var last int64
	for i := range 10 {
		last = put(t, c, fmt.Sprintf("/pods/%d", i), "v")
	}
	counting.reads = 0
	if item, err := c.Get(ctx, "/pods/3"); err != nil || string(item.Data) != "v" {
		t.Errorf("%+v %v", item, err)
	}
	page, err := c.List(ctx, "/pods/", engine.ListOptions{Limit: 4})
	if err != nil || len(page.Items) != 4 || !page.More || page.Revision < last {
		t.Errorf("%+v %v", page, err)
	}
	put(t, c, "/pods/3", "w")
	if page, err = c.List(ctx, "/pods/", engine.ListOptions{Limit: 4, From: page.Items[3].Key, Revision: page.Revision}); err != nil || string(page.Items[0].Data) != "v" {
		t.Errorf("the second page: %+v %v", page, err)
	}
	watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{After: last - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	if event := <-watcher.Events(); event.Key != "/pods/9" {
		t.Errorf("%+v", event)
	}
	if event := <-watcher.Events(); event.Type != engine.Modified || string(event.Prev) != "v" || string(event.Data) != "w" {
		t.Errorf("%+v", event)
	}
	if counting.reads != 0 {
		t.Errorf("%d reads of etcd", counting.reads)
	}
	if _, err := c.Get(ctx, "/services/a"); err == nil || counting.reads == 0 {
		t.Errorf("another prefix is not read from etcd: %v", err)
	}
}

// TestCacheBarrierOfForeignRevisions: a revision of a key that no cache watches is waited for all the same.
func TestCacheBarrierOfForeignRevisions(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0"})
	remote, err := Dial(DialConfig{Endpoints: []string{server.ClientURL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remote.Close() }()
	for name, storage := range map[string]*Storage{"local": server.Storage("registry"), "remote": New(remote, "registry")} {
		c := filled(t, storage, "/pods/", CacheOptions{})
		for range 5 {
			resp, err := server.Client().Put(ctx, "/elsewhere", name)
			if err != nil {
				t.Fatal(err)
			}
			page, err := c.List(ctx, "/pods/", engine.ListOptions{})
			if err != nil || page.Revision < resp.Header.Revision || c.view.Load() == nil {
				t.Errorf("%s: a list of revision %d after a write at %d, %v", name, page.Revision, resp.Header.Revision, err)
			}
		}
	}
}

// TestCachePages: the pages of a list are of one revision, even when etcd has forgotten it.
func TestCachePages(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{})
	for i := range 9 {
		put(t, c, fmt.Sprintf("/pods/%d", i), "old")
	}
	page, err := c.List(ctx, "/pods/", engine.ListOptions{Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	for i := range 9 {
		last = put(t, c, fmt.Sprintf("/pods/%d", i), "new")
	}
	if _, err := server.Client().Compact(ctx, last); err != nil {
		t.Fatal(err)
	}
	for from := 3; from < 9; from += 3 {
		next, err := c.List(ctx, "/pods/", engine.ListOptions{Limit: 3, Revision: page.Revision, From: fmt.Sprintf("/pods/%d", from)})
		if err != nil || len(next.Items) != 3 || next.Revision != page.Revision || next.More != (from < 6) {
			t.Fatalf("%+v %v", next, err)
		}
		for _, item := range next.Items {
			if string(item.Data) != "old" {
				t.Errorf("%s is %q", item.Key, item.Data)
			}
		}
	}
	var compacted *engine.CompactedError
	if _, err := c.List(ctx, "/pods/", engine.ListOptions{Revision: page.Revision - 1}); !errors.As(err, &compacted) {
		t.Errorf("a revision that nobody pages through: %v", err)
	}
}

func TestPinsAreFew(t *testing.T) {
	var p pins
	now := time.Now()
	for revision := range int64(10) {
		p.add(&index{count: int(revision)}, revision, now)
	}
	if len(p.views) != mostPins || p.get(5) != nil || p.get(9).count != 9 {
		t.Errorf("%+v", p.views)
	}
	p.expire(now.Add(pinTime + time.Second))
	if len(p.views) != 0 {
		t.Errorf("%d pins after their time", len(p.views))
	}
}
