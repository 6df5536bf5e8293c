package storagetest

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

func (s *suite) create(t *testing.T, key, value string) int64 {
	t.Helper()
	revision, err := s.Storage.Create(s.ctx, key, []byte(value), engine.WriteOptions{})
	if err != nil {
		t.Fatalf("create %s: %v", key, err)
	}
	return revision
}

func (s *suite) update(t *testing.T, key, value string, ifRevision int64) int64 {
	t.Helper()
	revision, err := s.Storage.Update(s.ctx, key, []byte(value), ifRevision, engine.WriteOptions{})
	if err != nil {
		t.Fatalf("update %s: %v", key, err)
	}
	return revision
}

func (s *suite) delete(t *testing.T, key string, ifRevision int64) int64 {
	t.Helper()
	revision, err := s.Storage.Delete(s.ctx, key, ifRevision, engine.WriteOptions{})
	if err != nil {
		t.Fatalf("delete %s: %v", key, err)
	}
	return revision
}

func (s *suite) get(t *testing.T, key string) engine.Item {
	t.Helper()
	item, err := s.Storage.Get(s.ctx, key)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	return item
}

func (s *suite) list(t *testing.T, prefix string, opts engine.ListOptions) engine.Page {
	t.Helper()
	page, err := s.Storage.List(s.ctx, prefix, opts)
	if err != nil {
		t.Fatalf("list %s %+v: %v", prefix, opts, err)
	}
	return page
}

func (s *suite) watch(t *testing.T, prefix string, after int64) engine.Watcher {
	t.Helper()
	watcher, err := s.Storage.Watch(s.ctx, prefix, engine.WatchOptions{After: after})
	if err != nil {
		t.Fatalf("watch %s: %v", prefix, err)
	}
	t.Cleanup(watcher.Stop)
	return watcher
}

func (s *suite) revision(t *testing.T) int64 {
	t.Helper()
	revision, err := s.Storage.Revision(s.ctx)
	if err != nil {
		t.Fatalf("revision: %v", err)
	}
	return revision
}

// next is the next event that is not a Progress.
func next(t *testing.T, watcher engine.Watcher) engine.Event {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case event, open := <-watcher.Events():
			if !open {
				t.Fatalf("the watch ended: %v", watcher.Err())
			}
			if event.Type != engine.Progress {
				return event
			}
		case <-timeout.C:
			t.Fatal("no event came")
		}
	}
}

func nextN(t *testing.T, watcher engine.Watcher, n int) []engine.Event {
	t.Helper()
	events := make([]engine.Event, 0, n)
	for range n {
		events = append(events, next(t, watcher))
	}
	return events
}

// ended waits for the end of a watch and returns its error.
func ended(t *testing.T, watcher engine.Watcher) error {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		select {
		case _, open := <-watcher.Events():
			if !open {
				return watcher.Err()
			}
		case <-timeout.C:
			t.Fatal("the watch did not end")
		}
	}
}

func sameEvent(t *testing.T, got, want engine.Event) {
	t.Helper()
	if got.Type != want.Type || got.Key != want.Key || got.Revision != want.Revision ||
		!bytes.Equal(got.Data, want.Data) || !bytes.Equal(got.Prev, want.Prev) {
		t.Errorf("event\n  got  %s\n  want %s", eventText(got), eventText(want))
	}
}

func sameEvents(t *testing.T, got, want []engine.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d events, want %d", len(got), len(want))
	}
	for i := range got {
		sameEvent(t, got[i], want[i])
	}
}

func sameItem(t *testing.T, got, want engine.Item) {
	t.Helper()
	if got.Key != want.Key || got.Revision != want.Revision || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("item\n  got  %s@%d %.60q\n  want %s@%d %.60q", got.Key, got.Revision, got.Data, want.Key, want.Revision, want.Data)
	}
}

func sameItems(t *testing.T, got, want []engine.Item) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d items, want %d", len(got), len(want))
	}
	for i := range got {
		sameItem(t, got[i], want[i])
	}
}

// as asserts that err is a T.
func as[T error](t *testing.T, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error %T %v, want %T", err, err, target)
	}
	return target
}
