package engine

import "sync"

// Account is what one request has spent in each plugin that serves it, over all its hooks and retries. The zero value is
// empty. It is safe for concurrent use; a nil one keeps nothing.
type Account struct {
	mu      sync.Mutex
	entries []accountEntry
}

type accountEntry struct {
	plugin      any
	fuel, bytes int64
}

// Spent is the fuel that calls of the plugin have used, and the bytes of the frames that they were sent.
func (a *Account) Spent(plugin any) (fuel, bytes int64) {
	if a == nil {
		return 0, 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.entries {
		if e := &a.entries[i]; e.plugin == plugin {
			return e.fuel, e.bytes
		}
	}
	return 0, 0
}

// Add notes one more call of the plugin.
func (a *Account) Add(plugin any, fuel, bytes int64) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.entries {
		if e := &a.entries[i]; e.plugin == plugin {
			e.fuel, e.bytes = e.fuel+fuel, e.bytes+bytes
			return
		}
	}
	a.entries = append(a.entries, accountEntry{plugin, fuel, bytes})
}
