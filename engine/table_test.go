package engine_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// shown are the cells of one object, as a watch of somebody shows them.
func (w *world) shown(info *engine.RequestInfo, obj engine.Object) string {
	w.Helper()
	rows, err := w.store.TableCells(w.ctx, info, []engine.Object{obj})
	if err != nil || len(rows) != 1 {
		w.Errorf("%s %v", rows, err)
	}
	return fmt.Sprintf("%s", rows)
}

// An event is one call of the hook for all who watch, as far as it is told the same; what fails is nobody else's failure.
func TestCellsOfEvents(t *testing.T) {
	var calls atomic.Int64
	var fails atomic.Bool
	w := newWorld(t, hooked(script{engine.ConvertToTable: func(call *engine.Call, reply *engine.Reply) error {
		calls.Add(1)
		if fails.Load() {
			return breaks(call, reply)
		}
		reply.Result = fmt.Appendf(nil, `[[%q,%q,%d]]`, call.Request.User.Name, call.Items[0].Get("spec", "color").Str, call.Request.Time.Unix())
		return nil
	}}))
	red, blue := w.object(`{"metadata":{"name":"a","resourceVersion":"7"},"spec":{"color":"red"}}`), w.object(`{"metadata":{"name":"a","resourceVersion":"7"},"spec":{"color":"blue"}}`)
	watching := func(verb, user string, second int64) *engine.RequestInfo {
		info := w.info(verb, "")
		info.User.Name, info.Time = user, time.Unix(second, 5)
		return info
	}

	fails.Store(true)
	if _, err := w.store.TableCells(w.ctx, watching("watch", "ann", 1), []engine.Object{red}); err == nil {
		t.Error("the failure is not told")
	}
	fails.Store(false)
	calls.Store(0)
	var watchers sync.WaitGroup
	for range 50 {
		watchers.Go(func() {
			if got := w.shown(watching("watch", "ann", 1), red); got != `[["ann" "red" 1]]` {
				t.Errorf("cells %s", got)
			}
		})
	}
	watchers.Wait()
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls for one event", n)
	}

	// Another second, another user, another object of the same revision, and what is no event.
	for i, c := range []struct {
		verb, user string
		second     int64
		object     engine.Object
		want       string
	}{
		{"watch", "ann", 2, red, `[["ann" "red" 2]]`},
		{"watch", "bob", 1, red, `[["bob" "red" 1]]`},
		{"watch", "ann", 1, blue, `[["ann" "blue" 1]]`},
		{"list", "ann", 1, red, `[["ann" "red" 1]]`},
		{"list", "ann", 1, red, `[["ann" "red" 1]]`},
	} {
		if got := w.shown(watching(c.verb, c.user, c.second), c.object); got != c.want || calls.Load() != int64(i+2) {
			t.Errorf("%+v: cells %s after %d calls", c, got, calls.Load())
		}
	}

	// What is remembered is bounded: the first event is asked for again behind many others.
	for second := range int64(300) {
		w.shown(watching("watch", "ann", 100+second), red)
	}
	calls.Store(0)
	w.shown(watching("watch", "ann", 399), red)
	if w.shown(watching("watch", "ann", 1), red); calls.Load() != 1 {
		t.Errorf("%d calls for the newest and the oldest event", calls.Load())
	}
}
