package etcd_test

import (
	"context"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/engine/etcd/storagetest"
)

// cached puts a cache, filled, in front of a storage.
func cached(t *testing.T, storage engine.Storage, prefix string) *etcd.Cache {
	t.Helper()
	cache := etcd.NewCache(storage.(*etcd.Storage), prefix, etcd.CacheOptions{})
	t.Cleanup(cache.Stop)
	if err := cache.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	return cache
}

func TestCacheEmbedded(t *testing.T) {
	server := start(t, etcd.EmbedConfig{})
	storagetest.Run(t, func(t *testing.T) storagetest.Harness {
		h := pair(server.Storage, server.Storage)
		h.Storage, h.Second = cached(t, h.Storage, "/"), cached(t, h.Second, "/")
		h.Compact, h.Remembers = compact(server.Client()), true
		return h
	})
}

func TestCacheOverLoopback(t *testing.T) {
	server := start(t, etcd.EmbedConfig{ListenClientURL: "http://127.0.0.1:0"})
	first, second := dial(t, server.ClientURL()), dial(t, server.ClientURL())
	storagetest.Run(t, func(t *testing.T) storagetest.Harness {
		h := pair(over(first), over(second))
		h.Storage = cached(t, h.Storage, "/")
		h.Compact, h.Remembers = compact(server.Client()), true
		return h
	})
}

// TestCacheOfAnotherPrefix: what a cache does not hold it passes on.
func TestCacheOfAnotherPrefix(t *testing.T) {
	server := start(t, etcd.EmbedConfig{})
	storagetest.Run(t, func(t *testing.T) storagetest.Harness {
		h := pair(server.Storage, server.Storage)
		h.Storage = cached(t, h.Storage, "/pods/")
		h.Compact = compact(server.Client())
		return h
	})
}
