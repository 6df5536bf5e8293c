package etcd

import (
	"context"
	"fmt"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// A server that is closed in the middle of a flood of events, with the values before them, closes.
func TestCloseWhileEventsAreDelivered(t *testing.T) {
	ctx := context.Background()
	for range 5 {
		server := startServer(t, EmbedConfig{DataDir: t.TempDir(), NoSync: true})
		storage := server.Storage("registry")
		revision, err := storage.Create(ctx, "/a", make([]byte, 10_000), engine.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			if revision, err = storage.Update(ctx, "/a", fmt.Appendf(make([]byte, 10_000), "%d", i), revision, engine.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		for range 8 {
			if first := <-server.Client().Watch(ctx, "/registry/a", clientv3.WithRev(1), clientv3.WithPrevKV()); first.Err() != nil {
				t.Fatal(first.Err())
			}
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
