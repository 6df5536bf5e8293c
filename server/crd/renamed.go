package crd

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// Renamed is a strategy that is asked under the name of the resource that its plugin describes, whatever resource it is bound to:
// that is how a module tells its strategies from each other. Objects keep their own apiVersion and kind.
type Renamed struct {
	engine.Strategy
	Group, Resource string
}

// Run runs the hooks.
func (s Renamed) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	return s.Strategy.Run(ctx, hooks, s.rename(call))
}

// Measure is Run with what it cost.
func (s Renamed) Measure(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, host.Cost, error) {
	return host.Measure(ctx, s.Strategy, hooks, s.rename(call))
}

// Unwrap is the strategy inside.
func (s Renamed) Unwrap() engine.Strategy { return s.Strategy }

func (s Renamed) rename(call *engine.Call) *engine.Call {
	renamed, info := *call, *call.Request
	info.Group, info.Resource = s.Group, s.Resource
	renamed.Request = &info
	return &renamed
}

var (
	_ engine.Wrapper = Renamed{}
	_ host.Measurer  = Renamed{}
)
