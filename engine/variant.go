package engine

// This file makes stores that differ from another one in a single thing.

// With is the same store with the hooks of another revision of what defines its resource; all else stays as it is.
func (s *Store) With(revision *Resource) *Store {
	resource := *s.Resource
	resource.Strategy, resource.Revision = revision.Strategy, revision.Revision
	resource.Subresources = append([]Subresource(nil), resource.Subresources...)
	for i := range resource.Subresources {
		if theirs := revision.Subresource(resource.Subresources[i].Name); theirs != nil {
			resource.Subresources[i].Strategy = theirs.Strategy
		}
	}
	return NewStore(&resource, s.storage, s.options)
}

// Over is the same store over another storage.
func (s *Store) Over(storage Storage) *Store {
	over := *s
	over.storage = storage
	return &over
}

// Key is the key of one object in the storage.
func (s *Store) Key(namespace, name string) string { return s.key(namespace, name) }
