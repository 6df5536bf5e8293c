package controllers

import (
	"context"
	"sync"
	"time"
)

// The pauses before a key that failed is tried again: twice as long each time.
const (
	firstRetry = 10 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// Queue holds keys that are to be worked on. A key that is added many times is worked on once, by one worker at a
// time; one added while it is worked on comes again.
type Queue struct {
	mu       sync.Mutex
	ready    []string
	waiting  map[string]bool        // in ready
	running  map[string]bool        // true: added again meanwhile
	failures map[string]int         // in a row
	timers   map[string]*time.Timer // of the keys to be tried again
	wake     chan struct{}          // holds one token while ready is not empty
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{
		waiting: map[string]bool{}, running: map[string]bool{}, failures: map[string]int{},
		timers: map[string]*time.Timer{}, wake: make(chan struct{}, 1),
	}
}

// Add puts keys into the queue.
func (q *Queue) Add(keys ...string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range keys {
		q.add(key)
	}
}

func (q *Queue) add(key string) {
	if timer := q.timers[key]; timer != nil {
		timer.Stop()
		delete(q.timers, key)
	}
	if _, running := q.running[key]; running {
		q.running[key] = true
		return
	}
	if !q.waiting[key] {
		q.waiting[key] = true
		q.ready = append(q.ready, key)
		q.signal()
	}
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Run calls work for the keys, in several workers, until ctx ends, and returns when the last worker has. A key whose
// work fails comes again, later each time; one whose work asks for it comes again after a pause.
func (q *Queue) Run(ctx context.Context, workers int, work func(ctx context.Context, key string) (again time.Duration, err error)) {
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				key, ok := q.take(ctx)
				if !ok {
					return
				}
				again, err := work(ctx, key)
				q.done(key, again, err)
			}
		})
	}
	running.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, timer := range q.timers {
		timer.Stop()
	}
}

// take waits for a key.
func (q *Queue) take(ctx context.Context) (key string, ok bool) {
	for {
		select {
		case <-ctx.Done():
			return "", false
		case <-q.wake:
		}
		q.mu.Lock()
		if len(q.ready) == 0 {
			q.mu.Unlock()
			continue
		}
		key, q.ready = q.ready[0], q.ready[1:]
		delete(q.waiting, key)
		q.running[key] = false
		if len(q.ready) > 0 {
			q.signal()
		}
		q.mu.Unlock()
		return key, ctx.Err() == nil
	}
}

// done ends the work on a key.
func (q *Queue) done(key string, again time.Duration, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	added := q.running[key]
	delete(q.running, key)
	switch {
	case err != nil:
		again = min(firstRetry<<min(q.failures[key], 20), lastRetry)
		q.failures[key]++
	default:
		delete(q.failures, key)
	}
	switch {
	case added:
		q.add(key)
	case again > 0:
		q.timers[key] = time.AfterFunc(again, func() { q.Add(key) })
	}
}
