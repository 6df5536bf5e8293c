package host

import (
	"context"
	"time"
)

// Reset is when an instance goes back to the snapshot, so that nothing that it has seen is left in it. The zero value is
// after every call. RATIONALE.md has the figures. Whatever it says, an instance that trapped or broke the ABI is thrown away.
type Reset struct {
	// Every is the number of calls between resets: 0 and 1 are after every call, Never is never.
	Every int
	// OnGrowth resets also an instance whose memory has grown since.
	OnGrowth bool
	// BetweenNamespaces resets also where a call is for another namespace than the one before.
	BetweenNamespaces bool
}

// Never is the Every of a Reset that keeps instances as they are.
const Never = -1

// within is what an author who asks for r gets from an operator who allows so much: no fewer resets than either wants.
func (r Reset) within(allowed Reset) Reset {
	granted := Reset{OnGrowth: r.OnGrowth || allowed.OnGrowth, BetweenNamespaces: r.BetweenNamespaces || allowed.BetweenNamespaces}
	switch asked, most := max(1, r.Every), max(1, allowed.Every); {
	case allowed.Every == Never:
		granted.Every = asked
	default:
		granted.Every = min(asked, most)
	}
	return granted
}

// due tells whether an instance has to be reset before another call.
func (m *Module) due(in *instance) bool {
	every := m.reset.Every
	return every != Never && in.calls >= every || m.reset.OnGrowth && in.grown()
}

// release gives back the instance of a call that has ended well: as it is, or pristine when it is due.
func (m *Module) release(in *instance) {
	if m.due(in) && !m.restore(in) {
		m.pool.discard(in)
		return
	}
	m.pool.put(in)
}

// fail throws the instance of a call away that has failed, and charges the time that it took.
func (m *Module) fail(in *instance, took time.Duration) {
	m.failing.charge(took+m.startTime, m.options.Limits.FailingTime, time.Now())
	m.pool.discard(in)
}

// restore makes an instance pristine; it fails when only a new one can be.
func (m *Module) restore(in *instance) bool {
	if m.snapshot == nil || !in.restore(m.snapshot) {
		return false
	}
	m.resets.Add(1)
	m.metrics.reset()
	return true
}

// obtain takes an instance for a call in the namespace; with pristine it has not seen any call.
func (m *Module) obtain(ctx context.Context, namespace string, pristine bool) (*instance, error) {
	for {
		in, err := m.pool.take(ctx)
		if err != nil {
			return nil, err
		}
		stale := in.calls > 0 && (pristine || m.reset.BetweenNamespaces && in.namespace != namespace)
		if stale && !m.restore(in) {
			m.pool.discard(in)
			continue
		}
		in.namespace = namespace
		return in, nil
	}
}
