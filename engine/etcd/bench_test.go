package etcd

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// benchKeys is how many keys of 2 KiB the benchmarks read from.
const benchKeys = 10_000

// benchStorage is an embedded etcd with keys in it.
func benchStorage(b *testing.B) *Storage {
	b.Helper()
	server, err := Start(EmbedConfig{DataDir: b.TempDir(), NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	storage := server.Storage("registry")
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := worker; i < benchKeys; i += 8 {
				if _, err := storage.Create(context.Background(), benchKey(i), []byte(strings.Repeat("x", 2048)), engine.WriteOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wait.Wait()
	return storage
}

func benchKey(i int) string { return fmt.Sprintf("/pods/default/pod-%05d", i) }

// BenchmarkRead compares the cache with the embedded etcd behind it.
func BenchmarkRead(b *testing.B) {
	ctx, storage := context.Background(), benchStorage(b)
	c := filled(b, storage, "/pods/", CacheOptions{})
	for name, s := range map[string]engine.Storage{"etcd": storage, "cache": c} {
		b.Run("get/"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					if _, err := s.Get(ctx, benchKey(i%benchKeys)); err != nil {
						b.Error(err)
					}
				}
			})
		})
		for _, limit := range []int64{500, 0} {
			b.Run(fmt.Sprintf("list limit=%d/%s", limit, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.List(ctx, "/pods/", engine.ListOptions{Limit: limit}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkReadYourWrite is an update and a read of it through the cache.
func BenchmarkReadYourWrite(b *testing.B) {
	ctx, storage := context.Background(), benchStorage(b)
	c := filled(b, storage, "/pods/", CacheOptions{})
	item, err := c.Get(ctx, benchKey(0))
	if err != nil {
		b.Fatal(err)
	}
	for name, s := range map[string]engine.Storage{"etcd": storage, "cache": c} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Update(ctx, item.Key, item.Data, item.Revision, engine.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
				if item, err = s.Get(ctx, item.Key); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIndexSet changes one of many items.
func BenchmarkIndexSet(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var x index
			items := make([]*engine.Item, n)
			for i := range items {
				items[i] = &engine.Item{Key: fmt.Sprintf("/pods/default/pod-%07d", i)}
			}
			x = newIndex(items)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x = x.set(items[i*7919%n])
			}
		})
	}
}

// BenchmarkWatch delivers one write to many watchers.
func BenchmarkWatch(b *testing.B) {
	const watchers = 100
	ctx := context.Background()
	server, err := Start(EmbedConfig{DataDir: b.TempDir(), NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	c := filled(b, server.Storage("registry"), "/pods/", CacheOptions{})
	var wait sync.WaitGroup
	for range watchers {
		watcher, err := c.Watch(ctx, "/pods/", engine.WatchOptions{})
		if err != nil {
			b.Fatal(err)
		}
		wait.Go(func() {
			for event := range watcher.Events() {
				if event.Key == "/pods/end" {
					watcher.Stop()
				}
			}
		})
	}
	i := 0
	for b.Loop() {
		put(b, c, fmt.Sprintf("/pods/%d", i), "v")
		i++
	}
	put(b, c, "/pods/end", "v")
	wait.Wait()
	b.ReportMetric(float64(i*watchers)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkWatchByValue writes items of a thousand values while a watch of each is open: with a facet, and without one, as each
// would have to look for itself.
func BenchmarkWatchByValue(b *testing.B) {
	const watchers = 1000
	for name, faceted := range map[string]bool{"facet": true, "all": false} {
		b.Run(name, func(b *testing.B) {
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			server, err := Start(EmbedConfig{DataDir: b.TempDir(), NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = server.Close() }()
			c := NewCache(server.Storage("registry"), "/pods/", CacheOptions{})
			defer c.Stop()
			if err := c.Ready(ctx); err != nil {
				b.Fatal(err)
			}
			var seen sync.WaitGroup
			for n := range watchers {
				opts := engine.WatchOptions{}
				value := fmt.Sprintf("n%d/", n)
				if faceted {
					opts.Facet = nodeFacet(value[:len(value)-1])
				}
				w, err := c.Watch(ctx, "/pods/", opts)
				if err != nil {
					b.Fatal(err)
				}
				go func() {
					for event := range w.Events() {
						if strings.HasPrefix(string(event.Data), value) {
							seen.Done()
						}
					}
				}()
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				seen.Add(1)
				put(b, c, fmt.Sprintf("/pods/%d", i), fmt.Sprintf("n%d/", i%watchers))
				if i%64 == 63 {
					seen.Wait()
				}
			}
			seen.Wait()
		})
	}
}
