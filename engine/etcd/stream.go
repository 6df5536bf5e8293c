package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

// errLost says that a stream has ended for a reason that opening it again may heal.
var errLost = errors.New("the watch was lost")

// batch is what one answer of a watch holds: all of its revisions are complete.
type batch struct {
	events   []engine.Event
	revision int64 // every change up to it has been delivered with this batch; 0 where that is not known
}

// stream is an etcd watch of one prefix that knows where it is, so that it can go on there after it was
// closed or lost: no event is missing and none comes twice.
//
//   - It is for one goroutine, which opens it and hands it every answer; progress may be asked for by others.
//   - It has a connection of etcd's to itself (see RATIONALE.md).
type stream struct {
	storage *Storage
	key     string // the prefix in etcd
	next    int64  // the first revision that has not been taken
	prev    bool   // events come with the value before
	backoff backoff

	mu      sync.Mutex
	watcher clientv3.Watcher // nil while it is closed
}

// open starts to watch at the next revision. What was open before is closed.
func (st *stream) open(ctx context.Context) clientv3.WatchChan {
	st.close()
	opts := []clientv3.OpOption{
		clientv3.WithPrefix(), clientv3.WithRev(st.next), clientv3.WithFragment(), clientv3.WithProgressNotify(),
	}
	if st.prev {
		opts = append(opts, clientv3.WithPrevKV())
	}
	watcher := st.storage.newWatcher()
	st.mu.Lock()
	st.watcher = watcher
	st.mu.Unlock()
	return watcher.Watch(clientv3.WithRequireLeader(ctx), st.key, opts...)
}

// close gives free what open took.
func (st *stream) close() {
	st.mu.Lock()
	watcher := st.watcher
	st.watcher = nil
	st.mu.Unlock()
	if watcher != nil {
		_ = watcher.Close() // says how the connection ended, which is no news
	}
}

// requestProgress asks etcd to tell how far it is. It returns before that, and may be called from anywhere.
func (st *stream) requestProgress(ctx context.Context) error {
	st.mu.Lock()
	watcher := st.watcher
	st.mu.Unlock()
	if watcher == nil {
		return nil
	}
	if err := watcher.RequestProgress(clientv3.WithRequireLeader(ctx)); err != nil {
		return st.storage.failed(ctx, "request progress", err)
	}
	return nil
}

// take turns an answer into events. errLost asks for another open after a wait; any other error is the end.
func (st *stream) take(ctx context.Context, resp clientv3.WatchResponse, open bool) (batch, error) {
	switch {
	case !open:
		return batch{}, st.failed(ctx, errLost)
	case resp.CompactRevision != 0:
		return batch{}, &engine.CompactedError{Wanted: st.next - 1, Compacted: resp.CompactRevision}
	case resp.Err() != nil:
		return batch{}, st.failed(ctx, resp.Err())
	case resp.IsProgressNotify() && resp.Header.GetRevision() < st.next-1:
		return batch{}, nil // of a watch of the future
	case resp.IsProgressNotify():
		st.advance(resp.Header.GetRevision())
		return batch{revision: st.next - 1}, nil
	}
	events := make([]engine.Event, 0, len(resp.Events))
	for _, raw := range resp.Events {
		if raw.Kv.ModRevision < st.next {
			continue
		}
		event, err := st.event(ctx, raw)
		if err != nil {
			return batch{}, st.failed(ctx, err)
		}
		events = append(events, event)
	}
	if len(events) > 0 {
		st.advance(events[len(events)-1].Revision)
	}
	return batch{events: events, revision: st.next - 1}, nil
}

// advance notes that everything up to a revision has been taken.
func (st *stream) advance(revision int64) {
	st.next = max(st.next, revision+1)
	st.backoff.reset()
}

// event turns one of etcd's events into one of the engine's.
func (st *stream) event(ctx context.Context, raw *clientv3.Event) (engine.Event, error) {
	event := engine.Event{Type: engine.Modified, Key: st.storage.strip(raw.Kv.Key), Revision: raw.Kv.ModRevision}
	switch {
	case raw.IsCreate():
		event.Type = engine.Created
		event.Data = raw.Kv.Value
		return event, nil
	case raw.Type == clientv3.EventTypeDelete:
		event.Type = engine.Deleted
	default:
		event.Data = raw.Kv.Value
	}
	var err error
	switch {
	case raw.PrevKv != nil:
		event.Prev = raw.PrevKv.Value
	case st.prev:
		event.Prev, err = st.previous(ctx, raw)
	}
	return event, err
}

// previous reads the value before an event that came without: etcd forgets to add it to what happens
// while a watch is being opened. Where it has been compacted meanwhile there is none.
func (st *stream) previous(ctx context.Context, raw *clientv3.Event) ([]byte, error) {
	resp, err := st.storage.client.Get(ctx, string(raw.Kv.Key), clientv3.WithRev(raw.Kv.ModRevision-1))
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return nil, nil
	case err != nil:
		return nil, err
	case len(resp.Kvs) == 0:
		return nil, nil
	}
	return resp.Kvs[0].Value, nil
}

// failed is what an error means for the stream.
func (st *stream) failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case st.storage.client.Ctx().Err() != nil:
		return engine.ErrStopped
	case errors.Is(err, errLost) || lost(err):
		return errLost
	case errors.Is(err, rpctypes.ErrCompacted):
		return &engine.CompactedError{Wanted: st.next - 1}
	}
	return fmt.Errorf("watch %s: %w", st.key[len(st.storage.prefix):], err)
}
