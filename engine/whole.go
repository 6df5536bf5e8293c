package engine

import (
	"bytes"
	"context"
)

// Whole is a Strategy that can run the hooks of a write in one call, those that prepare an object and those that review it: each
// call costs, whatever its hooks do.
//
//   - It is looked for in the strategy itself: a Wrapper around one has to see two calls, and does.
type Whole interface {
	// RunWhole is Run, with the object that the reviewing hooks got in the Reply's Prepared. Where the strategy cannot do that
	// nothing has run, and ok is false.
	RunWhole(ctx context.Context, hooks Hooks, call *Call) (reply Reply, ok bool, err error)
}

// The hooks of writes: one of each pair of sets, in one call or in two.
var (
	prepareCreate = HooksOf(Default, PrepareForCreate)
	reviewCreate  = HooksOf(Validate, WarningsOnCreate, Canonicalize)
	prepareUpdate = HooksOf(Default, PrepareForUpdate)
	reviewUpdate  = HooksOf(ValidateUpdate, WarningsOnUpdate, Canonicalize)
)

// prepare runs the hooks that prepare an object, and with them, where one call does for both, those that review it: theirs is the
// reply then, for review.
func (s *Store) prepare(ctx context.Context, strategy Strategy, hooks, reviews Hooks, call *Call) (Object, *Reply, error) {
	if reply, err := s.runWhole(ctx, strategy, hooks, reviews, call); reply != nil {
		return reply.Prepared, reply, nil
	} else if err != nil {
		return nil, nil, err
	}
	reply, err := s.run(ctx, strategy, hooks, call)
	if err != nil {
		return nil, nil, err
	}
	if len(reply.Errors) > 0 {
		return nil, nil, &InvalidError{s.Resource.GroupKind(), call.Object.Name(), reply.Errors}
	}
	return reply.Object, nil, nil
}

// runWhole is nil where two calls have to be made: the strategy cannot do with one or lacks the hooks for either, or the object was
// rejected. What a rejected object looked like nobody tells, and the errors of the engine's own rules come beside the hooks'.
func (s *Store) runWhole(ctx context.Context, strategy Strategy, hooks, reviews Hooks, call *Call) (*Reply, error) {
	whole, ok := strategy.(Whole)
	has := hooked(strategy)
	if !ok || has&hooks == 0 || has&reviews == 0 || s.callVersion(call) != call.Request.Version {
		return nil, nil
	}
	reply, ok, err := whole.RunWhole(ctx, has&(hooks|reviews), call)
	if err != nil || !ok || len(reply.Errors) > 0 {
		return nil, err
	}
	return &reply, nil
}

// review runs the hooks that review an object, unless they have reviewed just that.
func (s *Store) review(ctx context.Context, strategy Strategy, hooks Hooks, call *Call, reviewed *Reply) (Reply, error) {
	if reviewed != nil && bytes.Equal(reviewed.Prepared, call.Object) {
		return *reviewed, nil
	}
	return s.run(ctx, strategy, hooks, call)
}
