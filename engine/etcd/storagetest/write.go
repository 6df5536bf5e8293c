package storagetest

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

const racers = 50

func eventText(e engine.Event) string {
	return fmt.Sprintf("type %d %s@%d %.60q was %.60q", e.Type, e.Key, e.Revision, e.Data, e.Prev)
}

func testCreateGet(t *testing.T, s *suite) {
	_, err := s.Storage.Get(s.ctx, "/pods/default/a")
	if missing := as[*engine.KeyNotFoundError](t, err); missing.Key != "/pods/default/a" || missing.Revision <= 0 {
		t.Errorf("%+v", missing)
	}
	revision := s.create(t, "/pods/default/a", "one")
	want := engine.Item{Key: "/pods/default/a", Data: []byte("one"), Revision: revision}
	sameItem(t, s.get(t, "/pods/default/a"), want)

	_, err = s.Storage.Create(s.ctx, "/pods/default/a", []byte("two"), engine.WriteOptions{})
	sameItem(t, as[*engine.KeyExistsError](t, err).Existing, want)
	sameItem(t, s.get(t, "/pods/default/a"), want)
}

func testCreateRace(t *testing.T, s *suite) {
	var wait sync.WaitGroup
	revisions, errs := make([]int64, racers), make([]error, racers)
	for i := range racers {
		storage := s.Storage
		if i%2 == 1 {
			storage = s.Second
		}
		wait.Go(func() {
			revisions[i], errs[i] = storage.Create(s.ctx, "/race", fmt.Append(nil, i), engine.WriteOptions{})
		})
	}
	wait.Wait()
	winner := -1
	for i, err := range errs {
		if err != nil {
			as[*engine.KeyExistsError](t, err)
			continue
		}
		if winner >= 0 {
			t.Fatalf("%d and %d both created the key", winner, i)
		}
		winner = i
	}
	if winner < 0 {
		t.Fatal("nobody created the key")
	}
	want := engine.Item{Key: "/race", Data: fmt.Append(nil, winner), Revision: revisions[winner]}
	sameItem(t, s.get(t, "/race"), want)
	for _, err := range errs {
		if err != nil {
			sameItem(t, as[*engine.KeyExistsError](t, err).Existing, want)
		}
	}
}

func testUpdate(t *testing.T, s *suite) {
	first := s.create(t, "/a", "1")
	second := s.update(t, "/a", "2", first)
	if second <= first {
		t.Errorf("revision %d after %d", second, first)
	}
	current := engine.Item{Key: "/a", Data: []byte("2"), Revision: second}
	for _, stale := range []int64{first, 0, -1, second + 1000} {
		_, err := s.Storage.Update(s.ctx, "/a", []byte("3"), stale, engine.WriteOptions{})
		refused := as[*engine.RevisionError](t, err)
		if refused.Key != "/a" || refused.Wanted != stale || refused.Current == nil {
			t.Fatalf("%+v", refused)
		}
		sameItem(t, *refused.Current, current)
	}
	for _, revision := range []int64{0, first, -1} {
		_, err := s.Storage.Update(s.ctx, "/missing", []byte("3"), revision, engine.WriteOptions{})
		if refused := as[*engine.RevisionError](t, err); refused.Current != nil {
			t.Errorf("a missing key has a current item: %+v", refused)
		}
	}
	sameItem(t, s.get(t, "/a"), current)
}

func testUpdateRace(t *testing.T, s *suite) {
	const rounds = 5
	s.create(t, "/counter", "")
	var wait sync.WaitGroup
	errs := make([]error, racers)
	for i := range racers {
		storage := s.Storage
		if i%2 == 1 {
			storage = s.Second
		}
		wait.Go(func() {
			for round := 0; round < rounds && errs[i] == nil; round++ {
				errs[i] = appendByte(s, storage, "/counter")
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.get(t, "/counter").Data); got != racers*rounds {
		t.Errorf("%d of %d updates are there", got, racers*rounds)
	}
}

// appendByte makes a value a byte longer, trying again with what the refusal brings.
func appendByte(s *suite, storage engine.Storage, key string) error {
	item, err := storage.Get(s.ctx, key)
	for err == nil {
		_, err = storage.Update(s.ctx, key, append(bytes.Clone(item.Data), 'x'), item.Revision, engine.WriteOptions{})
		if err == nil {
			return nil
		}
		refused, ok := err.(*engine.RevisionError)
		if !ok {
			return err
		}
		item, err = *refused.Current, nil
	}
	return err
}

func testDelete(t *testing.T, s *suite) {
	first := s.create(t, "/a", "1")
	second := s.update(t, "/a", "2", first)
	for _, stale := range []int64{first, 0, -1} {
		_, err := s.Storage.Delete(s.ctx, "/a", stale, engine.WriteOptions{})
		refused := as[*engine.RevisionError](t, err)
		if refused.Current == nil {
			t.Fatalf("%+v", refused)
		}
		sameItem(t, *refused.Current, engine.Item{Key: "/a", Data: []byte("2"), Revision: second})
	}
	if revision := s.delete(t, "/a", second); revision <= second {
		t.Errorf("deleted at revision %d, written at %d", revision, second)
	}
	_, err := s.Storage.Get(s.ctx, "/a")
	as[*engine.KeyNotFoundError](t, err)
	for _, revision := range []int64{second, 0} {
		_, err = s.Storage.Delete(s.ctx, "/a", revision, engine.WriteOptions{})
		if refused := as[*engine.RevisionError](t, err); refused.Current != nil {
			t.Errorf("a deleted key has a current item: %+v", refused)
		}
	}
	if again := s.create(t, "/a", "3"); again <= second {
		t.Errorf("created again at revision %d", again)
	}
}

func testRevisions(t *testing.T, s *suite) {
	before := s.revision(t)
	last := before
	for i := range 20 {
		revision := s.create(t, fmt.Sprintf("/k/%d", i), "v")
		if revision <= last {
			t.Fatalf("revision %d after %d", revision, last)
		}
		last = revision
		if now := s.revision(t); now < last {
			t.Fatalf("the newest revision is %d after a write at %d", now, last)
		}
	}
}
