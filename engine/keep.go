package engine

import (
	"bytes"
	"slices"
)

// beginUpdate makes name, namespace and generation those of the stored object and keeps the part that the request
// does not write: the status in a write of the main resource, all but the status in one of the status. It takes off the
// managedFields that the client sent.
func (s *Store) beginUpdate(info *RequestInfo, sub *Subresource, obj, old Object) (_ *Call, _ Strategy, sent []byte, err error) {
	p := obj.parts()
	sent = p.take("managedFields")
	p.take("resourceVersion")
	p.take("selfLink")
	if err := s.agreeOnName(&p.meta, info.Name); err != nil {
		return nil, nil, nil, err
	}
	if err := s.agreeOnNamespace(&p.meta, info.Namespace); err != nil {
		return nil, nil, nil, err
	}
	was := old.Meta()
	p.meta.Set("generation", was.Get("generation"))
	p.keep(was) // before the hooks, so that what those see who prepare the object is what those see who review it
	strategy := s.Resource.Strategy
	switch {
	case sub != nil && sub.Scale != nil:
		main := *info
		main.Subresource = ""
		info = &main
		p.top.Set("status", old.field("status"))
	case sub != nil && sub.Name == "status":
		return &Call{Request: info, Object: keepAllButStatus(obj, old), Old: old}, sub.Strategy, sent, nil
	case sub != nil:
		strategy = sub.Strategy
	case s.Resource.ownStatus(info.Version):
		p.top.Set("status", old.field("status"))
	}
	return &Call{Request: info, Object: p.object(), Old: old}, strategy, sent, nil
}

// keepAllButStatus is the old object with the new one's status. Kubernetes has this rule for custom resources;
// here it holds for every kind, so that a status write cannot undo what somebody else changed in metadata.
func keepAllButStatus(obj, old Object) Object { return old.With("status", obj.field("status")) }

// restore puts back what a hook may have made of what an update can never touch.
func (s *Store) restore(obj, old Object, sub *Subresource) Object {
	if sub != nil && sub.Name == "status" {
		obj = keepAllButStatus(obj, old)
	}
	p := obj.parts()
	if !p.keep(old.Meta()) {
		return obj
	}
	return p.object()
}

// keep puts back the metadata that an update can never touch; it tells whether there was anything to put back.
func (p *parts) keep(was Fields) (touched bool) {
	keep := func(key string, lost bool) {
		if lost && was.Has(key) && !bytes.Equal(was.Get(key), p.meta.Get(key)) {
			p.meta.Set(key, was.Get(key))
			touched = true
		}
	}
	keep("uid", p.meta.String("uid") == "")
	keep("creationTimestamp", true)
	keep("deletionTimestamp", true)
	keep("deletionGracePeriodSeconds", !p.meta.Has("deletionGracePeriodSeconds"))
	return touched
}

// nextGeneration moves the generation on where the strategy leaves that to the engine. It compares what Canonicalize
// left: another spelling of the same spec is no change.
func (s *Store) nextGeneration(info *RequestInfo, obj, old Object) Object {
	if !s.Resource.Traits.GenerationOnSpecChange || !specChanged(obj, old, s.Resource.ownStatus(info.Version)) {
		return obj
	}
	p := obj.parts()
	p.meta.SetInt("generation", old.Meta().Int("generation")+1)
	return p.object()
}

// specChanged tells whether anything but metadata differs; a status that has a subresource of its own does not count.
func specChanged(obj, old Object, ownStatus bool) bool {
	a, b := obj.Fields(), old.Fields()
	for _, fields := range []*Fields{&a, &b} {
		fields.Set("metadata", nil)
		if ownStatus {
			fields.Set("status", nil)
		}
	}
	return !slices.EqualFunc(a, b, func(x, y Field) bool { return x.Key == y.Key && bytes.Equal(x.Value, y.Value) })
}
