package etcd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// TestWatchMendsLostConnections: whatever is cut, and whenever, each event comes once and in order.
func TestWatchMendsLostConnections(t *testing.T) {
	const cuts, each = 15, 20
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0"})
	between := startProxy(t, server.ClientURL())
	watcher, err := New(between.client(t), "registry").Watch(ctx, "/w/", engine.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	writer := server.Storage("registry")
	seen := 0
	for cut := range cuts {
		go func() {
			for i := range each {
				if _, err := writer.Create(ctx, fmt.Sprintf("/w/%06d", cut*each+i), nil, engine.WriteOptions{}); err != nil {
					t.Error(err)
				}
			}
		}()
		for range each {
			event, open := <-watcher.Events()
			if !open {
				t.Fatalf("the watch ended: %v", watcher.Err())
			}
			if want := fmt.Sprintf("/w/%06d", seen); event.Key != want || event.Type != engine.Created {
				t.Fatalf("event %+v, want the creation of %s", event, want)
			}
			if seen++; seen%each == each/2 {
				between.cut(false)
			}
		}
	}
}

// TestWatchWhoseRevisionIsCompactedMeanwhile: a watch that comes back too late says so.
func TestWatchWhoseRevisionIsCompactedMeanwhile(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir(), ListenClientURL: "http://127.0.0.1:0"})
	between := startProxy(t, server.ClientURL())
	watcher, err := New(between.client(t), "registry").Watch(ctx, "/w/", engine.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	writer := server.Storage("registry")
	first, err := writer.Create(ctx, "/w/a", nil, engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	<-watcher.Events()
	between.cut(true)
	var last int64
	for i := range 10 {
		if last, err = writer.Create(ctx, fmt.Sprintf("/w/%d", i), nil, engine.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := server.Client().Compact(ctx, last); err != nil {
		t.Fatal(err)
	}
	between.cut(false)
	for event := range watcher.Events() {
		t.Errorf("event %+v", event)
	}
	var compacted *engine.CompactedError
	if err := watcher.Err(); !errors.As(err, &compacted) || compacted.Wanted != first || compacted.Compacted != last {
		t.Errorf("%v, want %d compacted to %d", err, first, last)
	}
}

// TestEventsOfOneRevision: a transaction's events come together, in order, and a watch from before or at its
// revision gets all or none of them.
func TestEventsOfOneRevision(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	before, err := storage.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	large := string(make([]byte, 30_000)) // together more than one message holds
	var puts []clientv3.Op
	for i := range 100 {
		puts = append(puts, clientv3.OpPut(fmt.Sprintf("/registry/w/%03d", i), large))
	}
	resp, err := server.Client().Txn(ctx).Then(puts...).Commit()
	if err != nil {
		t.Fatal(err)
	}
	gone, err := server.Client().Delete(ctx, "/registry/w/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := storage.Watch(ctx, "/w/", engine.WatchOptions{After: before})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		event := <-watcher.Events()
		wantType, wantRevision := engine.Created, resp.Header.Revision
		if i >= 100 {
			wantType, wantRevision = engine.Deleted, gone.Header.Revision
		}
		if event.Key != fmt.Sprintf("/w/%03d", i%100) || event.Type != wantType || event.Revision != wantRevision {
			t.Fatalf("event %d is type %d of %s at %d", i, event.Type, event.Key, event.Revision)
		}
		if event.Type == engine.Deleted && len(event.Prev) != len(large) {
			t.Fatalf("event %d comes with %d bytes of before", i, len(event.Prev))
		}
	}
	later, err := storage.Watch(ctx, "/w/", engine.WatchOptions{After: resp.Header.Revision})
	if err != nil {
		t.Fatal(err)
	}
	if event := <-later.Events(); event.Type != engine.Deleted || event.Key != "/w/000" {
		t.Errorf("after the transaction comes type %d of %s", event.Type, event.Key)
	}
}

// TestEventWithoutPrev: etcd leaves out the value before when a watch is just being opened.
func TestEventWithoutPrev(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	created, err := storage.Create(ctx, "/a", []byte("1"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	updated, err := storage.Update(ctx, "/a", []byte("2"), created, engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	answer := clientv3.WatchResponse{
		Header: &etcdserverpb.ResponseHeader{Revision: updated},
		Events: []*clientv3.Event{{
			Type: clientv3.EventTypePut,
			Kv:   &mvccpb.KeyValue{Key: []byte("/registry/a"), Value: []byte("2"), CreateRevision: created, ModRevision: updated},
		}},
	}
	check := func(prev string) {
		t.Helper()
		st := stream{storage: storage, key: "/registry/", next: updated, prev: true}
		got, err := st.take(ctx, answer, true)
		if err != nil || len(got.events) != 1 || string(got.events[0].Prev) != prev || got.revision != updated {
			t.Errorf("%+v %v, want %q", got, err, prev)
		}
		if again, err := st.take(ctx, answer, true); err != nil || len(again.events) != 0 {
			t.Errorf("taken twice: %+v %v", again, err)
		}
	}
	check("1")
	if _, err := server.Client().Compact(ctx, updated); err != nil {
		t.Fatal(err)
	}
	check("")
}

// TestProgress: who asks for it is told that nothing is missing up to a revision; nobody else is.
func TestProgress(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	asking, err := storage.Watch(ctx, "/w/", engine.WatchOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	silent, err := storage.Watch(ctx, "/w/", engine.WatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	revision, err := storage.Create(ctx, "/elsewhere", nil, engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	event := requestProgress(ctx, t, asking)
	if event.Type != engine.Progress || event.Revision < revision || event.Key != "" {
		t.Errorf("%+v", event)
	}
	if _, err := storage.Create(ctx, "/w/a", nil, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if event := <-silent.Events(); event.Type != engine.Created {
		t.Errorf("%+v", event)
	}
}

// requestProgress asks until an event comes: etcd does not answer while a watch is being opened.
func requestProgress(ctx context.Context, t *testing.T, watcher engine.Watcher) engine.Event {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		if err := watcher.(interface{ RequestProgress(context.Context) error }).RequestProgress(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case event := <-watcher.Events():
			return event
		case <-ticker.C:
		}
	}
}

// TestWatchersLeaveNoGoroutines: of a watch that has ended neither the watcher's goroutine is left nor those of etcd's client.
func TestWatchersLeaveNoGoroutines(t *testing.T) {
	ctx := context.Background()
	server := startServer(t, EmbedConfig{DataDir: t.TempDir()})
	storage := server.Storage("registry")
	if _, err := storage.Create(ctx, "/w/a", nil, engine.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	watchAndStop(ctx, t, storage, 100)
	settle(t, "etcd.(*watcher).", "clientv3.(*watchGrpcStream).")
}

// settle waits until no goroutine has one of the functions on its stack.
func settle(t *testing.T, functions ...string) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for left := running(functions); len(left) > 0; left = running(functions) {
		select {
		case <-deadline.C:
			t.Fatalf("%d goroutines are left, one is:\n%s", len(left), left[0])
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// running are the stacks of the goroutines that have one of the functions on them. What else runs in the process, of etcd's
// server or of other tests, is not counted.
func running(functions []string) (stacks []string) {
	all := make([]byte, 1<<20)
	n := runtime.Stack(all, true)
	for ; n == len(all); n = runtime.Stack(all, true) {
		all = make([]byte, 2*len(all))
	}
	for stack := range strings.SplitSeq(string(all[:n]), "\n\n") {
		if slices.ContainsFunc(functions, func(function string) bool { return strings.Contains(stack, function) }) {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// watchAndStop opens so many watches, some of which have events that nobody fetched, and stops them.
func watchAndStop(ctx context.Context, t *testing.T, storage engine.Storage, n int) {
	t.Helper()
	for i := range n {
		ctx, cancel := context.WithCancel(ctx)
		watcher, err := storage.Watch(ctx, "/w/", engine.WatchOptions{After: int64(i%2) + 1})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			cancel()
		} else {
			watcher.Stop()
		}
		for range watcher.Events() {
		}
		cancel()
	}
}
