package engine_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

func (w *world) watch(req engine.WatchRequest) *engine.Watch {
	w.Helper()
	if req.Info == nil {
		req.Info = w.info("watch", "")
	}
	watch, err := w.store.Watch(w.ctx, req)
	if err != nil {
		w.Fatalf("watch %+v: %v", req, err)
	}
	w.Cleanup(watch.Stop)
	return watch
}

// next is an event as text: "ADDED a".
func (w *world) next(watch *engine.Watch) string {
	w.Helper()
	event, err := watch.Next(w.ctx)
	if err != nil {
		w.Fatalf("next: %v", err)
	}
	if event.Type == engine.EventBookmark {
		if event.InitialEnd {
			return "BOOKMARK end"
		}
		return "BOOKMARK"
	}
	return string(event.Type) + " " + event.Object.Name()
}

func (w *world) expect(watch *engine.Watch, want ...string) {
	w.Helper()
	for i, text := range want {
		if got := w.next(watch); got != text {
			w.Fatalf("event %d is %s, want %s", i, got, text)
		}
	}
}

func TestWatchFromNothingBeginsWithWhatIsThere(t *testing.T) {
	for _, version := range []string{"", "0"} {
		w := newWorld(t)
		w.colored(2)
		watch := w.watch(engine.WatchRequest{ResourceVersion: version})
		w.expect(watch, "ADDED w0", "ADDED w1")
		w.put("w0", `{"metadata":{"name":"w0"},"spec":{"size":5}}`)
		w.delete("w1", engine.DeleteRequest{})
		w.named("w2")
		w.expect(watch, "MODIFIED w0", "DELETED w1", "ADDED w2")
	}
}

func TestWatchFromAResourceVersion(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	after := w.named("b").ResourceVersion()
	w.named("c")
	w.delete("a", engine.DeleteRequest{})
	watch := w.watch(engine.WatchRequest{ResourceVersion: after})
	w.expect(watch, "ADDED c", "DELETED a")
}

func TestWatchEventsHaveTheRevisionOfTheChange(t *testing.T) {
	w := newWorld(t)
	obj := w.create(`{"metadata":{"name":"a","finalizers":["example.com/f"]}}`)
	watch := w.watch(engine.WatchRequest{ResourceVersion: obj.ResourceVersion()})
	for _, change := range []func() engine.Object{
		func() engine.Object {
			return w.put("a", `{"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"size":1}}`)
		},
		func() engine.Object { return w.delete("a", engine.DeleteRequest{}).Object },
	} {
		want := change()
		event, err := watch.Next(w.ctx)
		if err != nil || string(event.Object.Served(event.Revision)) != string(want) {
			t.Errorf("event %s at %d, want %s (%v)", event.Object, event.Revision, want, err)
		}
	}
}

func TestSelectorsTurnChangesIntoAddedAndDeleted(t *testing.T) {
	w := newWorld(t)
	watches := []*engine.Watch{
		w.watch(engine.WatchRequest{Selector: w.selector("color=red", "")}),
		w.watch(engine.WatchRequest{Selector: w.selector("", "spec.color=red")}),
	}
	paint := func(color string, size int) {
		text := fmt.Sprintf(`{"metadata":{"name":"a","labels":{"color":"%s"}},"spec":{"color":"%s","size":%d}}`, color, color, size)
		if size == 0 {
			w.create(text)
		} else {
			w.put("a", text)
		}
	}
	for size, color := range []string{"blue", "red", "red", "blue", "blue", "red"} {
		paint(color, size)
	}
	w.delete("a", engine.DeleteRequest{})
	for _, watch := range watches {
		w.expect(watch, "ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a")
	}
}

// TestDeletedShowsWhatTheSelectorSawLast: an object that leaves a selector is shown as it was while it was in it.
func TestDeletedShowsWhatTheSelectorSawLast(t *testing.T) {
	w := newWorld(t)
	watch := w.watch(engine.WatchRequest{Selector: w.selector("", "spec.color=red")})
	w.create(`{"metadata":{"name":"a"},"spec":{"color":"red"}}`)
	left := w.put("a", `{"metadata":{"name":"a"},"spec":{"color":"blue"}}`)
	w.expect(watch, "ADDED a")
	event, err := watch.Next(w.ctx)
	if err != nil || event.Type != engine.EventDeleted || fmt.Sprint(event.Revision) != left.ResourceVersion() {
		t.Fatalf("%+v %v", event, err)
	}
	is(t, event.Object, "spec.color", `"red"`)
}

