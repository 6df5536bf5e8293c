package engine

import (
	"sort"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Snapshot is everything that is served at one moment. It is immutable: a request takes one and keeps it to its
// end, so that a hot swap can never mix two revisions of a strategy inside a request.
type Snapshot struct {
	stores    map[schema.GroupResource]*Store
	resources []*Resource // by group and plural
}

// NewSnapshot returns the snapshot of some stores.
func NewSnapshot(stores []*Store) *Snapshot {
	s := &Snapshot{stores: make(map[schema.GroupResource]*Store, len(stores))}
	for _, store := range stores {
		s.stores[store.Resource.GroupResource()] = store
		s.resources = append(s.resources, store.Resource)
	}
	sort.Slice(s.resources, func(i, j int) bool {
		a, b := s.resources[i], s.resources[j]
		return a.Group < b.Group || a.Group == b.Group && a.Plural < b.Plural
	})
	return s
}

// Store returns the store of a resource, or nil.
func (s *Snapshot) Store(group, plural string) *Store {
	return s.stores[schema.GroupResource{Group: group, Resource: plural}]
}

// Resources are all resources, sorted by group and plural.
func (s *Snapshot) Resources() []*Resource { return s.resources }
