package server_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// heldCache is a cache that is not filled before it is let go of.
type heldCache struct {
	*etcd.Cache
	letGo <-chan struct{}
}

func (c heldCache) Ready(ctx context.Context) error {
	select {
	case <-c.letGo:
		return c.Cache.Ready(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestReadyWaitsForTheCaches: a server with objects to read is alive at once, and ready when it answers from memory.
func TestReadyWaitsForTheCaches(t *testing.T) {
	embedded, err := etcd.Start(etcd.EmbedConfig{DataDir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = embedded.Close() })
	keys, letGo := embedded.Storage("/registry"), make(chan struct{})
	r, stop := startOver(t, keys, func(root string) engine.Storage {
		return heldCache{etcd.NewCache(keys, root+"/", etcd.CacheOptions{}), letGo}
	})
	t.Cleanup(stop)
	if code, body := r.probe(t, "/livez"); code != 200 {
		t.Errorf("/livez is %d %s", code, body)
	}
	if code, body := r.probe(t, "/readyz"); code != 503 || body != "not ready" {
		t.Errorf("/readyz is %d %s before the caches are filled", code, body)
	}
	close(letGo)
	r.waitReady(t)
}

// probe asks without credentials, as a prober does.
func (r *running) probe(tb testing.TB, path string) (code int, body string) {
	tb.Helper()
	resp, err := r.client.Get(r.url + path)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (r *running) waitReady(tb testing.TB) {
	tb.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		code, body := r.probe(tb, "/readyz")
		if code == http.StatusOK {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("not ready: %d %s", code, body)
		}
		select {
		case <-tb.Context().Done():
			tb.Fatal(tb.Context().Err())
		case <-time.After(time.Millisecond):
		}
	}
}
