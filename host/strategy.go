package host

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
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
	// for the modules that have one. Approximate tells that it did not.
	Fuel        int64
	Approximate bool
	// Sent and Received are the bytes of the frames.
	Sent, Received int
	// Time is how long the guest ran.
	Time time.Duration
}

// FuelText is the fuel for people to read: 411234, or ~411234 where it is approximate.
func (c Cost) FuelText() string { return FuelText(c.Fuel, c.Approximate) }

// FuelText is an amount of fuel for people to read.
func FuelText(fuel int64, approximate bool) string {
	if approximate {
		return "~" + strconv.FormatInt(fuel, 10)
	}
	return strconv.FormatInt(fuel, 10)
}

// Hooks are the hooks that the module's description lists.
func (s *Strategy) Hooks() engine.Hooks { return s.hooks }

// Run runs the hooks in one call of the guest. An error is *engine.HookError, *engine.BusyError or the context's.
func (s *Strategy) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	reply, _, err := s.run(ctx, hooks, call, false)
	return reply, err
}

// RunWhole is Run of all hooks of a write, for a guest that tells what the reviewing ones of them got.
func (s *Strategy) RunWhole(ctx context.Context, hooks engine.Hooks, call *engine.Call) (reply engine.Reply, ok bool, err error) {
	if !s.module.whole {
		return engine.Reply{}, false, nil
	}
	reply, _, err = s.run(ctx, hooks|whole, call, false)
	return reply, true, err
}

// whole, which is the number of no hook, marks the hooks of a call to stratagem_invoke_whole.
const whole engine.Hooks = 1

// Measure is Run in a pristine instance, with what it cost.
func (s *Strategy) Measure(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, Cost, error) {
	return s.run(ctx, hooks, call, true)
}

func (s *Strategy) run(ctx context.Context, hooks engine.Hooks, call *engine.Call, pristine bool) (engine.Reply, Cost, error) {
	limits := tally{Limits: &s.module.options.Limits}
	reply, cost, err := s.runWithin(ctx, &limits, hooks, call, pristine)
	s.module.metrics.called(hooks&^whole, outcomeOf(&reply, err), cost, limits.exceeded)
	return reply, cost, err
}

// runWithin is run; limits notes what is exceeded.
func (s *Strategy) runWithin(ctx context.Context, limits *tally, hooks engine.Hooks, call *engine.Call, pristine bool) (engine.Reply, Cost, error) {
	seen := withoutManaged(call)
	segments := encodeCall(seen)
	if wait, refused := s.module.failing.refuses(limits.FailingTime, time.Now); refused {
		limits.note(LimitFailingTime)
		return engine.Reply{}, Cost{}, &engine.BusyError{Plugin: s.module.Name, RetryAfter: max(time.Second, wait), Reason: errFailing}
	}
	in, err := s.module.obtain(ctx, call.Request.Namespace, pristine)
	if err != nil {
		var busy *engine.BusyError
		if errors.As(err, &busy) {
			limits.note(LimitInstances)
		}
		if busy != nil || ctx.Err() != nil {
			return engine.Reply{}, Cost{}, err
		}
		return engine.Reply{}, Cost{}, s.failure(limits, hooks, 0, err)
	}
	exact := s.module.snapshot != nil && in.calls == 0
	began := time.Now()
	endReads := in.beginReads(ctx, call.Request, limits)
	in.request = ctx
	frame, err := in.callOn(call.Request.Account, hooks, segments)
	in.request = nil
	cost := Cost{Fuel: in.used(), Approximate: !exact, Sent: frameSize(segments), Received: len(frame), Time: time.Since(began) - in.waited}
	endReads()
	s.log(in, limits, call)
	s.module.metrics.paced(in.waited)
	if err != nil && err == in.stopped {
		s.module.pool.discard(in)
		return engine.Reply{}, cost, err
	}
	if err != nil {
		s.module.fail(in, cost.Time)
		return engine.Reply{}, cost, s.failure(limits, hooks, 0, err)
	}
	reply, hook, err := decodeReply(frame, hooks, seen, limits)
	if errors.Is(err, errMalformed) {
		s.module.fail(in, time.Since(began)-in.waited)
		return engine.Reply{}, cost, s.failure(limits, hooks, hook, err)
	}
	s.module.release(in)
	if err != nil {
		return engine.Reply{}, cost, s.failure(limits, hooks, hook, err)
	}
	restoreManaged(&reply, call, seen)
	return reply, cost, nil
}

// errFailing is what clients are told of a plugin that has used up its FailingTime.
const errFailing = "its calls keep failing and may take no more time for now (limit failingTime)"

// outcomeOf is what a call came to, for the metrics.
func outcomeOf(reply *engine.Reply, err error) outcome {
	if err == nil {
		if len(reply.Errors) > 0 || reply.Refusal != nil {
			return callRejected
		}
		return callOK
	}
	var failed *engine.HookError
	if !errors.As(err, &failed) {
		return callBusy
	}
	switch failed.Kind {
	case engine.FailedError:
		return callError
	case engine.FailedBudget:
		return callBudget
	case engine.FailedMalformed:
		return callMalformed
	}
	return callTrap
}

// failure names plugin, hook and cause. Hook 0 means that any of the hooks may have failed.
func (s *Strategy) failure(limits *tally, hooks engine.Hooks, hook engine.Hook, err error) error {
	var exceeded *LimitError
	if errors.As(err, &exceeded) {
		limits.note(exceeded.Limit)
	}
	failed := &engine.HookError{Plugin: s.module.Name, Revision: s.module.revision, Hook: hooks.String(), Kind: engine.FailedTrap, Err: err}
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

// log passes on what the guest said during the call.
func (s *Strategy) log(in *instance, limits *tally, call *engine.Call) {
	said := &in.guest.log
	if said.dropped > 0 {
		limits.note(LimitLogBytes)
	}
	if len(said.text) == 0 {
		return
	}
	suppressed, ok := s.module.logBudget.take(len(said.text), s.module.options.Limits.LogBytesPerMinute, time.Now())
	if !ok {
		limits.note(LimitLogBytesPerMinute)
		return
	}
	logger := s.module.options.Log
	if logger == nil {
		logger = slog.Default()
	}
	logger.Log(context.Background(), said.level, said.String(), "plugin", s.module.Name, "revision", s.module.revision,
		"resource", call.Request.Resource, "droppedBytes", said.dropped+suppressed)
}

var (
	_ engine.Strategy = (*Strategy)(nil)
	_ engine.Whole    = (*Strategy)(nil)
)
