package host

import "context"

// Reset is when an instance goes back to the snapshot, so that nothing that it has seen is left in it. RATIONALE.md has
// the figures. Whatever it says, an instance that trapped or broke the ABI is thrown away.
type Reset struct {
	// Every is the number of calls between resets: 1 is after every call, Never is never. 0 is after every call where that
	// is cheap (a system that notes which pages are written to, or a memory of at most 512 KiB), else after 64.
	Every int
	// BetweenNamespaces resets also where a call is for another namespace than the one before.
	BetweenNamespaces bool
}

// Never is the Every of a Reset that keeps instances as they are.
const Never = -1

const (
	cheapReset   = 512 << 10 // bytes of memory that are reset after every call
	defaultEvery = 64
)

// every is the number of calls after which an instance of the module is due, 0 for never.
func (m *Module) every() int {
	switch n := m.options.Reset.Every; {
	case n < 0:
		return 0
	case n > 0:
		return n
	case m.snapshot != nil && (len(m.snapshot.memory) <= cheapReset || writesAreKnown()):
		return 1
	}
	return defaultEvery
}

// release gives back the instance of a call that has ended well: as it is, or pristine when it is due.
func (m *Module) release(in *instance) {
	if every := m.every(); every > 0 && in.calls >= every && !m.reset(in) {
		m.pool.discard(in)
		return
	}
	m.pool.put(in)
}

// reset makes an instance pristine; it fails when only a new one can be.
func (m *Module) reset(in *instance) bool {
	if m.snapshot == nil || !in.restore(m.snapshot) {
		return false
	}
	m.resets.Add(1)
	return true
}

// obtain takes an instance for a call in the namespace; with pristine it has not seen any call.
func (m *Module) obtain(ctx context.Context, namespace string, pristine bool) (*instance, error) {
	for {
		in, err := m.pool.take(ctx)
		if err != nil {
			return nil, err
		}
		stale := in.calls > 0 && (pristine || m.options.Reset.BetweenNamespaces && in.namespace != namespace)
		if stale && !m.reset(in) || pristine && m.snapshot != nil && !in.exact {
			m.pool.discard(in)
			continue
		}
		in.namespace = namespace
		return in, nil
	}
}
