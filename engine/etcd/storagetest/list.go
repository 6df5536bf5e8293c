package storagetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// fill creates n keys /pods/ns<i%3>/p<i> and returns them in key order.
func (s *suite) fill(t *testing.T, n int) []engine.Item {
	t.Helper()
	var items []engine.Item
	for ns := range 3 {
		for i := range (n - ns + 2) / 3 {
			item := engine.Item{Key: fmt.Sprintf("/pods/ns%d/p%05d", ns, i), Data: fmt.Append(nil, "value ", ns, " ", i)}
			item.Revision = s.create(t, item.Key, string(item.Data))
			items = append(items, item)
		}
	}
	return items
}

func testList(t *testing.T, s *suite) {
	empty := s.list(t, "/pods/", engine.ListOptions{})
	if len(empty.Items) != 0 || empty.Count != 0 || empty.More || empty.Revision <= 0 {
		t.Errorf("%+v", empty)
	}
	items := s.fill(t, 10)
	s.create(t, "/podsecurity/ns0/x", "another resource")
	s.create(t, "/services/ns0/x", "another resource")

	page := s.list(t, "/pods/", engine.ListOptions{})
	sameItems(t, page.Items, items)
	if page.Count != 10 || page.More || page.Revision != s.revision(t) {
		t.Errorf("count %d, more %v, revision %d", page.Count, page.More, page.Revision)
	}
	page = s.list(t, "/pods/ns1/", engine.ListOptions{})
	sameItems(t, page.Items, items[4:7])
	page = s.list(t, "/pods/", engine.ListOptions{CountOnly: true})
	if len(page.Items) != 0 || page.Count != 10 || page.Revision != s.revision(t) {
		t.Errorf("%+v", page)
	}
}

