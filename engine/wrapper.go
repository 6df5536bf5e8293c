package engine

// Wrapper is a Strategy around another one. What the inner one can do besides running hooks (to hold objects, to explain
// types) is found through it.
type Wrapper interface {
	Strategy
	Unwrap() Strategy
}

// Ability finds an optional ability of a strategy: its own, or that of the one inside.
func Ability[T any](strategy Strategy) (found T, ok bool) {
	for {
		if found, ok = strategy.(T); ok {
			return found, true
		}
		wrapper, wraps := strategy.(Wrapper)
		if !wraps {
			return found, false
		}
		strategy = wrapper.Unwrap()
	}
}

// Wrapped is the same store with a Wrapper around each of its strategies. The name of the subresource is empty for the
// resource itself; a strategy that is nil stays so.
func (s *Store) Wrapped(wrap func(subresource string, inner Strategy) Strategy) *Store {
	resource := *s.Resource
	if resource.Strategy != nil {
		resource.Strategy = wrap("", resource.Strategy)
	}
	resource.Subresources = append([]Subresource(nil), resource.Subresources...)
	for i := range resource.Subresources {
		if sub := &resource.Subresources[i]; sub.Strategy != nil {
			sub.Strategy = wrap(sub.Name, sub.Strategy)
		}
	}
	return NewStore(&resource, s.storage, s.options)
}
