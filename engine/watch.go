package engine

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// WatchRequest asks for a stream of changes.
type WatchRequest struct {
	Info     *RequestInfo // an empty Namespace watches all
	Selector Selector
	// ResourceVersion after which changes are wanted; "" and "0" begin with what is there.
	ResourceVersion string
	// SendInitialEvents says whether the watch begins with what is there, behind which comes a bookmark that says so where
	// bookmarks are wanted (Kubernetes' streaming list). Without a word it does for the versions "" and "0" alone.
	SendInitialEvents *bool
	// Bookmarks asks for bookmarks from time to time.
	Bookmarks bool
}

// WatchEventType is the type of a WatchEvent, as clients see it.
type WatchEventType string

// The types of watch events. An ERROR ends a watch: see Watch.Err.
const (
	EventAdded    WatchEventType = "ADDED"
	EventModified WatchEventType = "MODIFIED"
	EventDeleted  WatchEventType = "DELETED"
	EventBookmark WatchEventType = "BOOKMARK"
)

// WatchEvent is one change as a client of the watch sees it.
type WatchEvent struct {
	Type   WatchEventType
	Listed // a bookmark has a Revision and no Object
	// InitialEnd marks the bookmark behind the initial events.
	InitialEnd bool
}

// Watch streams the changes of one resource.
type Watch struct {
	store   *Store
	request WatchRequest
	initial []Listed
	watcher Watcher
	after   int64
	marked  bool // the bookmark behind the initial events has been sent, where one was asked for
}

// Watch begins a watch. The caller takes events with Next and ends it with Stop.
func (s *Store) Watch(ctx context.Context, req WatchRequest) (*Watch, error) {
	after, err := wantedRevision(req.ResourceVersion)
	if err != nil {
		errs := field.ErrorList{field.Invalid(field.NewPath("resourceVersion"), req.ResourceVersion, err.Error())}
		return nil, &InvalidError{schema.GroupKind{Group: s.Resource.Group, Kind: s.Resource.Plural}, req.Info.Name, errs}
	}
	begin := after == 0
	if req.SendInitialEvents != nil {
		begin = *req.SendInitialEvents
	}
	w := &Watch{store: s, request: req, after: after, marked: true}
	if begin {
		list, err := s.List(ctx, ListRequest{Info: req.Info, Selector: req.Selector, ResourceVersion: req.ResourceVersion})
		if err != nil {
			return nil, err
		}
		w.initial, w.after, w.marked = list.Items, list.Revision, req.SendInitialEvents == nil || !req.Bookmarks
	}
	w.watcher, err = s.storage.Watch(ctx, s.watchPrefix(req), WatchOptions{After: w.after, Progress: req.Bookmarks, Facet: s.facet(req.Info, req.Selector)})
	if err != nil {
		return nil, watchFailure(err)
	}
	return w, nil
}

// watchPrefix is what the keys have in common that the selector can pick.
func (s *Store) watchPrefix(req WatchRequest) string {
	prefix := s.prefix(s.listNamespace(req.Info, req.Selector))
	if s.holdsNames(prefix) {
		prefix += req.Selector.Name()
	}
	return prefix
}

// Next returns the next event. It blocks until there is one, the watch has ended (Err says why), or ctx is done.
func (w *Watch) Next(ctx context.Context) (WatchEvent, error) {
	if event, ok := w.nextInitial(); ok {
		return event, nil
	}
	for {
		select {
		case <-ctx.Done():
			return WatchEvent{}, ctx.Err()
		case change, open := <-w.watcher.Events():
			if !open {
				return WatchEvent{}, w.ended(ctx)
			}
			event, wanted, err := w.event(ctx, change)
			if err != nil || wanted {
				return event, err
			}
		}
	}
}

// RequestProgress asks for a bookmark, at a revision not before the call, where bookmarks are wanted.
func (w *Watch) RequestProgress(ctx context.Context) error { return w.watcher.RequestProgress(ctx) }

// Buffered tells whether Next would return at once, so that a writer can put several events into one write.
func (w *Watch) Buffered() bool {
	return len(w.initial) > 0 || !w.marked || len(w.watcher.Events()) > 0
}

// Stop ends the watch.
func (w *Watch) Stop() { w.watcher.Stop() }

func (w *Watch) nextInitial() (WatchEvent, bool) {
	if len(w.initial) > 0 {
		first := w.initial[0]
		w.initial = w.initial[1:]
		return WatchEvent{Type: EventAdded, Listed: first}, true
	}
	if !w.marked {
		w.marked = true
		return WatchEvent{Type: EventBookmark, Listed: Listed{Revision: w.after}, InitialEnd: true}, true
	}
	return WatchEvent{}, false
}

func (w *Watch) ended(ctx context.Context) error {
	if err := w.watcher.Err(); err != nil {
		return watchFailure(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrStopped
}

// event turns a change of the storage into the event that this watch's selector makes of it.
func (w *Watch) event(ctx context.Context, change Event) (_ WatchEvent, wanted bool, err error) {
	if change.Type == Progress {
		return WatchEvent{Type: EventBookmark, Listed: Listed{Revision: change.Revision}}, w.request.Bookmarks, nil
	}
	// What etcd has forgotten cannot be told: the client has to list again.
	if len(change.Prev) == 0 && (change.Type == Deleted || change.Type == Modified && !w.request.Selector.Empty()) {
		return WatchEvent{}, false, &ExpiredError{Message: watchTooOld}
	}
	before, err := w.side(ctx, Item{Key: change.Key, Data: change.Prev, Memo: change.PrevMemo})
	if err != nil {
		return WatchEvent{}, false, err
	}
	after, err := w.side(ctx, Item{Key: change.Key, Data: change.Data, Memo: change.Memo})
	if err != nil {
		return WatchEvent{}, false, err
	}
	var event WatchEvent
	switch {
	case after.Object != nil && (before.Object != nil || change.Type == Modified && len(change.Prev) == 0):
		event.Type, event.Listed = EventModified, after
	case after.Object != nil:
		event.Type, event.Listed = EventAdded, after
	case before.Object != nil:
		event.Type, event.Listed = EventDeleted, before
	default:
		return event, false, nil
	}
	event.Revision = change.Revision
	if w.store.decorates() {
		event.place = 0
		event.Object, err = w.store.decorated(ctx, w.request.Info, event.Object)
	}
	return event, err == nil, err
}

// side is the object before or after a change, the zero Listed where there is none that the selector picks.
func (w *Watch) side(ctx context.Context, item Item) (Listed, error) {
	if len(item.Data) == 0 {
		return Listed{}, nil
	}
	obj, place, err := w.store.readPlaced(ctx, item, w.request.Info)
	if err != nil || !w.request.Selector.Matches(obj) {
		return Listed{}, err
	}
	return Listed{Object: obj, place: place}, nil
}

const watchTooOld = "The resourceVersion for the provided watch is too old."

func watchFailure(err error) error {
	var compacted *CompactedError
	if errors.As(err, &compacted) {
		return &ExpiredError{Message: watchTooOld}
	}
	return err
}
