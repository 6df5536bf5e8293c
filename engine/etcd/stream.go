package etcd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine"
)

const (
	firstBackoff = 50 * time.Millisecond
	mostBackoff  = 2 * time.Second
)

// errLost says that a stream has ended for a reason that opening it again may heal.
var errLost = errors.New("the watch was lost")

// batch is what one answer of a watch holds: all of its revisions are complete.
type batch struct {
	events   []engine.Event
	revision int64 // every change up to it has been delivered with this batch
}

// stream is an etcd watch of one prefix that knows where it is, so that it can go on there after it was
// closed or lost: no event is missing and none comes twice.
//
//   - It is for one goroutine, which opens it and hands it every answer.
type stream struct {
	storage *Storage
	key     string // the prefix in etcd
	next    int64  // the first revision that has not been taken
	prev    bool   // events come with the value before
	cancel  context.CancelFunc
	backoff time.Duration
}

// open starts to watch at the next revision. What was open before is closed.
func (st *stream) open(ctx context.Context) clientv3.WatchChan {
	st.close()
	ctx, st.cancel = context.WithCancel(clientv3.WithRequireLeader(ctx))
	opts := []clientv3.OpOption{
		clientv3.WithPrefix(), clientv3.WithRev(st.next), clientv3.WithFragment(), clientv3.WithProgressNotify(),
	}
	if st.prev {
		opts = append(opts, clientv3.WithPrevKV())
	}
	return st.storage.client.Watch(ctx, st.key, opts...)
}

func (st *stream) close() {
	if st.cancel != nil {
		st.cancel()
		st.cancel = nil
	}
}

// wait lets some time pass before the next try; it ends early with the context.
func (st *stream) wait(ctx context.Context) {
	st.backoff = min(max(2*st.backoff, firstBackoff), mostBackoff)
	timer := time.NewTimer(st.backoff/2 + rand.N(st.backoff/2))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-st.storage.client.Ctx().Done():
	}
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
	st.backoff = 0
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
