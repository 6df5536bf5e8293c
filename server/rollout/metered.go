package rollout

import (
	"context"
	"sync"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// meter measures what the hooks of replays take: from a pristine instance each, so that fuel can be compared. The Account of a
// replay tells it from the others.
type meter struct{ costs sync.Map } // *engine.Account to *cost

type cost struct {
	fuel        int64
	approximate bool
	time        time.Duration
}

// store is the same store with its hooks measured.
func (m *meter) store(s *engine.Store) *engine.Store {
	return s.Wrapped(func(_ string, inner engine.Strategy) engine.Strategy { return &metered{inner, m} })
}

// begin opens an account.
func (m *meter) begin() *engine.Account {
	account := &engine.Account{}
	m.costs.Store(account, &cost{})
	return account
}

// end closes an account and tells what was noted under it.
func (m *meter) end(account *engine.Account) cost {
	noted, _ := m.costs.LoadAndDelete(account)
	return *noted.(*cost)
}

// metered is a strategy whose hooks are measured.
type metered struct {
	engine.Strategy
	meter *meter
}

// Unwrap is the strategy inside.
func (s *metered) Unwrap() engine.Strategy { return s.Strategy }

// Run runs the hooks and notes what they took.
func (s *metered) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	reply, took, err := host.Measure(ctx, s.Strategy, hooks, call)
	if noted, ok := s.meter.costs.Load(call.Request.Account); ok {
		sum := noted.(*cost)
		sum.fuel, sum.time = sum.fuel+took.Fuel, sum.time+took.Time
		sum.approximate = sum.approximate || took.Approximate
	}
	return reply, err
}

var _ engine.Wrapper = (*metered)(nil)
