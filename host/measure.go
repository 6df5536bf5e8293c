package host

import (
	"context"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// Measurer is a strategy that can tell what a call costs: that of a module, or one around it.
type Measurer interface {
	Measure(context.Context, engine.Hooks, *engine.Call) (engine.Reply, Cost, error)
}

// Measure runs hooks of a strategy and tells what that cost: of one that knows no fuel, the time.
func Measure(ctx context.Context, strategy engine.Strategy, hooks engine.Hooks, call *engine.Call) (engine.Reply, Cost, error) {
	if m, ok := engine.Ability[Measurer](strategy); ok {
		return m.Measure(ctx, hooks, call)
	}
	began := time.Now()
	reply, err := strategy.Run(ctx, hooks, call)
	return reply, Cost{Time: time.Since(began)}, err
}

var _ Measurer = (*Strategy)(nil)
