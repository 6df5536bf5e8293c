package engine

import "sync/atomic"

// Memo is a place beside a stored item where a Store keeps the objects that it made of it, so that decoding,
// conversion and defaulting happen once for each revision and version and not for each reader. A nil Memo keeps nothing.
type Memo struct{ made atomic.Pointer[made] }

// made is an object that was made of an item, for readers of one version under one definition of the resource.
type made struct {
	resource *Resource
	version  string
	object   Object
	place    int32 // where the resourceVersion goes in, as Object.versionPlace has it
	older    *made // for readers of another version
}

// mostMade is how many versions of an object are kept.
const mostMade = 4

// get is the object in a version, and where its resourceVersion goes in.
func (m *Memo) get(resource *Resource, version string) (Object, int32) {
	if m == nil {
		return nil, 0
	}
	for made := m.made.Load(); made != nil; made = made.older {
		if made.resource == resource && made.version == version {
			return made.object, made.place
		}
	}
	return nil, 0
}

// put keeps an object. Those of another definition of the resource are let go of.
func (m *Memo) put(resource *Resource, version string, object Object) {
	if m == nil {
		return
	}
	fresh := &made{resource: resource, version: version, object: object, place: object.versionPlace()}
	if known := m.made.Load(); known != nil && known.resource == resource && known.depth() < mostMade {
		fresh.older = known
	}
	m.made.Store(fresh)
}

func (m *made) depth() (n int) {
	for ; m != nil; m = m.older {
		n++
	}
	return n
}
