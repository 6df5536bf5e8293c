package host

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// A module that has made a long call has its calls made one by one; others have not.
func TestLongCallsGoOneByOne(t *testing.T) {
	s := load(t, "expensive", Options{Limits: Limits{Instances: 4, Wait: time.Hour}})
	m := s.module
	for _, c := range []struct {
		hook engine.Hook
		long bool
	}{{engine.Canonicalize, false}, {engine.WarningsOnCreate, true}} {
		if _, err := s.Run(t.Context(), engine.HooksOf(c.hook), widgetCall(0)); err != nil {
			t.Fatal(err)
		}
		if long := m.pool.lane.until.Load() != 0; long != c.long {
			t.Errorf("after %s: long is %t", c.hook, long)
		}
	}
	m.pool.lane.until.Store(time.Now().Add(time.Hour).UnixNano())
	first, err := m.obtain(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.obtain(gone, "", false); !errors.Is(err, context.Canceled) {
		t.Errorf("a second call runs beside the first (%v)", err)
	}
	if n := len(m.pool.permits); n != 1 {
		t.Errorf("%d permits are taken", n)
	}
	m.release(first) // it has not been long: there is no pause
	second, err := m.obtain(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	m.pool.discard(second)
	m.pool.lane.until.Store(1) // long ago
	for range 2 {
		in, err := m.obtain(gone, "", false)
		if err != nil {
			t.Fatal(err)
		}
		defer m.release(in)
	}
}

func TestLongCallsArePaid(t *testing.T) {
	s := load(t, "counts", Options{Limits: Limits{Wait: time.Nanosecond}})
	p := s.module.pool
	in := &instance{}
	for _, c := range []struct {
		fuel int64
		sent int
		long bool
	}{{longFuel, 0, false}, {longFuel + 1, 0, true}, {longFuel + 100*longFuelPerByte, 100, false}, {1 << 38, 100, true}} {
		l := &lane{slot: make(chan struct{}, 1)}
		l.slot <- struct{}{}
		l.holder.Store(in)
		if l.note(in, c.fuel, c.sent); (l.until.Load() != 0) != c.long || (l.pause.Load() != 0) != c.long {
			t.Errorf("%+v: until %d, pause %d", c, l.until.Load(), l.pause.Load())
		}
		l.leave(&instance{})
		if len(l.slot) != 1 {
			t.Error("an instance that has not got the slot gives it back")
		}
		if l.leave(in); c.fuel == 1<<38 && len(l.slot) != 1 {
			t.Error("there is no pause")
		}
		l.leave(in) // nothing is given back twice
	}
	p.lane.until.Store(time.Now().Add(time.Hour).UnixNano())
	p.lane.slot <- struct{}{}
	var busy *engine.BusyError
	if _, err := s.Run(t.Context(), warn, widgetCall(0)); !errors.As(err, &busy) || len(p.permits) != 0 {
		t.Errorf("%v, %d permits", err, len(p.permits))
	}
}
