package etcd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// asked are the prefixes of the caches that a key concerns, sorted.
func asked(a *audience, key string) string {
	var prefixes []string
	a.of(key, func(c *Cache) { prefixes = append(prefixes, c.prefix) })
	slices.Sort(prefixes)
	return strings.Join(prefixes, " ")
}

func TestEventsReachTheCachesOfTheirPrefix(t *testing.T) {
	a := newAudience()
	caches := map[string]*Cache{}
	for _, prefix := range []string{"/pods/", "/podsets/", "/apps.test/", "/apps.test/a/", "/lo"} {
		caches[prefix] = &Cache{prefix: prefix}
		a.add(caches[prefix])
	}
	second := &Cache{prefix: "/pods/"}
	a.add(second)
	a.add(second)
	check := func(wanted map[string]string) {
		t.Helper()
		for key, want := range wanted {
			if got := asked(&a, key); got != want {
				t.Errorf("%s: got %q, want %q", key, got, want)
			}
		}
	}
	check(map[string]string{
		"/pods/default/a": "/pods/ /pods/", "/podsets/default/a": "/podsets/", "/pods": "", "/pod/a": "", "": "", "/": "", "pods/a": "",
		"/apps.test/a/x": "/apps.test/ /apps.test/a/", "/apps.test/ab/x": "/apps.test/", "/loose": "/lo", "//pods/x": "",
	})
	for _, gone := range []*Cache{second, caches["/apps.test/"], caches["/lo"], caches["/lo"]} {
		a.remove(gone)
	}
	check(map[string]string{"/pods/default/a": "/pods/", "/apps.test/a/x": "/apps.test/a/", "/loose": ""})
	if len(a.caches) != 3 {
		t.Errorf("%d caches are left", len(a.caches))
	}
}

// A batch of events comes in one piece to each cache, in its order.
func TestABatchIsTakenInOnePiece(t *testing.T) {
	a := newAudience()
	caches := []*Cache{{prefix: "/a/", fill: newFill()}, {prefix: "/b/", fill: newFill()}, {prefix: "/c/", fill: newFill()}}
	for _, c := range caches {
		a.add(c)
	}
	var events []engine.Event
	for i, key := range []string{"/a/1", "/b/1", "/a/2", "/d/1", "/b/2", "/a/1"} {
		events = append(events, engine.Event{Key: key, Revision: int64(i + 1)})
	}
	a.take(events)
	a.take([]engine.Event{{Key: "/b/3", Revision: 7}})
	for i, want := range []string{"/a/1@1 /a/2@3 /a/1@6", "/b/1@2 /b/2@5 /b/3@7", ""} {
		var got []string
		for _, event := range caches[i].fill.pending {
			got = append(got, fmt.Sprintf("%s@%d", event.Key, event.Revision))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", caches[i].prefix, got, want)
		}
	}
}

// BenchmarkAudience shows one event to many caches.
func BenchmarkAudience(b *testing.B) {
	for _, n := range []int{1, 10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a := newAudience()
			for i := range n {
				a.add(&Cache{prefix: fmt.Sprintf("/group-%d.test/widgets/", i)})
			}
			key, hits := fmt.Sprintf("/group-%d.test/widgets/default/one", n/2), 0
			b.ReportAllocs()
			for b.Loop() {
				a.of(key, func(*Cache) { hits++ })
			}
			if hits != b.N {
				b.Errorf("%d of %d events arrived", hits, b.N)
			}
		})
	}
}
