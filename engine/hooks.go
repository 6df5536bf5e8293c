package engine

import (
	"bytes"
	"context"
	"fmt"
)

// This file is how the verbs reach the strategy: as few calls as the lifecycle allows, each only when a hook is there.

// hooked are the hooks of a strategy, none of a nil one.
func hooked(strategy Strategy) Hooks {
	if strategy == nil {
		return 0
	}
	return strategy.Hooks()
}

// run runs those of the hooks that the strategy has; without any the object comes back as it went in.
func (s *Store) run(ctx context.Context, strategy Strategy, hooks Hooks, call *Call) (Reply, error) {
	if hooks &= hooked(strategy); hooks == 0 {
		return Reply{Object: call.Object}, nil
	}
	if version := s.callVersion(call); version != call.Request.Version {
		return s.runAtVersion(ctx, strategy, hooks, call, version)
	}
	return strategy.Run(ctx, hooks, call)
}

// callVersion is the version in which the hooks take the objects of a call.
func (s *Store) callVersion(call *Call) string {
	if call.Request.Subresource == "" || call.Object.Kind() == s.Resource.Kind {
		return s.hookVersion(call.Request.Version)
	}
	return call.Request.Version
}

// runAtVersion converts the objects of a call to a version that the hooks take, and the reply's back.
func (s *Store) runAtVersion(ctx context.Context, strategy Strategy, hooks Hooks, call *Call, version string) (Reply, error) {
	info := *call.Request
	info.Version = version
	converted := *call
	converted.Request = &info
	for _, obj := range []*Object{&converted.Object, &converted.Old} {
		if *obj == nil {
			continue
		}
		var err error
		if *obj, err = s.convert(ctx, &info, *obj, version); err != nil {
			return Reply{}, err
		}
	}
	reply, err := strategy.Run(ctx, hooks, &converted)
	if err != nil || reply.Object == nil {
		return reply, err
	}
	reply.Object, err = s.convert(ctx, call.Request, reply.Object, call.Request.Version)
	return reply, err
}

// canonicalized makes sure of what Canonicalize changed in metadata: it has been validated before.
func (s *Store) canonicalized(before, after Object) error {
	if before.Same(after) || bytes.Equal(before.field("metadata"), after.field("metadata")) {
		return nil
	}
	errs, err := s.validateMeta(after)
	if err != nil {
		return err
	}
	if len(errs) > 0 {
		return &HookError{Plugin: s.Resource.Plural, Revision: s.Resource.Revision, Hook: "Canonicalize", Kind: FailedMalformed,
			Err: fmt.Errorf("it left invalid metadata: %w", errs.ToAggregate())}
	}
	return nil
}
