package host

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// Strategy is one resource's or subresource's part of a module.
type Strategy struct {
	module *Module
	hooks  engine.Hooks
}

// Cost is what a call of the guest took.
type Cost struct {
	// Fuel is the same for the same input on every machine when the call began from the snapshot, which Measure sees to
	// for the modules that have one.
	Fuel int64
	// Sent and Received are the bytes of the frames.
	Sent, Received int
	// Time is how long the guest ran.
	Time time.Duration
}

// Hooks are the hooks that the module's description lists.
func (s *Strategy) Hooks() engine.Hooks { return s.hooks }

// Run runs the hooks in one call of the guest. An error is *engine.HookError, *engine.BusyError or the context's.
func (s *Strategy) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	reply, _, err := s.run(ctx, hooks, call, false)
	return reply, err
}

// Measure is Run in a pristine instance, with what it cost.
func (s *Strategy) Measure(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, Cost, error) {
	return s.run(ctx, hooks, call, true)
}

func (s *Strategy) run(ctx context.Context, hooks engine.Hooks, call *engine.Call, pristine bool) (engine.Reply, Cost, error) {
	seen := withoutManaged(call)
	segments := encodeCall(seen)
	in, err := s.module.obtain(ctx, call.Request.Namespace, pristine)
	if err != nil {
		var busy *engine.BusyError
		if errors.As(err, &busy) || ctx.Err() != nil {
			return engine.Reply{}, Cost{}, err
		}
		return engine.Reply{}, Cost{}, s.failure(hooks, 0, err)
	}
	began := time.Now()
	frame, err := in.call(hooks, segments)
	cost := Cost{Fuel: in.used(), Sent: frameSize(segments), Received: len(frame), Time: time.Since(began)}
	s.log(in, call)
	if err != nil {
		s.module.pool.discard(in)
		return engine.Reply{}, cost, s.failure(hooks, 0, err)
	}
	reply, hook, err := decodeReply(frame, hooks, seen, s.module.options.Limits)
	if errors.Is(err, errMalformed) {
		s.module.pool.discard(in)
		return engine.Reply{}, cost, s.failure(hooks, hook, err)
	}
	s.module.release(in)
	if err != nil {
		return engine.Reply{}, cost, s.failure(hooks, hook, err)
	}
	restoreManaged(&reply, call, seen)
	return reply, cost, nil
}

// failure names plugin, hook and cause. Hook 0 means that any of the hooks may have failed.
func (s *Strategy) failure(hooks engine.Hooks, hook engine.Hook, err error) error {
	failed := &engine.HookError{Plugin: s.module.Name, Revision: s.module.revision, Hook: hookNames(hooks), Kind: engine.FailedTrap, Err: err}
	if hook != 0 {
		failed.Hook = hook.String()
	}
	var author *AuthorError
	switch {
	case errors.As(err, &author):
		failed.Kind = engine.FailedError
	case errors.Is(err, errMalformed):
		failed.Kind = engine.FailedMalformed
	case errors.Is(err, errBudget):
		failed.Kind = engine.FailedBudget
	}
	return failed
}

func hookNames(hooks engine.Hooks) string {
	var names []string
	for h := engine.Default; h <= engine.LastHook; h++ {
		if hooks.Has(h) {
			names = append(names, h.String())
		}
	}
	return strings.Join(names, "+")
}

// log passes on what the guest said during the call.
func (s *Strategy) log(in *instance, call *engine.Call) {
	said := &in.guest.log
	if len(said.text) == 0 {
		return
	}
	suppressed, ok := s.module.logBudget.take(len(said.text), s.module.options.Limits.LogBytesPerMinute, time.Now())
	if !ok {
		return
	}
	logger := s.module.options.Log
	if logger == nil {
		logger = slog.Default()
	}
	logger.Log(context.Background(), said.level, said.String(), "plugin", s.module.Name, "revision", s.module.revision,
		"resource", call.Request.Resource, "droppedBytes", said.dropped+suppressed)
}

var _ engine.Strategy = (*Strategy)(nil)
