package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// history writes a few changes of two keys and returns the events that they are.
func (s *suite) history(t *testing.T, dir string) []engine.Event {
	t.Helper()
	a, b := dir+"a", dir+"b"
	r1 := s.create(t, a, "a1")
	r2 := s.create(t, b, "b1")
	r3 := s.update(t, a, "a2", r1)
	r4 := s.delete(t, b, r2)
	r5 := s.create(t, b, "b2")
	r6 := s.delete(t, a, r3)
	return []engine.Event{
		{Type: engine.Created, Key: a, Data: []byte("a1"), Revision: r1},
		{Type: engine.Created, Key: b, Data: []byte("b1"), Revision: r2},
		{Type: engine.Modified, Key: a, Data: []byte("a2"), Prev: []byte("a1"), Revision: r3},
		{Type: engine.Deleted, Key: b, Prev: []byte("b1"), Revision: r4},
		{Type: engine.Created, Key: b, Data: []byte("b2"), Revision: r5},
		{Type: engine.Deleted, Key: a, Prev: []byte("a2"), Revision: r6},
	}
}

func testWatchOrder(t *testing.T, s *suite) {
	watcher := s.watch(t, "/w/", s.revision(t))
	want := s.history(t, "/w/")
	sameEvents(t, nextN(t, watcher, len(want)), want)
}

func testWatchPast(t *testing.T, s *suite) {
	before := s.revision(t)
	want := s.history(t, "/w/")
	sameEvents(t, nextN(t, s.watch(t, "/w/", before), len(want)), want)
	for i, event := range want {
		rest := want[i+1:]
		sameEvents(t, nextN(t, s.watch(t, "/w/", event.Revision), len(rest)), rest)
	}
}

func testWatchNow(t *testing.T, s *suite) {
	s.history(t, "/w/")
	watcher := s.watch(t, "/w/", 0)
	revision := s.create(t, "/w/c", "c1")
	sameEvent(t, next(t, watcher), engine.Event{Type: engine.Created, Key: "/w/c", Data: []byte("c1"), Revision: revision})
}

// testWatchResume: a consumer that comes back with the last revision it saw misses nothing.
func testWatchResume(t *testing.T, s *suite) {
	last := s.revision(t)
	var want, got []engine.Event
	for i := range 10 {
		watcher := s.watch(t, "/w/", last)
		want = append(want, s.history(t, fmt.Sprintf("/w/%d/", i))...)
		got = append(got, nextN(t, watcher, 6)...)
		watcher.Stop()
		if err := ended(t, watcher); err != nil {
			t.Fatal(err)
		}
		want = append(want, s.history(t, fmt.Sprintf("/w/%d/more/", i))...)
		watcher = s.watch(t, "/w/", got[len(got)-1].Revision)
		got = append(got, nextN(t, watcher, 6)...)
		watcher.Stop()
		last = got[len(got)-1].Revision
	}
	sameEvents(t, got, want)
}

func testWatchPrefix(t *testing.T, s *suite) {
	watcher := s.watch(t, "/w/ns1/", s.revision(t))
	s.history(t, "/w/ns0/")
	s.history(t, "/w/ns10/")
	want := s.history(t, "/w/ns1/")
	s.history(t, "/v/ns1/")
	want = append(want, s.history(t, "/w/ns1/deeper/")...)
	sameEvents(t, nextN(t, watcher, len(want)), want)
}

func testWatchCompacted(t *testing.T, s *suite) {
	old := s.revision(t)
	history := s.history(t, "/w/")
	last := history[5].Revision
	if err := s.Compact(s.ctx, last); err != nil {
		t.Fatal(err)
	}
	watcher := s.watch(t, "/w/", old)
	if s.Remembers {
		sameEvents(t, nextN(t, watcher, len(history)), history)
		return
	}
	if compacted := as[*engine.CompactedError](t, ended(t, watcher)); compacted.Wanted != old || compacted.Compacted != last {
		t.Errorf("%+v, want %d and %d", compacted, old, last)
	}
	sameEvent(t, next(t, s.watch(t, "/w/", last-1)), engine.Event{Type: engine.Deleted, Key: "/w/a", Revision: last})
}

