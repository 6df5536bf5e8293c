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

// harness is two Storages below a prefix of their own.
func harness(first, second *clientv3.Client) storagetest.Harness {
	prefix := fmt.Sprintf("registry/%d", prefixes.Add(1))
	return storagetest.Harness{
		Storage: etcd.New(first, prefix),
		Second:  etcd.New(second, prefix),
		Compact: func(ctx context.Context, revision int64) error {
			_, err := first.Compact(ctx, revision)
			return err
		},
		TooLarge: etcd.MaxRequestBytes + 1,
	}
}

func TestStorageInProcess(t *testing.T) {
	server := start(t, etcd.EmbedConfig{})
	storagetest.Run(t, func(*testing.T) storagetest.Harness {
		return harness(server.Client(), server.Client())
	})
}

func TestStorageOverLoopback(t *testing.T) {
	server := start(t, etcd.EmbedConfig{ListenClientURL: "http://127.0.0.1:0"})
	first, second := dial(t, server.ClientURL()), dial(t, server.ClientURL())
	storagetest.Run(t, func(*testing.T) storagetest.Harness { return harness(first, second) })
}
