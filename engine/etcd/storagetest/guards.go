package storagetest

import (
	"slices"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// guarded are sets of guards over two keys: /present at a revision, /absent not there.
func guarded(revision int64) []struct {
	name   string
	guards []engine.Guard
	failed []engine.Guard
} {
	at := engine.Guard{Key: "/present", Revision: revision}
	there := engine.Guard{Key: "/present", Revision: -1}
	stale := engine.Guard{Key: "/present", Revision: revision - 1}
	presentAbsent := engine.Guard{Key: "/present"}
	absent := engine.Guard{Key: "/absent"}
	absentThere := engine.Guard{Key: "/absent", Revision: -1}
	absentAt := engine.Guard{Key: "/absent", Revision: revision}
	set := func(guards ...engine.Guard) []engine.Guard { return guards }
	return []struct {
		name   string
		guards []engine.Guard
		failed []engine.Guard
	}{
		{"mod revision", set(at), nil},
		{"present", set(there), nil},
		{"absent", set(absent), nil},
		{"all", set(at, there, absent), nil},
		{"stale", set(stale), set(stale)},
		{"should be absent", set(presentAbsent), set(presentAbsent)},
		{"should be present", set(absentThere), set(absentThere)},
		{"missing at a revision", set(absentAt), set(absentAt)},
		{"some", set(at, stale, absent, absentThere), set(stale, absentThere)},
	}
}

func testGuardsOnCreate(t *testing.T, s *suite) {
	revision := s.create(t, "/present", "p")
	for _, test := range guarded(revision) {
		t.Run(test.name, func(t *testing.T) {
			key := "/new/" + test.name
			_, err := s.Storage.Create(s.ctx, key, []byte("v"), engine.WriteOptions{Guards: test.guards})
			checkGuards(t, err, test.failed)
			_, missing := s.Storage.Get(s.ctx, key)
			if (missing == nil) != (test.failed == nil) {
				t.Errorf("get after a create with %d failing guards: %v", len(test.failed), missing)
			}
		})
	}
}

func testGuardsOnUpdate(t *testing.T, s *suite) {
	revision := s.create(t, "/present", "p")
	for _, test := range guarded(revision) {
		t.Run(test.name, func(t *testing.T) {
			opts := engine.WriteOptions{Guards: test.guards}
			key := "/old/" + test.name
			old := engine.Item{Key: key, Data: []byte("v")}
			old.Revision = s.create(t, key, "v")

			updated, err := s.Storage.Update(s.ctx, key, []byte("w"), old.Revision, opts)
			checkGuards(t, err, test.failed)
			if err == nil {
				old.Data, old.Revision = []byte("w"), updated
			}
			sameItem(t, s.get(t, key), old)

			_, err = s.Storage.Delete(s.ctx, key, old.Revision, opts)
			checkGuards(t, err, test.failed)
			if err != nil {
				sameItem(t, s.get(t, key), old)
				return
			}
			_, err = s.Storage.Get(s.ctx, key)
			as[*engine.KeyNotFoundError](t, err)
		})
	}
}

// testGuardFirst: where both the guard and the key's own condition fail, the guard is what is reported,
// and where only the key's fails, it is.
func testGuardFirst(t *testing.T, s *suite) {
	revision := s.create(t, "/a", "1")
	failing := engine.WriteOptions{Guards: []engine.Guard{{Key: "/absent", Revision: -1}}}
	holding := engine.WriteOptions{Guards: []engine.Guard{{Key: "/absent"}, {Key: "/a", Revision: revision}}}

	_, err := s.Storage.Create(s.ctx, "/a", nil, failing)
	checkGuards(t, err, failing.Guards)
	_, err = s.Storage.Update(s.ctx, "/a", nil, revision+1, failing)
	checkGuards(t, err, failing.Guards)
	_, err = s.Storage.Delete(s.ctx, "/a", revision+1, failing)
	checkGuards(t, err, failing.Guards)

	_, err = s.Storage.Create(s.ctx, "/a", nil, holding)
	as[*engine.KeyExistsError](t, err)
	_, err = s.Storage.Update(s.ctx, "/a", nil, revision+1, holding)
	as[*engine.RevisionError](t, err)
	_, err = s.Storage.Delete(s.ctx, "/a", revision+1, holding)
	as[*engine.RevisionError](t, err)
}

func checkGuards(t *testing.T, err error, failed []engine.Guard) {
	t.Helper()
	if failed == nil {
		if err != nil {
			t.Fatalf("guards that hold: %v", err)
		}
		return
	}
	if got := as[*engine.GuardError](t, err).Guards; !slices.Equal(got, failed) {
		t.Errorf("failed guards %v, want %v", got, failed)
	}
}
