package etcd

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// TestCompactorsTakeTurns: of several servers one compacts per interval, to where etcd was an interval ago.
func TestCompactorsTakeTurns(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	servers := []*Compactor{{client: server.Client()}, {client: server.Client()}, {client: server.Client()}}

	var before, now int64
	for interval := range 5 {
		revision, err := storage.Create(ctx, fmt.Sprintf("/k%d", interval), nil, engine.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before, now = now, revision
		var done []int64
		for _, c := range servers {
			compacted, err := c.tick(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if compacted != 0 {
				done = append(done, compacted)
			}
		}
		if interval == 0 && len(done) != 0 {
			t.Fatalf("compacted to %v in the first interval", done)
		}
		if interval > 0 && (len(done) != 1 || done[0] < before || done[0] >= now) {
			t.Fatalf("interval %d compacted to %v, want one between %d and %d", interval, done, before, now)
		}
	}
	var compacted *engine.CompactedError
	if _, err := storage.List(ctx, "/", engine.ListOptions{Revision: before - 2}); !errors.As(err, &compacted) {
		t.Errorf("an old revision: %v", err)
	}
	if _, err := storage.List(ctx, "/", engine.ListOptions{Revision: now}); err != nil {
		t.Errorf("a new revision: %v", err)
	}
}

// TestCompactorGoesOn: one that joins late, or meets a revision that is compacted already, finds its place.
func TestCompactorGoesOn(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	old, late := &Compactor{client: server.Client()}, &Compactor{client: server.Client()}
	for i := range 3 {
		if _, err := storage.Create(ctx, fmt.Sprintf("/k%d", i), nil, engine.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := old.tick(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if compacted, err := late.tick(ctx); err != nil || compacted != 0 {
		t.Errorf("%d %v", compacted, err)
	}
	now, err := storage.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Client().Compact(ctx, now); err != nil {
		t.Fatal(err)
	}
	if compacted, err := late.tick(ctx); err != nil || compacted == 0 {
		t.Errorf("%d %v", compacted, err)
	}
}

func TestCompactorRunsUntilStop(t *testing.T) {
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := StartCompactor(server.Client(), time.Millisecond, func(err error) { t.Error(err) })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for resp := range server.Client().Watch(ctx, compactKey) {
		if resp.Events[0].Kv.Version >= 3 {
			break
		}
	}
	if ctx.Err() != nil {
		t.Error("it did not run")
	}
	c.Stop()
}

func TestCompactorReportsFailures(t *testing.T) {
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	failures := make(chan error, 1)
	c := StartCompactor(server.Client(), time.Millisecond, func(err error) {
		select {
		case failures <- err:
		default:
		}
	})
	<-failures
	c.Stop()
}
