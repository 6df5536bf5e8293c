package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/stratagem-dev/stratagem/engine"
)

// What a watcher holds for a consumer that does not come to fetch it. Beyond either it lets go of its
// etcd watch, and goes on from there once the consumer has fetched what it held.
const (
	mostQueued      = 1000
	mostQueuedBytes = 16 << 20
)

// Watch streams the changes under a prefix after a revision, in revision order.
//
//   - A lost connection is mended without loss or doubling, and without a word.
//   - A revision that is yet to come is waited for.
//   - A slow consumer costs bounded memory: at worst it finds its place compacted.
func (s *Storage) Watch(ctx context.Context, prefix string, opts engine.WatchOptions) (engine.Watcher, error) {
	key, err := s.key(prefix)
	if err != nil {
		return nil, err
	}
	if opts.After < 0 {
		return nil, fmt.Errorf("watch %s: revision %d is negative", prefix, opts.After)
	}
	after := opts.After
	if after == 0 {
		if after, err = s.Revision(ctx); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	w := &watcher{
		stream:   stream{storage: s, key: key, next: after + 1, prev: true},
		stop:     stop,
		events:   make(chan engine.Event, 16),
		progress: opts.Progress,
	}
	go w.run(ctx)
	return w, nil
}

// watcher is a running watch of a Storage.
type watcher struct {
	stream   stream
	stop     context.CancelFunc
	events   chan engine.Event
	progress bool

	queue []engine.Event
	bytes int // of the queue's data

	mu  sync.Mutex
	err error
}

// Events is closed when the watch ends.
func (w *watcher) Events() <-chan engine.Event { return w.events }

// Err says why the watch ended; nil before that, and after its context ended or Stop.
func (w *watcher) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Stop ends the watch. It may be called again and does not wait.
func (w *watcher) Stop() { w.stop() }

// RequestProgress asks for a Progress event, at a revision not before the call, of a watch that wants such events.
//
//   - It returns before the event comes. Etcd sends none while the watch still reads the past.
func (w *watcher) RequestProgress(ctx context.Context) error { return w.stream.requestProgress(ctx) }

func (w *watcher) run(ctx context.Context) {
	defer close(w.events)
	defer w.stop()
	for {
		err := w.follow(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errLost):
			w.stream.backoff.wait(ctx)
		case err != nil:
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
			return
		}
	}
}

// follow watches until the stream fails, or until it had to let go of it and the consumer has caught up.
// Whatever the stream has taken is delivered first.
func (w *watcher) follow(ctx context.Context) (failure error) {
	responses := w.stream.open(ctx)
	defer w.stream.close()
	for responses != nil || len(w.queue) > 0 {
		var out chan<- engine.Event
		var head engine.Event
		if len(w.queue) > 0 {
			out, head = w.events, w.queue[0]
		}
		select {
		case resp, open := <-responses:
			taken, err := w.stream.take(ctx, resp, open)
			if err != nil {
				failure, responses = err, nil
				continue
			}
			w.enqueue(taken)
			if len(w.queue) >= mostQueued || w.bytes >= mostQueuedBytes {
				w.stream.close()
				responses = nil
			}
		case out <- head:
			w.dequeue()
		case <-w.stream.storage.client.Ctx().Done():
			return engine.ErrStopped
		case <-ctx.Done():
			return nil
		}
	}
	return failure
}

func (w *watcher) enqueue(taken batch) {
	for _, event := range taken.events {
		w.bytes += len(event.Data) + len(event.Prev)
	}
	w.queue = append(w.queue, taken.events...)
	if w.progress && len(taken.events) == 0 && taken.revision > 0 {
		w.queue = append(w.queue, engine.Event{Type: engine.Progress, Revision: taken.revision})
	}
}

func (w *watcher) dequeue() {
	w.bytes -= len(w.queue[0].Data) + len(w.queue[0].Prev)
	w.queue[0] = engine.Event{}
	w.queue = w.queue[1:]
}

var _ engine.Watcher = (*watcher)(nil)
