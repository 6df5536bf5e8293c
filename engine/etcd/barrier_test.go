package etcd

import (
	"context"
	"errors"
	"testing"
)

// TestGate: a check serves those who came before it began, never those who came after.
func TestGate(t *testing.T) {
	const waiters = 100
	ctx := context.Background()
	began, finish := make(chan struct{}), make(chan error)
	g := gate{check: func() error {
		began <- struct{}{}
		return <-finish
	}}
	first := make(chan error, 1)
	go func() { first <- g.pass(ctx) }()
	<-began

	// All of these come while the first check runs: they share the second one.
	passes := map[*pass]bool{}
	for range waiters {
		passes[g.queue()] = true
	}
	if len(passes) != 1 {
		t.Fatalf("%d checks for those who wait", len(passes))
	}
	second := g.queue()
	finish <- nil
	if err := <-first; err != nil {
		t.Error(err)
	}
	<-began
	select {
	case <-second.done:
		t.Fatal("a check served who came after it began")
	default:
	}
	boom := errors.New("boom")
	finish <- boom
	if <-second.done; !errors.Is(second.err, boom) {
		t.Errorf("%v", second.err)
	}

	// Idle again: the next one is checked anew, and a waiter that gives up disturbs nobody.
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := g.pass(gone); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-began
	last := make(chan error, 1)
	go func() { last <- g.pass(ctx) }()
	finish <- nil
	<-began
	finish <- nil
	if err := <-last; err != nil {
		t.Error(err)
	}
}
