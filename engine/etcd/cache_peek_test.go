package etcd

import (
	"fmt"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// TestPeek sees its own writes at once, and says so when it cannot.
func TestPeek(t *testing.T) {
	ctx := t.Context()
	server, err := Start(EmbedConfig{DataDir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := NewCache(server.Storage("/registry"), "/things/", CacheOptions{})
	defer c.Stop()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if _, known := c.Peek("/things/a"); known {
		t.Fatal("it shows what is not there")
	}
	revision, err := c.Create(ctx, "/things/a", []byte("1"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		value := fmt.Sprint(i)
		if revision, err = c.Update(ctx, "/things/a", []byte(value), revision, engine.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if item, known := c.Peek("/things/a"); known && string(item.Data) != value {
			t.Fatalf("after writing %s it shows %s", value, item.Data)
		}
	}
	if _, err := c.Delete(ctx, "/things/a", revision, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, known := c.Peek("/things/a"); known {
		t.Fatal("it shows what has been deleted")
	}
}
