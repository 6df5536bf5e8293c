package managed

import (
	"bytes"
	"slices"
)

// cap merges the oldest entries of operation Update, by version, until there are few enough. Those of one version alone stay.
func (u *updater) cap() {
	count := 0
	for i := range u.entries {
		if !u.entries[i].applied() {
			count++
		}
	}
	if count <= maxUpdaters {
		return
	}
	sortEntries(u.entries) // those of operation Update come last, the oldest of them first
	var firsts []int       // the oldest entry of each version seen
	for i := len(u.entries) - count; i < len(u.entries) && count > maxUpdaters; i++ {
		e := &u.entries[i]
		at := slices.IndexFunc(firsts, func(f int) bool { return bytes.Equal(u.entries[f].apiVersion, e.apiVersion) })
		if at < 0 {
			firsts = append(firsts, i)
			continue
		}
		if u.merge(&u.entries[firsts[at]], e) {
			count--
		}
	}
	u.entries = slices.DeleteFunc(u.entries, func(e entry) bool { return e.root == 0 })
}

// merge puts an entry into the one for ancient changes of its version, which begins as the oldest one. It returns false for
// that one itself.
func (u *updater) merge(first, e *entry) bool {
	bucket := entry{manager: []byte(ancient), operation: updateOperation, apiVersion: e.apiVersion}
	if i := slices.IndexFunc(u.entries, func(o entry) bool { return o.root != 0 && o.same(&bucket) }); i >= 0 {
		first = &u.entries[i]
	} else {
		first.manager, first.subresource = bucket.manager, nil
	}
	if first == e {
		return false
	}
	u.union(first.root, e.root, owned)
	first.raw, first.time = nil, e.time
	e.root = 0
	return true
}
