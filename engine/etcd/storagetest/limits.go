package storagetest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

func testHostileKeys(t *testing.T, s *suite) {
	keys := []string{"/", "//", "/a", "/a/", "/a/../b", "/a\x00", "/a\x00b", "/%2e", "/\xff\xff", "/ä/日本", "/" + strings.Repeat("k", 4096)}
	for _, key := range keys {
		revision := s.create(t, key, "v"+key)
		sameItem(t, s.get(t, key), engine.Item{Key: key, Data: []byte("v" + key), Revision: revision})
	}
	if page := s.list(t, "/", engine.ListOptions{}); len(page.Items) != len(keys) {
		t.Errorf("%d of %d keys are listed", len(page.Items), len(keys))
	}
	for _, key := range []string{"", "a", "a/b", "\x00", "../a"} {
		if _, err := s.Storage.Create(s.ctx, key, nil, engine.WriteOptions{}); err == nil {
			t.Errorf("create of %q is taken", key)
		}
		if _, err := s.Storage.Update(s.ctx, key, nil, 1, engine.WriteOptions{}); err == nil {
			t.Errorf("update of %q is taken", key)
		}
		if _, err := s.Storage.Delete(s.ctx, key, 1, engine.WriteOptions{}); err == nil {
			t.Errorf("delete of %q is taken", key)
		}
		if _, err := s.Storage.Get(s.ctx, key); err == nil {
			t.Errorf("get of %q is taken", key)
		}
		if _, err := s.Storage.List(s.ctx, key, engine.ListOptions{}); err == nil {
			t.Errorf("list of %q is taken", key)
		}
		if _, err := s.Storage.Watch(s.ctx, key, engine.WatchOptions{}); err == nil {
			t.Errorf("watch of %q is taken", key)
		}
		guard := engine.WriteOptions{Guards: []engine.Guard{{Key: key}}}
		if _, err := s.Storage.Create(s.ctx, "/guarded", nil, guard); err == nil {
			t.Errorf("guard on %q is taken", key)
		}
	}
}

func testValues(t *testing.T, s *suite) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	values := map[string][]byte{"/empty": {}, "/all": all, "/large": bytes.Repeat(all, 4096)}
	for key, value := range values {
		given := bytes.Clone(value)
		revision := s.create(t, key, string(given))
		sameItem(t, s.get(t, key), engine.Item{Key: key, Data: value, Revision: revision})
	}
}

func testTooLarge(t *testing.T, s *suite) {
	value := make([]byte, s.TooLarge)
	_, err := s.Storage.Create(s.ctx, "/large", value, engine.WriteOptions{})
	if refused := as[*engine.TooLargeError](t, err); refused.Key != "/large" || refused.Size != len(value) {
		t.Errorf("%s %d", refused.Key, refused.Size)
	}
	revision := s.create(t, "/large", "small")
	_, err = s.Storage.Update(s.ctx, "/large", value, revision, engine.WriteOptions{})
	as[*engine.TooLargeError](t, err)
	sameItem(t, s.get(t, "/large"), engine.Item{Key: "/large", Data: []byte("small"), Revision: revision})
}

func testNegative(t *testing.T, s *suite) {
	revision := s.create(t, "/a", "1")
	if _, err := s.Storage.Create(s.ctx, "/b", nil, engine.WriteOptions{TTL: -1}); err == nil {
		t.Error("create takes a negative TTL")
	}
	if _, err := s.Storage.Update(s.ctx, "/a", nil, revision, engine.WriteOptions{TTL: -1}); err == nil {
		t.Error("update takes a negative TTL")
	}
	if _, err := s.Storage.Delete(s.ctx, "/a", revision, engine.WriteOptions{TTL: 1}); err == nil {
		t.Error("delete takes a TTL")
	}
	if _, err := s.Storage.List(s.ctx, "/", engine.ListOptions{Limit: -1}); err == nil {
		t.Error("list takes a negative limit")
	}
	if _, err := s.Storage.List(s.ctx, "/", engine.ListOptions{Revision: -1}); err == nil {
		t.Error("list takes a negative revision")
	}
	if _, err := s.Storage.Watch(s.ctx, "/", engine.WatchOptions{After: -1}); err == nil {
		t.Error("watch takes a negative revision")
	}
}

func testContext(t *testing.T, s *suite) {
	revision := s.create(t, "/a", "1")
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	calls := map[string]func() error{
		"create":   func() error { _, err := s.Storage.Create(ctx, "/b", nil, engine.WriteOptions{}); return err },
		"lease":    func() error { _, err := s.Storage.Create(ctx, "/c", nil, engine.WriteOptions{TTL: 60}); return err },
		"update":   func() error { _, err := s.Storage.Update(ctx, "/a", nil, revision, engine.WriteOptions{}); return err },
		"delete":   func() error { _, err := s.Storage.Delete(ctx, "/a", revision, engine.WriteOptions{}); return err },
		"get":      func() error { _, err := s.Storage.Get(ctx, "/a"); return err },
		"list":     func() error { _, err := s.Storage.List(ctx, "/", engine.ListOptions{}); return err },
		"revision": func() error { _, err := s.Storage.Revision(ctx); return err },
		"watch":    func() error { _, err := s.Storage.Watch(ctx, "/", engine.WatchOptions{}); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s in a context that has ended: %v", name, err)
		}
	}
	want := []engine.Item{{Key: "/a", Data: []byte("1"), Revision: revision}}
	sameItems(t, s.list(t, "/", engine.ListOptions{}).Items, want)
}

func testExpiry(t *testing.T, s *suite) {
	watcher := s.watch(t, "/events/", 0)
	created, err := s.Storage.Create(s.ctx, "/events/a", []byte("v"), engine.WriteOptions{TTL: 1})
	if err != nil {
		t.Fatal(err)
	}
	lasting, err := s.Storage.Create(s.ctx, "/events/b", []byte("v"), engine.WriteOptions{TTL: 1})
	if err != nil {
		t.Fatal(err)
	}
	lasting = s.update(t, "/events/b", "for ever", lasting)
	sameEvent(t, next(t, watcher), engine.Event{Type: engine.Created, Key: "/events/a", Data: []byte("v"), Revision: created})
	if event := next(t, watcher); event.Type != engine.Created || event.Key != "/events/b" {
		t.Errorf("%s", eventText(event))
	}
	if event := next(t, watcher); event.Type != engine.Modified || event.Revision != lasting {
		t.Errorf("%s", eventText(event))
	}
	gone := next(t, watcher)
	if gone.Revision <= lasting {
		t.Errorf("expired at revision %d, before %d", gone.Revision, lasting)
	}
	sameEvent(t, gone, engine.Event{Type: engine.Deleted, Key: "/events/a", Prev: []byte("v"), Revision: gone.Revision})
	_, err = s.Storage.Get(s.ctx, "/events/a")
	as[*engine.KeyNotFoundError](t, err)
	sameItem(t, s.get(t, "/events/b"), engine.Item{Key: "/events/b", Data: []byte("for ever"), Revision: lasting})
}
