package engine

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// Selector picks objects by their labels and fields. The zero value picks all.
type Selector struct {
	Labels labels.Selector
	Fields fields.Selector

	falsy  []string            // booleans that are "false" where an object lacks them
	labels map[string][]string // the paths of names that are no paths
}

// ParseSelector reads the two query parameters of a list or watch. Fields that the resource does not declare
// selectable are refused by name.
func (r *Resource) ParseSelector(labelText, fieldText string) (Selector, error) {
	var selector Selector
	if labelText != "" {
		parsed, err := labels.Parse(labelText)
		if err != nil {
			return Selector{}, badRequest("unable to parse label selector %q: %v", labelText, err)
		}
		selector.Labels = parsed
	}
	if fieldText == "" {
		return r.NewSelector("", selector.Labels, nil)
	}
	parsed, err := fields.ParseSelector(fieldText)
	if err != nil {
		return Selector{}, badRequest("unable to parse field selector %q: %v", fieldText, err)
	}
	return r.NewSelector("", selector.Labels, parsed)
}

// NewSelector is ParseSelector for what has been parsed already, and for objects of a version; nil picks all.
func (r *Resource) NewSelector(version string, byLabels labels.Selector, byFields fields.Selector) (Selector, error) {
	var selector Selector
	if byLabels != nil && !byLabels.Empty() {
		selector.Labels = byLabels
	}
	if byFields == nil || byFields.Empty() {
		return selector, nil
	}
	selector.Fields, selector.labels = byFields, r.FieldLabels
	for _, requirement := range byFields.Requirements() {
		if !r.selectable(version, requirement.Field) {
			return Selector{}, badRequest("field label not supported: %s", requirement.Field)
		}
		if r.lacksAsFalse(requirement.Field) {
			selector.falsy = append(selector.falsy, requirement.Field)
		}
	}
	return selector, nil
}

// lacksAsFalse tells whether objects without the field are selected as "false".
func (r *Resource) lacksAsFalse(field string) bool {
	version := r.StorageVersion()
	if !r.Traits.SelectAbsentAsFalse || version == nil || version.Schema == nil {
		return false
	}
	f, _ := version.Schema.Field(strings.Split(field, ".")...)
	return f.Type == "boolean"
}

func (r *Resource) selectable(version, field string) bool {
	switch field {
	case "metadata.name":
		return true
	case "metadata.namespace":
		return r.Namespaced
	}
	return slices.Contains(r.Selectable(version), "."+field) || r.FieldLabels[field] != nil
}

// Empty tells whether the selector picks every object.
func (s Selector) Empty() bool { return s.Labels == nil && s.Fields == nil }

// Matches tells whether an object is picked.
func (s Selector) Matches(obj Object) bool {
	if s.Labels != nil && !s.Labels.Matches(labelSet{ParseFields(Object(obj.field("metadata")).field("labels"))}) {
		return false
	}
	return s.Fields == nil || s.Fields.Matches(fieldSet{obj, s.falsy, s.labels})
}

// field is the value that a field selector sees.
func (s Selector) field(obj Object, name string) string {
	return fieldSet{obj, s.falsy, s.labels}.Get(name)
}

// label is the value of a label, "" where the object has none.
func label(obj Object, key string) string {
	return ParseFields(Object(obj.field("metadata")).field("labels")).String(key)
}

// Name is the one name that the selector can match, "" if there may be several.
func (s Selector) Name() string {
	if s.Fields == nil {
		return ""
	}
	name, _ := s.Fields.RequiresExactMatch("metadata.name")
	return name
}

// labelSet shows raw labels to a labels.Selector.
type labelSet struct{ fields Fields }

func (l labelSet) Has(label string) bool { _, ok := l.fields.find(label); return ok }
func (l labelSet) Get(label string) string {
	return l.fields.String(label)
}
func (l labelSet) Lookup(label string) (string, bool) { return l.fields.String(label), l.Has(label) }

// fieldSet shows an object to a fields.Selector.
type fieldSet struct {
	obj    Object
	falsy  []string
	labels map[string][]string
}

func (f fieldSet) Has(field string) bool { return f.Get(field) != "" }

func (f fieldSet) Get(field string) string {
	for _, path := range f.labels[field] {
		if text := f.obj.Get(strings.Split(path[1:], ".")...).String(); text != "" {
			return text
		}
	}
	if f.labels[field] != nil {
		return ""
	}
	value := f.obj.Get(strings.Split(field, ".")...)
	if !value.Exists() && slices.Contains(f.falsy, field) {
		return "false"
	}
	return value.String()
}
