package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// HookCall is a call of one hook, outside of any lifecycle.
type HookCall struct {
	Hook                 engine.Hook
	Subresource          string
	Object, Old, Options engine.Object
}

// ErrNoHook is returned where the module does not have the hook.
var ErrNoHook = errors.New("the module does not have this hook")

// verbs are the verbs that hooks run for, where that is not create.
var verbs = map[engine.Hook]string{
	engine.PrepareForUpdate: "update", engine.ValidateUpdate: "update", engine.WarningsOnUpdate: "update", engine.CheckGraceful: "delete",
	engine.ConvertToTable: "list", engine.Convert: "get", engine.Decorate: "get", engine.ShouldDeleteDuringUpdate: "update",
}

// Prepare finds the strategy that has the hook, and what it is to be called with.
func (h HookCall) Prepare(module *host.Module) (*host.Strategy, *engine.Call, error) {
	w := World{Module: module}
	resource, version, err := w.resource(h.Object)
	if err != nil {
		return nil, nil, err
	}
	strategy := resource.Strategy
	if h.Subresource != "" {
		sub := resource.Subresource(h.Subresource)
		if sub == nil {
			return nil, nil, fmt.Errorf("%s has no subresource %q", resource.Plural, h.Subresource)
		}
		strategy = sub.Strategy
	}
	if strategy == nil || !strategy.Hooks().Has(h.Hook) {
		return nil, nil, fmt.Errorf("%s: %w", h.Hook, ErrNoHook)
	}
	info := &engine.RequestInfo{
		Verb: cmp.Or(verbs[h.Hook], "create"), Group: resource.Group, Version: version, Resource: resource.Plural, Subresource: h.Subresource,
		Name: h.Object.Name(), User: engine.User{Name: "tester"}, Time: DefaultTime,
	}
	if resource.Namespaced {
		info.Namespace = cmp.Or(h.Object.Namespace(), defaultNamespace)
	}
	call := &engine.Call{Request: info, Object: h.Object, Old: h.Old, Options: h.Options}
	switch h.Hook {
	case engine.PrepareForUpdate, engine.ValidateUpdate, engine.WarningsOnUpdate, engine.ShouldDeleteDuringUpdate:
		if h.Old == nil {
			call.Old = h.Object
		}
	case engine.ConvertToTable, engine.Convert, engine.Decorate:
		call.Object, call.Items = nil, []engine.Object{h.Object}
	}
	if h.Options == nil && (h.Hook == engine.CheckGraceful || h.Hook == engine.CreateSubresource) {
		call.Options = engine.Object(`{}`)
	}
	return strategy.(*host.Strategy), call, nil
}

// Run calls the hook once, from the module's snapshot.
func (h HookCall) Run(ctx context.Context, module *host.Module) (engine.Reply, host.Cost, error) {
	strategy, call, err := h.Prepare(module)
	if err != nil {
		return engine.Reply{}, host.Cost{}, err
	}
	return strategy.Measure(ctx, engine.HooksOf(h.Hook), call)
}
