package etcd

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// hammer is writers of counters, each with a key of its own, and what they know to be stored.
type hammer struct {
	caches       []*Cache
	acknowledged [4]atomic.Int64
	writing      atomic.Int64
}

func key(writer int) string { return fmt.Sprintf("/pods/ns/%d", writer) }

// TestCacheHammer: under concurrent writes to two servers, in and out of the caches' prefix, every read is at least as
// new as the last write that was acknowledged before it, and every watch leads to the final list.
func TestCacheHammer(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0"})
	client, err := Dial(DialConfig{Endpoints: []string{server.ClientURL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	h := &hammer{caches: []*Cache{
		filled(t, server.Storage("registry"), "/pods/", CacheOptions{}),
		filled(t, New(client, "registry"), "/pods/", CacheOptions{}),
	}}
	start, err := h.caches[0].Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var watchers []engine.Watcher
	for i := range 6 {
		watcher, err := h.caches[i%2].Watch(ctx, "/pods/", engine.WatchOptions{After: start})
		if err != nil {
			t.Fatal(err)
		}
		defer watcher.Stop()
		watchers = append(watchers, watcher)
	}

	var wait sync.WaitGroup
	h.writing.Store(int64(len(h.acknowledged)))
	for writer := range h.acknowledged {
		wait.Go(func() { h.write(ctx, t, writer) })
	}
	for reader := range 8 {
		wait.Go(func() { h.read(ctx, t, reader) })
	}
	replayed := make([]map[string]string, len(watchers))
	for i, watcher := range watchers {
		wait.Go(func() { replayed[i] = replay(t, watcher) })
	}
	wait.Wait()
	for i, c := range h.caches {
		page, err := c.List(ctx, "/pods/", engine.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for j, state := range replayed {
			if len(state) != len(page.Items) {
				t.Errorf("watcher %d has %d keys, list %d has %d", j, len(state), i, len(page.Items))
			}
			for _, item := range page.Items {
				if state[item.Key] != string(item.Data) {
					t.Errorf("watcher %d has %s as %q, list %d as %q", j, item.Key, state[item.Key], i, item.Data)
				}
			}
		}
	}
}

// write counts up, through one cache and the other, and now and then writes elsewhere.
func (h *hammer) write(ctx context.Context, t *testing.T, writer int) {
	const writes = 300
	var revision int64
	for n := int64(1); n <= writes; n++ {
		c := h.caches[n%2]
		var err error
		if value := strconv.AppendInt(nil, n, 10); n == 1 {
			revision, err = c.Create(ctx, key(writer), value, engine.WriteOptions{})
		} else {
			revision, err = c.Update(ctx, key(writer), value, revision, engine.WriteOptions{})
		}
		if err != nil {
			t.Errorf("write %d of writer %d: %v", n, writer, err)
			break
		}
		h.acknowledged[writer].Store(n)
		if n%10 == 0 {
			if _, err := c.Create(ctx, fmt.Sprintf("/services/%d/%d", writer, n), nil, engine.WriteOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
	if h.writing.Add(-1) == 0 {
		if _, err := h.caches[0].Create(ctx, "/pods/zz-end", nil, engine.WriteOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// read compares what it reads with what was acknowledged before.
func (h *hammer) read(ctx context.Context, t *testing.T, reader int) {
	c := h.caches[reader%2]
	for n := 0; h.writing.Load() > 0 && !t.Failed(); n++ {
		writer := n % len(h.acknowledged)
		if n%5 != 0 {
			least := h.acknowledged[writer].Load()
			if least == 0 {
				continue
			}
			item, err := c.Get(ctx, key(writer))
			if err != nil {
				t.Errorf("get after write %d: %v", least, err)
				return
			}
			atLeast(t, item, least)
			continue
		}
		var least [len(h.acknowledged)]int64
		for i := range least {
			least[i] = h.acknowledged[i].Load()
		}
		page, err := c.List(ctx, "/pods/", engine.ListOptions{})
		if err != nil {
			t.Error(err)
			return
		}
		listed := map[string]engine.Item{}
		for _, item := range page.Items {
			listed[item.Key] = item
			if item.Revision > page.Revision {
				t.Errorf("%s of revision %d in a list of revision %d", item.Key, item.Revision, page.Revision)
			}
		}
		for i := range least {
			if least[i] > 0 {
				atLeast(t, listed[key(i)], least[i])
			}
		}
	}
}

func atLeast(t *testing.T, item engine.Item, least int64) {
	if got, err := strconv.ParseInt(string(item.Data), 10, 64); err != nil || got < least {
		t.Errorf("%s is %q after write %d was acknowledged", item.Key, item.Data, least)
	}
}

// replay applies events up to the writers' last one, and checks that each follows the one before.
func replay(t *testing.T, watcher engine.Watcher) map[string]string {
	state, last := map[string]string{}, int64(0)
	for event := range watcher.Events() {
		if event.Revision <= last {
			t.Errorf("%s@%d after revision %d", event.Key, event.Revision, last)
		}
		if before, present := state[event.Key]; before != string(event.Prev) || present == (event.Type == engine.Created) {
			t.Errorf("type %d of %s from %q to %q after %q", event.Type, event.Key, event.Prev, event.Data, before)
		}
		last = event.Revision
		state[event.Key] = string(event.Data)
		if event.Key == "/pods/zz-end" {
			return state
		}
	}
	t.Errorf("the watch ended: %v", watcher.Err())
	return state
}