// testListMany: a list without a limit is whole, whatever the storage fetches at a time.
func testListMany(t *testing.T, s *suite) {
	const n, large = 1200, 40
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			for i := worker; i < n; i += 8 {
				if _, err := s.Storage.Create(s.ctx, fmt.Sprintf("/many/%05d", i), []byte("v"), engine.WriteOptions{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	for i := range large {
		s.create(t, fmt.Sprintf("/many/large%03d", i), strings.Repeat("x", 300_000))
	}
	page := s.list(t, "/many/", engine.ListOptions{})
	if len(page.Items) != n+large || page.Count != n+large || page.More {
		t.Errorf("%d items, count %d, more %v", len(page.Items), page.Count, page.More)
	}
	page = s.list(t, "/many/", engine.ListOptions{Limit: 700})
	if len(page.Items) != 700 || page.Count != n+large || !page.More {
		t.Errorf("%d items, count %d, more %v", len(page.Items), page.Count, page.More)
	}
}

// testListWhileWriting: a writer gives one key after the other, in key order, the number of its round. Then every
// list that is of one revision holds a number up to some key, and its predecessor from there on.
func testListWhileWriting(t *testing.T, s *suite) {
	const keys, lists = 500, 40
	revisions := make([]int64, keys)
	for i := range keys {
		revisions[i] = s.create(t, fmt.Sprintf("/round/%05d", i), "0")
	}
	stop := make(chan struct{})
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(stop)
	wait.Go(func() {
		for n := keys; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			key, value := fmt.Sprintf("/round/%05d", n%keys), fmt.Append(nil, n/keys)
			revision, err := s.Second.Update(s.ctx, key, value, revisions[n%keys], engine.WriteOptions{})
			if err != nil {
				t.Errorf("update %s: %v", key, err)
				return
			}
			revisions[n%keys] = revision
		}
	})
	for range lists {
		page := s.list(t, "/round/", engine.ListOptions{})
		if len(page.Items) != keys {
			t.Fatalf("%d items", len(page.Items))
		}
		first, steps := string(page.Items[0].Data), 0
		for i, item := range page.Items[1:] {
			if string(item.Data) != string(page.Items[i].Data) {
				steps++
			}
		}
		last := string(page.Items[keys-1].Data)
		if steps > 1 || (steps == 1 && first != fmt.Sprint(number(t, last)+1)) {
			t.Fatalf("the list of revision %d goes from %s to %s in %d steps", page.Revision, first, last, steps)
		}
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func testListPages(t *testing.T, s *suite) {
	items := s.fill(t, 20)
	first := s.list(t, "/pods/", engine.ListOptions{Limit: 6})
	sameItems(t, first.Items, items[:6])
	if first.Count != 20 || !first.More {
		t.Errorf("count %d, more %v", first.Count, first.More)
	}
	// What is written between the pages is not seen by them.
	s.update(t, items[10].Key, "changed", items[10].Revision)
	s.delete(t, items[12].Key, items[12].Revision)
	s.create(t, items[13].Key+"-new", "new")

	got, from, left := first.Items, first.Items[5].Key+"\x00", int64(14)
	for {
		page := s.list(t, "/pods/", engine.ListOptions{Limit: 6, Revision: first.Revision, From: from})
		if page.Revision != first.Revision || page.Count != left || page.More != (left > 6) {
			t.Errorf("revision %d count %d more %v, want revision %d count %d", page.Revision, page.Count, page.More, first.Revision, left)
		}
		got = append(got, page.Items...)
		if !page.More {
			break
		}
		from, left = page.Items[5].Key+"\x00", left-6
	}
	sameItems(t, got, items)
	if now := s.list(t, "/pods/", engine.ListOptions{}); now.Count != 20 || string(now.Items[10].Data) != "changed" {
		t.Errorf("the list of now has %d items", now.Count)
	}
}

func testListBorders(t *testing.T, s *suite) {
	items := s.fill(t, 6)
	s.create(t, "/pods0", "behind the prefix")
	for _, test := range []struct {
		from  string
		limit int64
		want  []engine.Item
		count int64
	}{
		{"", 6, items, 6},
		{"", 7, items, 6},
		{"/", 0, items, 6},
		{"/pods/", 0, items, 6},
		{items[0].Key, 0, items, 6},
		{items[0].Key + "\x00", 0, items[1:], 5},
		{items[5].Key, 0, items[5:], 1},
		{items[5].Key + "\x00", 0, nil, 0},
		{"/pods0", 0, nil, 0},
		{"/zzz", 3, nil, 0},
		{items[4].Key, 1, items[4:5], 2},
	} {
		page := s.list(t, "/pods/", engine.ListOptions{From: test.from, Limit: test.limit})
		sameItems(t, page.Items, test.want)
		if page.Count != test.count || page.More != (int64(len(test.want)) < test.count) {
			t.Errorf("from %q limit %d: count %d more %v", test.from, test.limit, page.Count, page.More)
		}
	}
}

func testListFuture(t *testing.T, s *suite) {
	s.create(t, "/a", "1")
	now := s.revision(t)
	for _, countOnly := range []bool{false, true} {
		_, err := s.Storage.List(s.ctx, "/", engine.ListOptions{Revision: now + 1000, CountOnly: countOnly})
		if future := as[*engine.FutureRevisionError](t, err); future.Wanted != now+1000 || future.Current != now {
			t.Errorf("%+v, now is %d", future, now)
		}
	}
	s.list(t, "/", engine.ListOptions{Revision: now})
}

func testListCompacted(t *testing.T, s *suite) {
	old := s.create(t, "/a", "1")
	kept := s.update(t, "/a", "2", old)
	if err := s.Compact(s.ctx, kept); err != nil {
		t.Fatal(err)
	}
	for _, countOnly := range []bool{false, true} {
		_, err := s.Storage.List(s.ctx, "/", engine.ListOptions{Revision: old, CountOnly: countOnly})
		if compacted := as[*engine.CompactedError](t, err); compacted.Wanted != old || compacted.Compacted != kept {
			t.Errorf("%+v, want %d and %d", compacted, old, kept)
		}
	}
	sameItem(t, s.list(t, "/", engine.ListOptions{Revision: kept}).Items[0], engine.Item{Key: "/a", Data: []byte("2"), Revision: kept})
	sameItem(t, s.get(t, "/a"), engine.Item{Key: "/a", Data: []byte("2"), Revision: kept})
}
