package controllers

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// listPage is how many objects a monitor reads at once, and retryPause how long it waits after a failure.
const (
	listPage   = 1000
	retryPause = time.Second
)

// monitor follows the objects of one resource: a list, then a watch, and a list again where the watch has lost its way.
type monitor struct {
	feed *Feed
	kind *Kind
	stop context.CancelFunc

	mu       sync.Mutex
	store    *engine.Store
	reached  int64              // the sinks know everything up to it; 0 before the first list
	moved    chan struct{}      // closed when reached grows
	unfollow context.CancelFunc // ends the watch over the store before
	watch    *engine.Watch      // nil while there is none
}

func newMonitor(f *Feed, store *engine.Store) *monitor {
	r := store.Resource
	return &monitor{
		feed: f, store: store, moved: make(chan struct{}), stop: func() {}, unfollow: func() {},
		kind: &Kind{GroupResource: r.GroupResource(), Kind: r.Kind, Namespaced: r.Namespaced},
	}
}

// use goes on with another store of the same resource: the one before may hold on to a plugin that is gone.
func (m *monitor) use(store *engine.Store) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.store != store {
		m.store = store
		m.unfollow()
	}
}

// run follows until ctx ends.
func (m *monitor) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := m.follow(ctx)
		if ctx.Err() != nil || errors.Is(err, context.Canceled) {
			continue
		}
		var expired *engine.ExpiredError
		if errors.As(err, &expired) {
			m.reset()
			continue
		}
		m.feed.log.Warn("a resource cannot be followed", "resource", m.kind.GroupResource.String(), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

// follow lists, where that has not been done, and watches until the watch ends or another store is to be used.
func (m *monitor) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m.mu.Lock()
	store, after := m.store, m.reached
	m.unfollow = cancel
	m.mu.Unlock()
	if after == 0 {
		var err error
		if after, err = m.list(ctx, store); err != nil {
			return err
		}
	}
	watch, err := store.Watch(ctx, engine.WatchRequest{Info: m.info("watch"), ResourceVersion: strconv.FormatInt(after, 10), Bookmarks: true})
	if err != nil {
		return err
	}
	defer watch.Stop()
	m.watching(watch)
	defer m.watching(nil)
	for {
		event, err := watch.Next(ctx)
		if err != nil {
			return err
		}
		for _, sink := range m.feed.sinks {
			switch event.Type {
			case engine.EventAdded, engine.EventModified:
				sink.Seen(m.kind, event.Object, event.Revision)
			case engine.EventDeleted:
				sink.Gone(m.kind, event.Object, event.Revision)
			}
		}
		m.advance(event.Revision)
	}
}

// info is a request without a version: objects as they are stored.
func (m *monitor) info(verb string) *engine.RequestInfo {
	return &engine.RequestInfo{Verb: verb, Group: m.kind.Group, Resource: m.kind.Resource, Time: time.Now()}
}

// list tells the sinks of all objects, page by page.
func (m *monitor) list(ctx context.Context, store *engine.Store) (revision int64, err error) {
	uids := map[string]struct{}{}
	req := engine.ListRequest{Info: m.info("list"), Limit: listPage}
	for {
		list, err := store.List(ctx, req)
		if err != nil {
			return 0, err
		}
		for _, item := range list.Items {
			uids[item.Object.UID()] = struct{}{}
			for _, sink := range m.feed.sinks {
				sink.Seen(m.kind, item.Object, item.Revision)
			}
		}
		if revision = list.Revision; list.Continue == "" {
			break
		}
		req.Continue = list.Continue
	}
	for _, sink := range m.feed.sinks {
		sink.Listed(m.kind, uids, revision)
	}
	m.advance(revision)
	return revision, nil
}

func (m *monitor) watching(watch *engine.Watch) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watch = watch
}

func (m *monitor) advance(revision int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if revision > m.reached {
		m.reached = revision
		close(m.moved)
		m.moved = make(chan struct{})
	}
}

// reset makes the next follow list again.
func (m *monitor) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reached = 0
}

// reach waits until the sinks know everything up to a revision.
func (m *monitor) reach(ctx context.Context, revision int64) error {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		m.mu.Lock()
		watch, reached, moved := m.watch, m.reached, m.moved
		m.mu.Unlock()
		if reached >= revision {
			return nil
		}
		if watch != nil {
			// A watch that cannot be asked is about to end, and another to begin.
			_ = watch.RequestProgress(ctx)
		}
		select {
		case <-moved:
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
