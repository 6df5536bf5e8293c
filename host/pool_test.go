package host

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// gate is a log handler that holds up the calls that log until it is opened: they keep their instances meanwhile.
type gate struct {
	slog.Handler
	arrived chan string
	open    chan struct{}
}

func newGate() *gate {
	return &gate{slog.DiscardHandler, make(chan string, 100), make(chan struct{})}
}

func (g *gate) Enabled(context.Context, slog.Level) bool { return true }

func (g *gate) Handle(_ context.Context, r slog.Record) error {
	g.arrived <- r.Message
	<-g.open
	return nil
}

// hold begins calls that stay in the gate, and waits until all are there.
func hold(t *testing.T, s *Strategy, g *gate, calls int) (wait func()) {
	t.Helper()
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			if _, err := s.Run(context.Background(), warn, widgetCall(0)); err != nil {
				t.Error(err)
			}
		})
	}
	for range calls {
		<-g.arrived
	}
	return group.Wait
}

var canonicalize = engine.HooksOf(engine.Canonicalize)

func wellCall() *engine.Call {
	call := widgetCall(0)
	call.Items = nil
	return call
}

// While calls run, others run too: no lock is held during a call.
func TestCallsRunSideBySide(t *testing.T) {
	g := newGate()
	s := load(t, "logs", Options{Limits: Limits{Instances: 3}, Log: slog.New(g)})
	wait := hold(t, s, g, 2)
	if _, err := s.Run(t.Context(), canonicalize, wellCall()); err != nil {
		t.Error(err)
	}
	close(g.open)
	wait()
	if c := s.module.Counts(); c.Started > 3 {
		t.Errorf("%d instances for 3 calls at once", c.Started)
	}
}

func TestPoolIsBounded(t *testing.T) {
	g := newGate()
	s := load(t, "logs", Options{Limits: Limits{Instances: 2, Waiting: 1, Wait: time.Hour}, Log: slog.New(g)})
	wait := hold(t, s, g, 2)

	waiter := make(chan error)
	go func() {
		_, err := s.Run(context.Background(), canonicalize, wellCall())
		waiter <- err
	}()
	for s.module.pool.waiting.Load() == 0 {
		runtime.Gosched()
	}
	_, err := s.Run(t.Context(), canonicalize, wellCall())
	var busy *engine.BusyError
	if !errors.As(err, &busy) || busy.Plugin != "hostile" || busy.RetryAfter <= 0 {
		t.Errorf("one too many: %v", err)
	}
	close(g.open)
	wait()
	if err := <-waiter; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	if n := s.module.pool.waiting.Load(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

func TestPoolWaitEnds(t *testing.T) {
	g := newGate()
	s := load(t, "logs", Options{Limits: Limits{Instances: 1, Wait: time.Nanosecond}, Log: slog.New(g)})
	wait := hold(t, s, g, 1)
	_, err := s.Run(t.Context(), canonicalize, wellCall())
	var busy *engine.BusyError
	if !errors.As(err, &busy) {
		t.Errorf("after the wait: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.module.options.Limits.Wait = time.Hour
	if _, err := s.Run(ctx, canonicalize, wellCall()); !errors.Is(err, context.Canceled) {
		t.Errorf("of a client that left: %v", err)
	}
	close(g.open)
	wait()
}

func TestCloseLetsCallsEnd(t *testing.T) {
	g := newGate()
	s := load(t, "logs", Options{Limits: Limits{Instances: 2, Wait: time.Hour}, Log: slog.New(g)})
	wait := hold(t, s, g, 1)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.module.Close(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("while a call runs: %v", err)
	}
	if _, err := s.Run(t.Context(), canonicalize, wellCall()); !errors.Is(err, errClosed) {
		t.Errorf("a call of a closed module: %v", err)
	}
	close(g.open)
	wait()
	if err := s.module.Close(t.Context()); err != nil {
		t.Errorf("when all have ended: %v", err)
	}
	if idle := len(s.module.pool.idle); idle != 0 {
		t.Errorf("%d instances are kept", idle)
	}
}

func TestCloseFreesWaiters(t *testing.T) {
	g := newGate()
	s := load(t, "logs", Options{Limits: Limits{Instances: 1, Wait: time.Hour}, Log: slog.New(g)})
	wait := hold(t, s, g, 1)
	waiter := make(chan error)
	go func() {
		_, err := s.Run(context.Background(), canonicalize, wellCall())
		waiter <- err
	}()
	for s.module.pool.waiting.Load() == 0 {
		runtime.Gosched()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.module.Close(gone)
	if err := <-waiter; !errors.Is(err, errClosed) {
		t.Errorf("the one that waited: %v", err)
	}
	close(g.open)
	wait()
}

// Many calls at once, some of which trap, share few instances; each gets its own reply.
func TestHammer(t *testing.T) {
	guests := hostileGuests(t)
	for _, g := range guests {
		if g.name != "trap_in_each_hook" {
			continue
		}
		m, err := Load(t.Context(), g.wasm, "hostile@1", Options{Limits: Limits{Instances: 3}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		s := m.Resources[0].Strategy.(*Strategy)
		var group sync.WaitGroup
		var failed atomic.Int64
		for worker := range 8 {
			group.Go(func() {
				for i := range 50 {
					if (worker+i)%3 == 0 {
						var trap *engine.HookError
						if _, err := s.Run(t.Context(), engine.HooksOf(engine.Validate), wellCall()); !errors.As(err, &trap) {
							t.Error(err)
						}
						failed.Add(1)
						continue
					}
					if _, err := s.Run(t.Context(), canonicalize, wellCall()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if c := m.Counts(); c.Discarded != failed.Load() || c.Started > c.Discarded+4 {
			t.Errorf("%+v after %d traps", c, failed.Load())
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
