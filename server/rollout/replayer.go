package rollout

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Replayer makes requests again that have been answered, a few at a time, beside whatever else the server does. What does not fit on
// its queue is dropped and counted: no request ever waits for it.
type Replayer struct {
	jobs  chan *Job
	bytes atomic.Int64
	log   *slog.Logger
}

// The bounds of the queue.
const (
	maxJobs     = 256
	maxJobBytes = 32 << 20
	// replayTime is what the two replays of a request may take.
	replayTime = 10 * time.Second
)

// NewReplayer returns a queue that nothing works on yet.
func NewReplayer(log *slog.Logger) *Replayer {
	return &Replayer{jobs: make(chan *Job, maxJobs), log: log}
}

// Add queues a request that has been answered, or drops it.
func (s *Replayer) Add(j *Job) {
	if s.bytes.Add(j.Bytes) > maxJobBytes {
		s.bytes.Add(-j.Bytes)
		j.Trial.drop()
		return
	}
	select {
	case s.jobs <- j:
	default:
		s.bytes.Add(-j.Bytes)
		j.Trial.drop()
	}
}

// Run works on the queue until ctx ends, on half of the processors at most.
func (s *Replayer) Run(ctx context.Context) {
	var workers sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		workers.Go(func() { s.work(ctx) })
	}
	workers.Wait()
}

func (s *Replayer) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-s.jobs:
			s.bytes.Add(-j.Bytes)
			if !j.Trial.over() {
				s.do(ctx, j)
			}
		}
	}
}

// do makes one request again, by both revisions on the same, and compares. A panic in it ends no more than that.
func (s *Replayer) do(ctx context.Context, j *Job) {
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			j.Trial.drop()
			s.log.Error("panic in a shadow", "resource", j.Info.Resource, "panic", p)
		}
	}()
	then, err := j.past(ctx)
	if err != nil {
		j.Trial.drop()
		return
	}
	active := j.Twins.replay(ctx, j, j.Twins.measuredActive, then)
	candidate := j.Twins.replay(ctx, j, j.Twins.measuredCandidate, then)
	if active.verdict == Undone || candidate.verdict == Undone {
		j.Trial.drop()
		return
	}
	j.Trial.compared(compare(j, active, candidate))
}
