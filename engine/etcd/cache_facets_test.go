package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// nodeFacet finds items by what stands before the slash in their data; of those that begin with "?" nobody can say.
func nodeFacet(value string) *engine.Facet {
	return &engine.Facet{Name: "node", Value: value, Of: func(item *engine.Item) (string, bool) {
		value, _, _ := strings.Cut(string(item.Data), "/")
		return value, !strings.HasPrefix(value, "?")
	}}
}

// concerns tells whether a watch of a value has to hear of an event.
func concerns(event engine.Event, value string) bool {
	for _, data := range [][]byte{event.Prev, event.Data} {
		if strings.HasPrefix(string(data), value+"/") || strings.HasPrefix(string(data), "?") {
			return true
		}
	}
	return false
}

// TestFacetsAgainstAll: watches and lists by a facet have what those of everything have of that value, also such as begin in
// the past, and of items of which nobody knows the value.
func TestFacetsAgainstAll(t *testing.T) {
	const changes = 600
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{})
	begin := put(t, c, "/pods/first", "a/0")
	random := rand.New(rand.NewPCG(1, 2))
	values := []string{"a", "b", "c", "?x", "", "d"}
	revisions := map[string]int64{"/pods/first": begin}
	change := func(i int) {
		key := fmt.Sprintf("/pods/%02d", random.IntN(40))
		was, there := revisions[key]
		var revision int64
		var err error
		switch data := []byte(fmt.Sprintf("%s/%d", values[random.IntN(len(values))], i)); {
		case there && random.IntN(4) == 0:
			_, err = c.Delete(ctx, key, was, engine.WriteOptions{})
			delete(revisions, key)
		case there:
			revision, err = c.Update(ctx, key, data, was, engine.WriteOptions{})
		default:
			revision, err = c.Create(ctx, key, data, engine.WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if revision > 0 {
			revisions[key] = revision
		}
	}
	watch := func(after int64, facet *engine.Facet) engine.Watcher {
		w, err := c.Watch(ctx, "/pods/", engine.WatchOptions{After: after, Facet: facet})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(w.Stop)
		return w
	}
	for i := range changes / 2 {
		change(i)
	}
	all := watch(begin, nil)
	watchers := map[string][]engine.Watcher{}
	for _, value := range values[:3] {
		watchers[value] = append(watchers[value], watch(begin, nodeFacet(value)), watch(begin+100, nodeFacet(value)))
	}
	for i := range changes / 2 {
		change(i)
	}
	for _, value := range values[:3] {
		watchers[value] = append(watchers[value], watch(begin+changes-20, nodeFacet(value)))
	}
	put(t, c, "/pods/last", "?/")
	var history []engine.Event
	for event := range all.Events() {
		if history = append(history, event); event.Key == "/pods/last" {
			break
		}
	}
	for value, watchers := range watchers {
		for n, w := range watchers {
			after := []int64{begin, begin + 100, begin + changes - 20}[n]
			var want, got []int64
			for _, event := range history {
				if event.Revision > after && concerns(event, value) {
					want = append(want, event.Revision)
				}
			}
			for event := range w.Events() {
				if concerns(event, value) { // what is from before the first watch of a facet comes unsorted
					got = append(got, event.Revision)
				}
				if event.Key == "/pods/last" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s from %d:\ngot  %v\nwant %v", value, after, got, want)
			}
		}
		for _, limit := range []int64{0, 1, 3} {
			checkFacetList(ctx, t, c, value, limit)
		}
	}
}

// checkFacetList pages through what a facet picks, and through everything.
func checkFacetList(ctx context.Context, t *testing.T, c *Cache, value string, limit int64) {
	t.Helper()
	page, err := c.List(ctx, "/pods/", engine.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, item := range page.Items {
		if v, known := nodeFacet(value).Of(&item); v == value || !known {
			want = append(want, item.Key)
		}
	}
	opts := engine.ListOptions{Limit: limit, Facet: nodeFacet(value), Revision: page.Revision}
	for more := true; more; {
		page, err := c.List(ctx, "/pods/", opts)
		if err != nil || page.Count != int64(len(want)-len(got)) {
			t.Fatalf("%d are left of %d after %d: %v", page.Count, len(want), len(got), err)
		}
		for _, item := range page.Items {
			got = append(got, item.Key)
			opts.From = item.Key + "\x00"
		}
		more = page.More
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s, %d at once:\ngot  %v\nwant %v", value, limit, got, want)
	}
}

// TestLanesWakeWhomTheyConcern: a watch is woken by events of its value, before or after, and by those whose value nobody knows.
func TestLanesWakeWhomTheyConcern(t *testing.T) {
	l := lanes{}
	_, a := l.take(nodeFacet("a"), 0)
	f, b := l.take(nodeFacet("b"), 0)
	for i, e := range []struct {
		before, after string
		a, b          bool
	}{
		{"", "a/", true, false}, {"a/", "b/", true, true}, {"b/", "", false, true}, {"", "c/", false, false}, {"c/", "/", false, false}, {"", "?", true, true}, {"a/", "a/1", true, false},
	} {
		l.sort(&engine.Event{Prev: []byte(e.before), Data: []byte(e.after)}, int64(i), 0)
		_, wakesA := l.woken[a]
		_, wakesB := l.woken[b]
		if wakesA != e.a || wakesB != e.b {
			t.Errorf("%q to %q wakes a: %v, b: %v", e.before, e.after, wakesA, wakesB)
		}
		clear(l.woken)
	}
	for i := range 3000 { // lanes of values that nobody watches go with their events
		l.sort(&engine.Event{Data: fmt.Appendf(nil, "%d/", i)}, int64(100+i), int64(100+i))
	}
	if n := len(f.lanes); n > 1100 {
		t.Errorf("%d lanes are kept", n)
	}
	l.leave(nodeFacet("a"), f, a)
	l.leave(nodeFacet("b"), f, b)
	if len(l.byName) != 0 {
		t.Error("facets that nobody watches are kept")
	}
}

// TestLaneOutlivesTheRing: a watch of a value that seldom changes does not end when the ring has turned over by others; one that
// did not take its own events in time does.
func TestLaneOutlivesTheRing(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	c := filled(t, server.Storage("registry"), "/pods/", CacheOptions{Events: 10})
	after, err := c.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	watch := func(value string) engine.Watcher {
		w, err := c.Watch(ctx, "/pods/", engine.WatchOptions{After: after, Facet: nodeFacet(value)})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	seldom, busy := watch("seldom"), watch("busy")
	for i := range 200 {
		put(t, c, fmt.Sprintf("/pods/%03d", i), "busy/")
	}
	put(t, c, "/pods/x", "seldom/")
	if event := <-seldom.Events(); event.Key != "/pods/x" {
		t.Errorf("%+v, %v", event, seldom.Err())
	}
	seen := 0
	for range busy.Events() {
		seen++
	}
	if !errors.Is(busy.Err(), ErrSlowWatcher) || seen == 200 {
		t.Errorf("after %d events: %v", seen, busy.Err())
	}
}
