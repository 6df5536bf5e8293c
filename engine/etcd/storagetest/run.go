// Package storagetest is the conformance suite of engine.Storage: every implementation runs it.
package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// patience is how long the suite waits for what must come before it calls it missing.
const patience = 30 * time.Second

// Harness is a Storage under test, empty, and what the suite needs beside it.
type Harness struct {
	Storage engine.Storage
	// Second is another Storage over the same store and keys.
	Second engine.Storage
	// Compact makes the store forget the revisions before one.
	Compact func(ctx context.Context, revision int64) error
	// Remembers says that watches may start at revisions that the store has compacted.
	Remembers bool
	// TooLarge is a size in bytes that the store refuses for a value.
	TooLarge int
}

// Run runs the whole suite, with a fresh Harness for every test.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	tests := []struct {
		name string
		run  func(t *testing.T, s *suite)
	}{
		{"create and get", testCreateGet},
		{"create race", testCreateRace},
		{"update", testUpdate},
		{"update race", testUpdateRace},
		{"delete", testDelete},
		{"revisions grow", testRevisions},
		{"guards on create", testGuardsOnCreate},
		{"guards on update and delete", testGuardsOnUpdate},
		{"guard before key", testGuardFirst},
		{"hostile keys", testHostileKeys},
		{"values are bytes", testValues},
		{"too large", testTooLarge},
		{"negative options", testNegative},
		{"context", testContext},
		{"expiry", testExpiry},
		{"list", testList},
		{"list of many", testListMany},
		{"list while writing", testListWhileWriting},
		{"list pages at one revision", testListPages},
		{"list borders", testListBorders},
		{"list future", testListFuture},
		{"list compacted", testListCompacted},
		{"watch order", testWatchOrder},
		{"watch from the past", testWatchPast},
		{"watch from now", testWatchNow},
		{"watch resumed", testWatchResume},
		{"watch one prefix", testWatchPrefix},
		{"watch compacted", testWatchCompacted},
		{"watch ends", testWatchEnds},
		{"watch of a slow consumer", testWatchSlow},
		{"many watchers", testWatchMany},
		{"two storages", testTwoStorages},
		{"replay of a watch is the list", testReplay},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
			defer cancel()
			s := &suite{Harness: open(t), ctx: ctx}
			test.run(t, s)
			if !t.Failed() {
				s.checkInvariants(t)
			}
		})
	}
}

// suite is one test's state.
type suite struct {
	Harness
	ctx context.Context
}

// checkInvariants holds at the end of every test: a list is ordered and counted right, every item of it is what Get
// reads, none is newer than the list, and both Storages agree.
func (s *suite) checkInvariants(t *testing.T) {
	t.Helper()
	page := s.list(t, "/", engine.ListOptions{})
	if page.More || page.Count != int64(len(page.Items)) {
		t.Errorf("a full list has %d items, count %d, more %v", len(page.Items), page.Count, page.More)
	}
	for i, item := range page.Items {
		if i > 0 && page.Items[i-1].Key >= item.Key {
			t.Errorf("%q is listed before %q", page.Items[i-1].Key, item.Key)
		}
		if item.Revision > page.Revision {
			t.Errorf("%s is of revision %d in a list of revision %d", item.Key, item.Revision, page.Revision)
		}
		if len(page.Items) <= 100 {
			sameItem(t, s.get(t, item.Key), item)
		}
	}
	second, err := s.Second.List(s.ctx, "/", engine.ListOptions{})
	if err != nil {
		t.Fatalf("list of the second storage: %v", err)
	}
	sameItems(t, second.Items, page.Items)
}
