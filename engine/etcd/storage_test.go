package etcd_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/engine/etcd/storagetest"
)

// start starts an embedded etcd for the test.
func start(t testing.TB, cfg etcd.EmbedConfig) *etcd.Server {
	t.Helper()
	if cfg.DataDir == "" {
		cfg.DataDir = filepath.Join(t.TempDir(), "etcd")
	}
	cfg.NoSync = true
	server, err := etcd.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// dial connects to a server's open port.
func dial(t testing.TB, url string) *clientv3.Client {
	t.Helper()
	client, err := etcd.Dial(etcd.DialConfig{Endpoints: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

var prefixes atomic.Int64

// pair is two Storages below a prefix that no other test has.
func pair(first, second func(prefix string) *etcd.Storage) storagetest.Harness {
	prefix := fmt.Sprintf("registry/%d", prefixes.Add(1))
	return storagetest.Harness{
		Storage:  first(prefix),
		Second:   second(prefix),
		TooLarge: etcd.MaxRequestBytes + 1,
	}
}

// over makes Storages of a client.
func over(client *clientv3.Client) func(string) *etcd.Storage {
	return func(prefix string) *etcd.Storage { return etcd.New(client, prefix) }
}

func compact(client *clientv3.Client) func(context.Context, int64) error {
	return func(ctx context.Context, revision int64) error {
		_, err := client.Compact(ctx, revision)
		return err
	}
}

func TestStorageEmbedded(t *testing.T) {
	server := start(t, etcd.EmbedConfig{})
	storagetest.Run(t, func(*testing.T) storagetest.Harness {
		h := pair(server.Storage, server.Storage)
		h.Compact = compact(server.Client())
		return h
	})
}

func TestStorageOverInProcessClient(t *testing.T) {
	server := start(t, etcd.EmbedConfig{})
	storagetest.Run(t, func(*testing.T) storagetest.Harness {
		h := pair(over(server.Client()), server.Storage)
		h.Compact = compact(server.Client())
		return h
	})
}

func TestStorageOverLoopback(t *testing.T) {
	server := start(t, etcd.EmbedConfig{ListenClientURL: "http://127.0.0.1:0"})
	first, second := dial(t, server.ClientURL()), dial(t, server.ClientURL())
	storagetest.Run(t, func(*testing.T) storagetest.Harness {
		h := pair(over(first), over(second))
		h.Compact = compact(server.Client())
		return h
	})
}
