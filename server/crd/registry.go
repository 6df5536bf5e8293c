package crd

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// Registry holds the definitions that are stored and what is served of them. It is not safe for concurrent use.
type Registry struct {
	newStore func(*engine.Resource) *engine.Store
	webhooks Webhooks
	known    map[string]*entry // by key
	gone     []*entry          // since the last call of Dropped
}

// entry is one definition.
type entry struct {
	revision  int64
	crd       *apiv1.CustomResourceDefinition // its schemas left out
	unsettled bool                            // its status does not say what it should
	store     *engine.Store                   // nil: not served
	versions  map[string]*compiled
	binding   Binding // what is bound to it
}

// NewRegistry returns a registry that makes stores by newStore.
func NewRegistry(newStore func(*engine.Resource) *engine.Store, webhooks Webhooks) *Registry {
	return &Registry{newStore: newStore, webhooks: webhooks, known: map[string]*entry{}}
}

// Update makes the registry agree with all definitions that are stored, and tells whether what is served has changed. An error names
// the definitions that cannot be served; what was served of them before goes on.
func (r *Registry) Update(items []engine.Item, bindings *Bindings) (changed bool, err error) {
	var errs []error
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		seen[item.Key] = true
		was := r.known[item.Key]
		if was != nil && was.revision == item.Revision && was.binding == bindings.of(was.crd) {
			continue
		}
		now, err := r.read(item, was, bindings)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		r.known[item.Key] = now
		changed = changed || now.store != nil || was != nil && was.store != nil
	}
	for key, was := range r.known {
		if !seen[key] {
			delete(r.known, key)
			changed, r.gone = changed || was.store != nil, append(r.gone, was)
		}
	}
	return changed, errors.Join(errs...)
}

// read makes an entry of a stored definition.
func (r *Registry) read(item engine.Item, was *entry, bindings *Bindings) (*entry, error) {
	obj, _, err := engine.ParseObject(item.Data)
	if err != nil {
		return nil, &engine.StoredValueError{Key: item.Key, Err: err}
	}
	crd, forms, err := readDefinition(obj)
	if err != nil {
		return nil, &engine.StoredValueError{Key: item.Key, Err: err}
	}
	now := &entry{revision: item.Revision, crd: crd, binding: bindings.of(crd)}
	if established(crd) {
		var before map[string]*compiled
		if was != nil {
			before = was.versions
		}
		resource, versions, err := resourceOf(crd, engine.Guard{Key: item.Key, Revision: item.Revision}, before, r.webhooks)
		if err != nil {
			return nil, err
		}
		now.binding.bind(resource)
		now.store, now.versions = r.newStore(resource), versions
	}
	nonStructural, err := forms.structural()
	if err != nil {
		return nil, err
	}
	now.unsettled = settle(crd, nonStructural, taken{resources: map[string]string{}, kinds: map[string]string{}}) != nil
	crd.Spec.Versions = nil
	return now, nil
}

// Dropped are the names of the definitions that have gone since the last call, and where the objects were of those that were served.
func (r *Registry) Dropped() (names, keyRoots []string) {
	for _, e := range r.gone {
		names = append(names, e.crd.Name)
		if e.store != nil {
			keyRoots = append(keyRoots, e.store.Resource.KeyRoot)
		}
	}
	r.gone = nil
	return names, keyRoots
}

// Stores are the stores of what is served.
func (r *Registry) Stores() []*engine.Store {
	stores := make([]*engine.Store, 0, len(r.known))
	for _, e := range r.known {
		if e.store != nil {
			stores = append(stores, e.store)
		}
	}
	return stores
}

// Claims are the resources that definitions serve.
func (r *Registry) Claims() []Claim {
	var claims []Claim
	for _, e := range r.known {
		if e.store != nil {
			claims = append(claims, Claim{e.store.Resource, fmt.Sprintf("%s %q", kindName, e.crd.Name)})
		}
	}
	return claims
}

// Unsettled are the names of the definitions whose status has to be settled, the oldest first.
func (r *Registry) Unsettled() []string {
	var waiting []*entry
	for _, e := range r.known {
		if e.unsettled {
			waiting = append(waiting, e)
		}
	}
	slices.SortFunc(waiting, func(a, b *entry) int {
		return cmp.Or(a.crd.CreationTimestamp.Compare(b.crd.CreationTimestamp.Time), cmp.Compare(a.crd.Name, b.crd.Name))
	})
	names := make([]string, len(waiting))
	for i, e := range waiting {
		names[i] = e.crd.Name
	}
	return names
}

// Settle returns the status that a definition should have, given what others have taken; nil where it has it.
func (r *Registry) Settle(obj engine.Object, claims []Claim) (engine.Object, error) {
	crd, forms, err := readDefinition(obj)
	if err != nil {
		return nil, err
	}
	nonStructural, err := forms.structural()
	if err != nil {
		return nil, err
	}
	var others []*apiv1.CustomResourceDefinition
	for _, e := range r.known {
		others = append(others, e.crd)
	}
	settled := settle(crd, nonStructural, takenFrom(crd, others, claims))
	if settled == nil {
		return nil, nil
	}
	var status apiextensions.CustomResourceDefinitionStatus
	if err := apiv1.Convert_v1_CustomResourceDefinitionStatus_To_apiextensions_CustomResourceDefinitionStatus(&settled.Status, &status, nil); err != nil {
		return nil, err
	}
	return encode(status, forms, obj.APIVersion(), obj)
}
