package host

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
)

// Strategy is one resource's or subresource's part of a module.
type Strategy struct {
	module *Module
	hooks  engine.Hooks
}

// Hooks are the hooks that the module's description lists.
func (s *Strategy) Hooks() engine.Hooks { return s.hooks }

// Run runs the hooks in one call of the guest. An error is *engine.HookError, *engine.BusyError or the context's.
func (s *Strategy) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	segments, err := encodeCall(call)
	if err != nil {
		return engine.Reply{}, err
	}
	in, err := s.module.pool.take(ctx)
	if err != nil {
		var busy *engine.BusyError
		if errors.As(err, &busy) || ctx.Err() != nil {
			return engine.Reply{}, err
		}
		return engine.Reply{}, s.failure(hooks, 0, err)
	}
	frame, err := in.call(uint64(hooks), segments)
	if err != nil {
		s.log(in, call)
		s.module.pool.discard(in)
		return engine.Reply{}, s.failure(hooks, 0, err)
	}
	s.log(in, call)
	reply, hook, err := decodeReply(frame, hooks, call, s.module.options.Limits)
	if err == nil && call.Object != nil && reply.Object != nil {
		if broken := guard(call.Object, reply.Object); broken != nil {
			err = malformed("%v", broken)
		}
	}
	if errors.Is(err, errMalformed) {
		s.module.pool.discard(in)
		return engine.Reply{}, s.failure(hooks, hook, err)
	}
	s.module.pool.put(in)
	if err != nil {
		return engine.Reply{}, s.failure(hooks, hook, err)
	}
	return reply, nil
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
	for h := engine.Default; h <= engine.Convert; h++ {
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
	logger := s.module.options.Log
	if logger == nil {
		logger = slog.Default()
	}
	logger.Log(context.Background(), said.level, said.String(), "plugin", s.module.Name, "revision", s.module.revision,
		"resource", call.Request.Resource, "droppedBytes", said.dropped)
}

var _ engine.Strategy = (*Strategy)(nil)
