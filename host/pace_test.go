package host

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratagem-dev/stratagem/engine"
)

// What long calls run is made up for in so many times its time, however many there are; idle time counts for a while.
func TestPace(t *testing.T) {
	const slice = time.Millisecond
	now := time.Now()
	p := &pace{}
	free := int(paceBurst / (paceOfLong * slice)) // slices that idle time pays for
	for range free {
		if wait := p.book(slice, now); wait > 0 {
			t.Fatalf("a slice waits %s though nothing ran before", wait)
		}
	}
	first := p.book(slice, now)
	if first <= 0 || first > paceOfLong*slice {
		t.Errorf("the first slice beyond the burst waits %s", first)
	}
	if second := p.book(slice, now); second != first+paceOfLong*slice {
		t.Errorf("the one beside it waits %s after %s", second, first)
	}
	if later := p.book(slice, now.Add(time.Hour)); later > 0 {
		t.Errorf("an hour later a slice waits %s", later)
	}
}

// Only calls that are long wait in the middle, and any call of a module whose long calls are behind.
func TestLongCallsAreSpread(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := load(t, "expensive", Options{Metrics: NewMetrics(registry)})
	m := s.module
	run := func(hook engine.Hook) Cost {
		t.Helper()
		_, cost, err := s.Measure(t.Context(), engine.HooksOf(hook), widgetCall(0))
		if err != nil {
			t.Fatal(err)
		}
		return cost
	}
	if run(engine.Canonicalize); !m.pace.free.IsZero() {
		t.Error("a short call is booked")
	}
	first := run(engine.WarningsOnCreate)
	if m.pace.free.IsZero() {
		t.Error("a long call is not booked")
	}
	m.pace.free = time.Now().Add(20 * time.Millisecond)
	second := run(engine.WarningsOnCreate)
	if waited, _ := counted(t, registry, "stratagem_plugin_paused_seconds_total", nil); waited < .02 {
		t.Errorf("it has waited for %f s", waited)
	}
	if first.Fuel != second.Fuel {
		t.Errorf("it used %d units of fuel, and %d with pauses", first.Fuel, second.Fuel)
	}
}

// A call that nobody waits for any more ends, whatever its budget. Its plugin has not failed by that, and others still run.
func TestCallsEndWithTheirRequest(t *testing.T) {
	s := loadHostile(t, "endless_loop", Options{Limits: Limits{FailingTime: time.Nanosecond}})
	s.module.options.Limits.Fuel = 1 << 49
	validate, canonicalize := engine.HooksOf(engine.Validate), engine.HooksOf(engine.Canonicalize)
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_, cost, err := s.run(ctx, validate, widgetCall(0), false)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if cost.Fuel <= 0 || cost.Fuel > 1<<40 {
			t.Errorf("it used %d units of fuel", cost.Fuel)
		}
	}
	if n := s.module.Counts().Discarded; n != 3 || len(s.module.pool.permits) != 0 {
		t.Errorf("%d instances are thrown away, %d permits taken", n, len(s.module.pool.permits))
	}
	if _, err := s.Run(t.Context(), canonicalize, widgetCall(0)); err != nil {
		t.Error(err)
	}
}

// A declared maximum holds, though the engine sees a greater one; and a memory at its maximum is reset like others.
func TestMemoryHoldsToItsMaximum(t *testing.T) {
	s := load(t, "maximum", Options{})
	for range 3 {
		if _, err := s.Run(t.Context(), warn, widgetCall(0)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.module.Counts(); n.Discarded != 0 || n.Resets < 3 {
		t.Errorf("%+v", n)
	}
}
