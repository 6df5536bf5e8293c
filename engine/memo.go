package engine

import "sync/atomic"

// Memo is a place beside a stored item where a Store keeps the object that it made of it, so that decoding,
// conversion and defaulting happen once for each revision and not for each reader. A nil Memo keeps nothing.
type Memo struct{ made atomic.Pointer[made] }

// made is an object that was made of an item, for readers of one version under one definition of the resource.
type made struct {
	resource *Resource
	version  string
	object   Object
}

func (m *Memo) get(resource *Resource, version string) Object {
	if m == nil {
		return nil
	}
	if made := m.made.Load(); made != nil && made.resource == resource && made.version == version {
		return made.object
	}
	return nil
}

func (m *Memo) put(resource *Resource, version string, object Object) {
	if m != nil {
		m.made.Store(&made{resource, version, object})
	}
}