func testWatchEnds(t *testing.T, s *suite) {
	ctx, cancel := context.WithCancel(s.ctx)
	watcher, err := s.Storage.Watch(ctx, "/w/", engine.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := watcher.Err(); err != nil {
		t.Errorf("the error of a running watch: %v", err)
	}
	s.history(t, "/w/")
	cancel()
	if err := ended(t, watcher); err != nil {
		t.Errorf("the error of a watch whose context has ended: %v", err)
	}
	watcher = s.watch(t, "/w/", 0)
	watcher.Stop()
	watcher.Stop()
	if err := ended(t, watcher); err != nil {
		t.Errorf("the error of a watch that was stopped: %v", err)
	}
}

// testWatchSlow: a consumer that sleeps through many large events gets all of them in order, or is told
// that it was too slow; and others are not kept waiting.
func testWatchSlow(t *testing.T, s *suite) {
	const n = 3000
	slow := s.watch(t, "/w/", s.revision(t))
	quick := s.watch(t, "/w/", s.revision(t))
	go func() {
		for i := range n {
			value := fmt.Sprint(i, " ", strings.Repeat("x", 10_000))
			if _, err := s.Storage.Create(s.ctx, fmt.Sprintf("/w/%d", i), []byte(value), engine.WriteOptions{}); err != nil {
				t.Errorf("create: %v", err)
				return
			}
		}
	}()
	for i := range n {
		if event := next(t, quick); event.Key != fmt.Sprintf("/w/%d", i) {
			t.Fatalf("event %d is of %s", i, event.Key)
		}
	}
	for i := range n {
		event, open := <-slow.Events()
		if !open {
			if slow.Err() == nil {
				t.Errorf("the watch ended without an error after %d events", i)
			}
			return
		}
		if event.Key != fmt.Sprintf("/w/%d", i) {
			t.Fatalf("event %d is of %s", i, event.Key)
		}
	}
}

func testWatchMany(t *testing.T, s *suite) {
	start := s.revision(t)
	watchers := make([]engine.Watcher, 40)
	for i := range watchers {
		watchers[i] = s.watch(t, "/w/", start)
	}
	var want []engine.Event
	for i := range 10 {
		want = append(want, s.history(t, fmt.Sprintf("/w/%d/", i))...)
	}
	for _, watcher := range watchers {
		sameEvents(t, nextN(t, watcher, len(want)), want)
	}
}

func testTwoStorages(t *testing.T, s *suite) {
	watcher := s.watch(t, "/w/", s.revision(t))
	revision, err := s.Second.Create(s.ctx, "/w/a", []byte("second"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	item := engine.Item{Key: "/w/a", Data: []byte("second"), Revision: revision}
	sameItem(t, s.get(t, "/w/a"), item)
	sameItems(t, s.list(t, "/w/", engine.ListOptions{}).Items, []engine.Item{item})
	sameEvent(t, next(t, watcher), engine.Event{Type: engine.Created, Key: "/w/a", Data: []byte("second"), Revision: revision})

	revision = s.update(t, "/w/a", "first", revision)
	_, err = s.Second.Update(s.ctx, "/w/a", nil, item.Revision, engine.WriteOptions{})
	as[*engine.RevisionError](t, err)
	if _, err := s.Second.Delete(s.ctx, "/w/a", revision, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Storage.Get(s.ctx, "/w/a")
	as[*engine.KeyNotFoundError](t, err)
}

// testReplay: what a watch brings, applied in order from an empty store, is what a list reads at any revision of it.
func testReplay(t *testing.T, s *suite) {
	const writers, writes = 6, 60
	start := s.revision(t)
	watcher := s.watch(t, "/w/", start)
	var wait sync.WaitGroup
	for worker := range writers {
		storage := s.Storage
		if worker%2 == 1 {
			storage = s.Second
		}
		wait.Go(func() { scribble(t, s, storage, worker, writes) })
	}
	wait.Wait()
	final := s.list(t, "/w/", engine.ListOptions{})
	state, last := map[string]engine.Item{}, start
	for last < final.Revision {
		event := next(t, watcher)
		if event.Revision <= last {
			t.Fatalf("%s came after revision %d", eventText(event), last)
		}
		last = event.Revision
		apply(t, state, event)
	}
	if len(state) != len(final.Items) {
		t.Fatalf("the replay has %d keys, the list %d", len(state), len(final.Items))
	}
	for _, item := range final.Items {
		sameItem(t, state[item.Key], item)
	}
}

// scribble creates, updates and deletes keys that it shares with other workers.
func scribble(t *testing.T, s *suite, storage engine.Storage, worker, writes int) {
	for i := range writes {
		key := fmt.Sprintf("/w/%d", (worker*7+i*3)%11)
		value := fmt.Append(nil, worker, "/", i)
		_, err := storage.Create(s.ctx, key, value, engine.WriteOptions{})
		if err == nil {
			continue
		}
		var exists *engine.KeyExistsError
		var stale *engine.RevisionError
		if !errors.As(err, &exists) {
			t.Errorf("create %s: %v", key, err)
			return
		}
		if i%3 == 0 {
			_, err = storage.Delete(s.ctx, key, exists.Existing.Revision, engine.WriteOptions{})
		} else {
			_, err = storage.Update(s.ctx, key, value, exists.Existing.Revision, engine.WriteOptions{})
		}
		if err != nil && !errors.As(err, &stale) {
			t.Errorf("change %s: %v", key, err)
			return
		}
	}
	// The last write of every worker is one that happens, so that the newest revision is a change of a key.
	if _, err := storage.Create(s.ctx, fmt.Sprintf("/w/last/%d", worker), nil, engine.WriteOptions{}); err != nil {
		t.Error(err)
	}
}

// apply changes state as an event says, and checks that the event fits it.
func apply(t *testing.T, state map[string]engine.Item, event engine.Event) {
	t.Helper()
	before, present := state[event.Key]
	if present == (event.Type == engine.Created) || string(before.Data) != string(event.Prev) {
		t.Fatalf("%s does not follow %q (present: %v)", eventText(event), before.Data, present)
	}
	if event.Type == engine.Deleted {
		delete(state, event.Key)
		return
	}
	state[event.Key] = engine.Item{Key: event.Key, Data: event.Data, Revision: event.Revision}
}
