package explain

import (
	"bytes"
	"context"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/jsondiff"
)

// Trace follows one request. It is not safe for concurrent use.
type Trace struct {
	steps []Step
	last  engine.Object // the object as the last step left it, nil where that is not known
}

// Store is the same store with all its hooks traced.
func (t *Trace) Store(store *engine.Store) *engine.Store {
	revision := store.Resource.Revision
	return store.Wrapped(func(_ string, inner engine.Strategy) engine.Strategy {
		return &strategy{Strategy: inner, trace: t, revision: revision}
	})
}

// Begin notes the object that the request came with, where it came with a whole one.
func (t *Trace) Begin(obj engine.Object) { t.last = obj }

// Explain tells what the trace has seen of a request and its outcome. The object, if any, is the one that it would be answered with.
func (t *Trace) Explain(info *engine.RequestInfo, outcome Outcome) *Explanation {
	if len(outcome.Object) > 0 && len(t.steps) > 0 {
		t.between(engine.Object(outcome.Object))
	}
	name := info.Name
	if name == "" {
		name = t.last.Name()
	}
	return &Explanation{
		APIVersion: APIVersion, Kind: Kind, Steps: t.steps, Outcome: outcome,
		Request: Request{info.Verb, info.Group, info.Version, info.Resource, info.Subresource, info.Namespace, name},
	}
}

// between notes what the server changed since the last step.
func (t *Trace) between(obj engine.Object) {
	if t.last != nil && t.last.APIVersion() == obj.APIVersion() && t.last.Kind() == obj.Kind() {
		if patch := diff(t.last, obj); len(patch) > 0 {
			t.steps = append(t.steps, Step{Name: Server, Patch: patch})
		}
	}
	t.last = obj
}

// diff leaves out what is bookkeeping on every write.
func diff(before, after engine.Object) []jsondiff.Operation {
	if bytes.Equal(before, after) {
		return nil
	}
	patch, err := jsondiff.Diff(before.Unowned(), after.Unowned())
	if err != nil {
		return nil // cannot be: objects are JSON
	}
	return patch
}

// strategy runs the hooks of the one inside singly and notes each.
type strategy struct {
	engine.Strategy
	trace    *Trace
	revision string
}

// Unwrap is the strategy inside.
func (s *strategy) Unwrap() engine.Strategy { return s.Strategy }

// Run runs the hooks one by one, which comes to the same as running them together.
func (s *strategy) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	now, all := *call, engine.Reply{Object: call.Object}
	for hook := engine.Default; hook <= engine.LastHook; hook++ {
		if !hooks.Has(hook) || !s.Hooks().Has(hook) {
			continue
		}
		now.Object = all.Object
		reply, err := s.one(ctx, hook, &now)
		if err != nil || len(reply.Errors) > 0 || reply.Refusal != nil {
			return reply, err
		}
		reply.Warnings = append(all.Warnings, reply.Warnings...)
		all = reply
	}
	return all, nil
}

// one runs one hook.
func (s *strategy) one(ctx context.Context, hook engine.Hook, call *engine.Call) (engine.Reply, error) {
	if call.Object != nil {
		if s.trace.last == nil {
			s.trace.last = call.Old
		}
		s.trace.between(call.Object)
	}
	reply, cost, err := host.Measure(ctx, s.Strategy, engine.HooksOf(hook), call)
	step := Step{
		Name: hook.String(), Plugin: s.revision, Version: call.Request.Version,
		Errors: causes(reply.Errors), Refusal: reply.Refusal, Warnings: reply.Warnings, Result: reply.Result,
		Cost: &Cost{cost.Fuel, cost.Approximate, cost.Sent, cost.Received, cost.Time.Nanoseconds()},
	}
	if err != nil {
		step.Failure = err.Error()
	} else if reply.Object != nil {
		step.Patch = diff(call.Object, reply.Object)
		s.trace.last = reply.Object
	}
	if hook == engine.Convert && len(reply.Items) == 1 {
		step.Patch = diff(call.Items[0], reply.Items[0])
	}
	s.trace.steps = append(s.trace.steps, step)
	return reply, err
}

var _ engine.Wrapper = (*strategy)(nil)
