package etcd

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// checkIndex compares an index with a map that should hold the same.
func checkIndex(t *testing.T, x *index, want map[string]int64) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	n := 0
	for i, chunk := range x.chunks {
		if len(chunk.items) == 0 || len(chunk.items) > mostChunk {
			t.Fatalf("chunk %d of %d has %d items", i, len(x.chunks), len(chunk.items))
		}
		for _, item := range chunk.items {
			if n == len(keys) || item.Key != keys[n] || item.Revision != want[item.Key] {
				t.Fatalf("item %d is %s@%d", n, item.Key, item.Revision)
			}
			n++
		}
	}
	if n != len(keys) || x.count != n {
		t.Fatalf("%d items, count %d, want %d", n, x.count, len(keys))
	}
}

// TestIndexAgainstMap changes an index and a map at random; old indexes must stay what they were.
func TestIndexAgainstMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var x index
	want := map[string]int64{}
	var kept []index
	var keptWant []map[string]int64
	for step := range 20_000 {
		// Grow for a while, then shrink, so that chunks are split, joined and emptied.
		key := fmt.Sprintf("/k/%04d", random.IntN(3000))
		if grow := step%10_000 < 6000; random.IntN(4) == 0 == grow {
			x = x.remove(key)
			delete(want, key)
		} else {
			x = x.set(&engine.Item{Key: key, Revision: int64(step)})
			want[key] = int64(step)
		}
		if item := x.get(key); (item != nil) != (want[key] != 0) && step > 0 {
			t.Fatalf("get %s: %v", key, item)
		}
		if step%1000 == 0 {
			checkIndex(t, &x, want)
			kept, keptWant = append(kept, x), append(keptWant, maps.Clone(want))
		}
	}
	for i := range kept {
		checkIndex(t, &kept[i], keptWant[i])
	}
	for key := range want {
		x = x.remove(key)
	}
	checkIndex(t, &x, nil)
}

// TestIndexPagesAgainstMap compares pages of all kinds with what a sorted slice says.
func TestIndexPagesAgainstMap(t *testing.T) {
	var keys []string
	for _, dir := range []string{"/a/", "/a/b/", "/a0", "/b/", "/b/\xff", "/c"} {
		for i := range 150 {
			keys = append(keys, fmt.Sprintf("%s%03d", dir, i))
		}
	}
	slices.Sort(keys)
	var x index
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(keys)) {
		x = x.set(&engine.Item{Key: keys[i]})
	}
	for _, prefix := range []string{"/", "/a", "/a/", "/a/b/", "/a/b/1", "/b/\xff", "/c", "/d", "/0", ""} {
		for _, from := range []string{"", "/a", "/a/100", "/a/100\x00", "/a/b/149", "/b/", "/zz", keys[len(keys)-1]} {
			for _, limit := range []int64{0, 1, 149, 150, 151, 10_000} {
				var want []string
				for _, key := range keys {
					if strings.HasPrefix(key, prefix) && key >= from {
						want = append(want, key)
					}
				}
				page := x.page(prefix, 7, engine.ListOptions{From: from, Limit: limit})
				if int(page.Count) != len(want) || page.More != (limit > 0 && int(limit) < len(want)) || page.Revision != 7 {
					t.Fatalf("%q from %q limit %d: count %d more %v, want %d", prefix, from, limit, page.Count, page.More, len(want))
				}
				if page.More {
					want = want[:limit]
				}
				if len(page.Items) != len(want) {
					t.Fatalf("%q from %q limit %d: %d items, want %d", prefix, from, limit, len(page.Items), len(want))
				}
				for i, item := range page.Items {
					if item.Key != want[i] {
						t.Fatalf("%q from %q limit %d: item %d is %s, want %s", prefix, from, limit, i, item.Key, want[i])
					}
				}
			}
		}
	}
}

func TestRingDropsTheOldest(t *testing.T) {
	all := func(*engine.Event) bool { return true }
	for name, r := range map[string]*ring{
		"by number": {mostEvents: 100, mostBytes: 1 << 30},
		"by bytes":  {mostEvents: 1 << 20, mostBytes: 100 * 10},
	} {
		t.Run(name, func(t *testing.T) {
			for revision := int64(1); revision <= 1000; revision++ {
				r.add(engine.Event{Key: "/k", Data: make([]byte, 8), Revision: revision})
				oldest := max(1, revision-99)
				if r.after != oldest-1 {
					t.Fatalf("at %d the ring is after %d", revision, r.after)
				}
				if _, ok := r.seek(oldest - 2); ok {
					t.Fatalf("at %d it still has what came after %d", revision, oldest-2)
				}
				for _, after := range []int64{oldest - 1, (oldest + revision) / 2, revision, revision + 5} {
					from, ok := r.seek(after)
					buf := make([]engine.Event, 200)
					n, next, readable := r.read(from, all, buf)
					if !ok || !readable || n != int(max(0, revision-after)) || next != r.next {
						t.Fatalf("at %d after %d: %d events, %v %v", revision, after, n, ok, readable)
					}
					for i := range n {
						if buf[i].Revision != after+1+int64(i) {
							t.Fatalf("at %d after %d: event %d is of %d", revision, after, i, buf[i].Revision)
						}
					}
				}
			}
			if len(r.slots) > 200 {
				t.Errorf("%d slots for 100 events", len(r.slots))
			}
			if _, _, ok := r.read(0, all, make([]engine.Event, 1)); ok {
				t.Error("dropped events can be read")
			}
			r.add(engine.Event{Data: make([]byte, 5000), Revision: 2000})
			if from, ok := r.seek(1999); !ok || r.next-from != 1 {
				t.Error("an event that is larger than the ring is not held")
			}
		})
	}
}