func TestInitialEvents(t *testing.T) {
	w := newWorld(t)
	obj := w.named("a")
	yes, no := true, false
	for _, version := range []string{"", "0", obj.ResourceVersion()} {
		watch := w.watch(engine.WatchRequest{ResourceVersion: version, SendInitialEvents: &yes, Bookmarks: true})
		w.expect(watch, "ADDED a", "BOOKMARK end")
		watch.Stop()
	}
	for _, version := range []string{"", "0"} {
		watch := w.watch(engine.WatchRequest{ResourceVersion: version, SendInitialEvents: &no})
		later := w.named("later")
		w.expect(watch, "ADDED later")
		w.delete("later", engine.DeleteRequest{})
		watch.Stop()
		w.expect(w.watch(engine.WatchRequest{ResourceVersion: later.ResourceVersion(), SendInitialEvents: &yes}), "ADDED a")
	}
	_, err := w.store.Watch(w.ctx, engine.WatchRequest{Info: w.info("watch", ""), ResourceVersion: fmt.Sprint(int64(1) << 60), SendInitialEvents: &yes})
	failsAs[*engine.TooLargeVersionError](t, err)
	watch := w.watch(engine.WatchRequest{SendInitialEvents: &yes, Bookmarks: true})
	w.expect(watch, "ADDED a")
	event, err := watch.Next(w.ctx)
	if err != nil || !event.InitialEnd || event.Revision < revisionOf(t, obj) {
		t.Fatalf("%+v %v", event, err)
	}
	w.named("b")
	w.expect(watch, "ADDED b")
	// A watch can go on from the bookmark.
	w.expect(w.watch(engine.WatchRequest{ResourceVersion: fmt.Sprint(event.Revision)}), "ADDED b")
}

// cached puts a watch cache in front of the storage, which answers for its progress at once.
func (w *world) cached() {
	w.Helper()
	cache := etcd.NewCache(w.storage, w.store.Resource.KeyRoot+"/", etcd.CacheOptions{})
	w.Cleanup(cache.Stop)
	if err := cache.Ready(w.ctx); err != nil {
		w.Fatal(err)
	}
	w.store = engine.NewStore(w.store.Resource, cache, engine.Options{})
}

// bookmarked asks for a bookmark and returns the next event.
func (w *world) bookmarked(watch *engine.Watch) engine.WatchEvent {
	w.Helper()
	if err := watch.RequestProgress(w.ctx); err != nil {
		w.Fatal(err)
	}
	event, err := watch.Next(w.ctx)
	if err != nil {
		w.Fatal(err)
	}
	return event
}

// revisionOf is an object's resourceVersion as a number.
func revisionOf(t *testing.T, obj engine.Object) int64 {
	t.Helper()
	n, err := strconv.ParseInt(obj.ResourceVersion(), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBookmarks(t *testing.T) {
	w := newWorld(t)
	w.cached()
	watch := w.watch(engine.WatchRequest{ResourceVersion: w.named("a").ResourceVersion(), Bookmarks: true})
	elsewhere, err := w.storage.Create(w.ctx, "/elsewhere", []byte("x"), engine.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		event := w.bookmarked(watch)
		if event.Type != engine.EventBookmark || event.InitialEnd {
			t.Fatalf("%+v", event)
		}
		if event.Revision >= elsewhere {
			return
		}
	}
}

func TestWatchOfAnotherNamespaceSeesNothing(t *testing.T) {
	w := newWorld(t)
	w.cached()
	info := w.info("watch", "")
	info.Namespace = "n" // a prefix of ns
	watch := w.watch(engine.WatchRequest{Info: info, ResourceVersion: w.named("a").ResourceVersion(), Bookmarks: true})
	last := revisionOf(t, w.named("b"))
	for {
		event := w.bookmarked(watch)
		if event.Type != engine.EventBookmark {
			t.Fatalf("%+v", event)
		}
		if event.Revision >= last {
			return
		}
	}
}

func TestWatchOfACompactedRevision(t *testing.T) {
	w := newWorld(t)
	version := w.named("a").ResourceVersion()
	w.named("b")
	w.named("c")
	w.compact()
	watch, err := w.store.Watch(w.ctx, engine.WatchRequest{Info: w.info("watch", ""), ResourceVersion: version})
	if err == nil {
		defer watch.Stop()
		_, err = watch.Next(w.ctx)
	}
	fails[*engine.ExpiredError](t, err, "The resourceVersion for the provided watch is too old.")
}

func TestWatchEnds(t *testing.T) {
	w := newWorld(t)
	watch := w.watch(engine.WatchRequest{})
	watch.Stop()
	if event, err := watch.Next(w.ctx); err == nil {
		t.Errorf("an event after the end: %+v", event)
	}
	if _, err := w.store.Watch(w.ctx, engine.WatchRequest{Info: w.info("watch", ""), ResourceVersion: "x"}); err == nil {
		t.Error("a resourceVersion that is none was taken")
	}
}
