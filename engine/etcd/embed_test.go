package etcd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/stratagem-dev/stratagem/engine"
)

func startServer(t *testing.T, cfg EmbedConfig) *Server {
	t.Helper()
	cfg.NoSync = true
	server, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func TestEmbeddedServerOpensNoPort(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	server := startServer(t, EmbedConfig{DataDir: dir})
	if n := len(server.etcd.Clients) + len(server.etcd.Peers); n != 0 || server.ClientURL() != "" {
		t.Errorf("%d listeners, URL %q", n, server.ClientURL())
	}
	checkMode(t, dir, 0o700)
}

// TestDataIsPrivate: in a dir that others may enter, they cannot enter etcd's.
func TestDataIsPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	startServer(t, EmbedConfig{DataDir: dir})
	checkMode(t, dir, 0o755)
	checkMode(t, filepath.Join(dir, "member"), 0o700)
	checkMode(t, filepath.Join(dir, "lock"), 0o600)
}

func checkMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != want {
		t.Errorf("%s has mode %o, want %o", path, info.Mode().Perm(), want)
	}
}

func TestEmbeddedServerKeepsData(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	server := startServer(t, EmbedConfig{DataDir: dir})
	revision, err := server.Storage("registry").Create(ctx, "/a", []byte("kept"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}

	var locked *DirLockedError
	if _, err := Start(EmbedConfig{DataDir: dir}); !errors.As(err, &locked) || locked.Dir != dir {
		t.Errorf("a second server on the same dir: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	<-server.Stopped()

	again := startServer(t, EmbedConfig{DataDir: dir})
	item, err := again.Storage("/registry/").Get(ctx, "/a")
	if err != nil || string(item.Data) != "kept" || item.Revision != revision {
		t.Errorf("%+v %v", item, err)
	}
	resp, err := again.Client().Get(ctx, "/registry/a")
	if err != nil || len(resp.Kvs) != 1 {
		t.Errorf("the key in etcd: %v %v", resp, err)
	}
}

func TestClosedServer(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	for _, storage := range []*Storage{server.Storage("registry"), New(server.Client(), "registry")} {
		watcher, err := storage.Watch(ctx, "/", engine.WatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			for range watcher.Events() {
				t.Error("an event from a closed storage")
			}
			if err := watcher.Err(); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("the watch ended with %v", err)
			}
			if _, err := storage.Get(ctx, "/a"); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("get: %v", err)
			}
			if _, err := storage.Create(ctx, "/a", nil, engine.WriteOptions{}); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("create: %v", err)
			}
			if _, err := storage.Revision(ctx); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("revision: %v", err)
			}
			if _, err := storage.Watch(ctx, "/", engine.WatchOptions{}); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("watch: %v", err)
			}
		}()
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUnusableDataDirs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "not a dir")

	damaged := t.TempDir()
	write(t, filepath.Join(damaged, "member", "snap", "db"), strings.Repeat("no database ", 2000))

	damagedLog := t.TempDir()
	if err := startServer(t, EmbedConfig{DataDir: damagedLog}).Close(); err != nil {
		t.Fatal(err)
	}
	logs, err := filepath.Glob(filepath.Join(damagedLog, "member", "wal", "*.wal"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no log files: %v", err)
	}
	write(t, logs[0], strings.Repeat("no log ", 5000))

	for name, dir := range map[string]string{
		"none": "", "a file": file, "below a file": filepath.Join(file, "dir"), "damaged database": damaged, "damaged log": damagedLog,
	} {
		t.Run(name, func(t *testing.T) {
			var refused *DirError
			server, err := Start(EmbedConfig{DataDir: dir, NoSync: true})
			if err == nil {
				_ = server.Close()
			}
			if !errors.As(err, &refused) || refused.Dir != dir {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDataDirOfAnotherEtcd(t *testing.T) {
	dir := t.TempDir()
	if err := startServer(t, EmbedConfig{DataDir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(dir, "member", "snap", "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	var locked *DirLockedError
	if _, err := Start(EmbedConfig{DataDir: dir}); !errors.As(err, &locked) {
		t.Errorf("%v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	startServer(t, EmbedConfig{DataDir: dir})
}

func TestListenClientURL(t *testing.T) {
	for _, refused := range []string{
		"http://0.0.0.0:2379", "http://:2379", "http://192.0.2.1:2379", "http://localhost:2379", "http://127.0.0.1",
		"https://127.0.0.1:2379", "tcp://127.0.0.1:2379", "127.0.0.1:2379", "::", "%",
	} {
		dir := t.TempDir()
		if server, err := Start(EmbedConfig{DataDir: dir, ListenClientURL: refused}); err == nil {
			_ = server.Close()
			t.Errorf("%q is taken", refused)
		} else if !strings.Contains(err.Error(), "ListenClientURL") {
			t.Errorf("%q: the error names no field: %v", refused, err)
		}
	}
	socket := filepath.Join(t.TempDir(), "s")
	for _, taken := range []string{"http://127.0.0.1:0", "http://[::1]:0", "unix://" + socket} {
		server, err := Start(EmbedConfig{DataDir: t.TempDir(), ListenClientURL: taken, NoSync: true})
		if err != nil {
			t.Errorf("%q: %v", taken, err)
			continue
		}
		client, err := Dial(DialConfig{Endpoints: []string{server.ClientURL()}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(client, "registry").Revision(context.Background()); err != nil {
			t.Errorf("%q as %q: %v", taken, server.ClientURL(), err)
		}
		if err := errors.Join(client.Close(), server.Close()); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestLogTakesWarnings(t *testing.T) {
	var log bytes.Buffer
	logger := newLogger(&log)
	logger.Info("chatter")
	logger.Warn("trouble")
	if text := log.String(); !strings.Contains(text, "trouble") || strings.Contains(text, "chatter") {
		t.Errorf("%q", text)
	}
	newLogger(nil).Warn("nobody listens")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
