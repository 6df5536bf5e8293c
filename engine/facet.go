package engine

import (
	"context"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Facet is one value of the objects that a list or watch is about: of a label, or of a selectable field. A storage that holds
// its items in memory may find them by it, and leave those out that have another value; any other need not look at it.
type Facet struct {
	// Name tells facets apart; it is comparable.
	Name any
	// Value is the one that is wanted. It is not empty.
	Value string
	// Of reads the value of an item, "" where it has none; known is false where that would take more than a look.
	Of func(item *Item) (value string, known bool)
}

// facetName is the Name of a Facet: objects have values as readers of a version see them.
type facetName struct {
	resource *Resource
	version  string
	field    bool
	key      string
}

// facet is what of a selector an item can be found by, nil for nothing.
func (s *Store) facet(info *RequestInfo, selector Selector) *Facet {
	if info.Version == "" {
		return nil
	}
	name := facetName{resource: s.Resource, version: info.Version}
	var value string
	if name.key, value = exactField(selector.Fields); value != "" {
		name.field = true
		return &Facet{Name: name, Value: value, Of: s.valueOf(info, func(obj Object) string { return selector.field(obj, name.key) })}
	}
	if name.key, value = exactLabel(selector.Labels); value != "" {
		return &Facet{Name: name, Value: value, Of: s.valueOf(info, func(obj Object) string { return label(obj, name.key) })}
	}
	return nil
}

// exactField is the first field that has to have one value; names and namespaces are in the keys already.
func exactField(selector fields.Selector) (key, value string) {
	if selector == nil {
		return "", ""
	}
	for _, r := range selector.Requirements() {
		exact := r.Operator == selection.Equals || r.Operator == selection.DoubleEquals
		if exact && r.Value != "" && r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return r.Field, r.Value
		}
	}
	return "", ""
}

// exactLabel is the first label that has to have one value.
func exactLabel(selector labels.Selector) (key, value string) {
	if selector == nil {
		return "", ""
	}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			if values := r.ValuesUnsorted(); len(values) == 1 && values[0] != "" {
				return r.Key(), values[0]
			}
		}
	}
	return "", ""
}

// valueOf reads a value of items as readers of the request's version see them. What others would have to convert is not known.
func (s *Store) valueOf(info *RequestInfo, of func(Object) string) func(*Item) (string, bool) {
	local := s.Resource.Converter == nil && !hooked(s.Resource.Strategy).Has(Convert)
	at := &RequestInfo{Group: info.Group, Version: info.Version, Resource: info.Resource}
	return func(item *Item) (string, bool) {
		if len(item.Data) == 0 {
			return "", true
		}
		obj, _ := item.Memo.get(s.Resource, at.Version)
		if obj == nil && (local || Object(item.Data).APIVersion() == s.Resource.APIVersion(at.Version)) {
			obj, _ = s.read(context.Background(), *item, at)
		}
		if obj == nil {
			return "", false
		}
		return of(obj), true
	}
}
