package openapi

import (
	"slices"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	preserveUnknown  = "x-kubernetes-preserve-unknown-fields"
	embeddedResource = "x-kubernetes-embedded-resource"
)

// walk visits a schema and all schemas inside it, which visit may change.
func walk(s *spec.Schema, visit func(*spec.Schema)) {
	visit(s)
	for name, property := range s.Properties {
		walk(&property, visit)
		s.Properties[name] = property
	}
	for _, list := range [...][]spec.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			walk(&list[i], visit)
		}
	}
	if s.Not != nil {
		walk(s.Not, visit)
	}
	if s.Items != nil && s.Items.Schema != nil {
		walk(s.Items.Schema, visit)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		walk(s.AdditionalProperties.Schema, visit)
	}
}

// clean drops what OpenAPI v3 has no place for: parsers of the protobuf form refuse a whole document for one unknown
// keyword. It also gives embedded resources the properties of objects.
func clean(s *spec.Schema) {
	s.ID, s.Schema, s.ExtraProps, s.Discriminator = "", "", nil, ""
	s.PatternProperties, s.Dependencies, s.AdditionalItems, s.Definitions = nil, nil, nil, nil
	if len(s.Type) > 1 {
		s.Type = nil
	}
	if s.Items != nil {
		s.Items.Schemas = nil
		if s.Items.Schema == nil {
			s.Items = nil
		}
	}
	if name, _ := referenced(s.Ref); name == "" {
		s.Ref = spec.Ref{}
	}
	if embedded, _ := s.Extensions.GetBool(embeddedResource); embedded {
		setObjectProperties(s, objectMetaDescription)
		for _, name := range [...]string{"apiVersion", "kind"} {
			if !slices.Contains(s.Required, name) {
				s.Required = append(s.Required, name)
			}
		}
	}
}
