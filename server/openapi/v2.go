package openapi

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// v2Document merges the descriptions of all group versions into one OpenAPI v2 document.
func v2Document(documents map[schema.GroupVersion]func() *spec.Swagger, options Options) *spec.Swagger {
	out := newCarrier()
	out.Swagger = "2.0"
	out.Info = info(options)
	out.SecurityDefinitions = spec.SecurityDefinitions{"BearerToken": {SecuritySchemeProps: spec.SecuritySchemeProps{
		Type: "apiKey", Name: "authorization", In: "header", Description: "Bearer Token authentication",
	}}}
	gvs := make([]schema.GroupVersion, 0, len(documents))
	for gv := range documents {
		gvs = append(gvs, gv)
	}
	slices.SortFunc(gvs, func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) })
	for _, gv := range gvs {
		described := documents[gv]()
		part := newCarrier()
		part.Paths = described.Paths
		for name, s := range described.Definitions {
			if other, ok := loadDefinitions().v2[name]; ok {
				s = other
			}
			part.Definitions[name] = v2Schema(s)
		}
		merge(out, part, strings.ReplaceAll(gv.String(), "/", ".")+".")
	}
	return out
}

// v2Schema is a schema as v2 can say it, in which kubectl can cope with it.
//
//   - Logic over schemas and null are not known to v2.
//   - Where unknown fields are taken, known ones are not listed: kubectl would refuse all others.
func v2Schema(s spec.Schema) spec.Schema {
	if len(s.AllOf) == 1 && s.AllOf[0].Ref.String() != "" {
		s.Ref = s.AllOf[0].Ref
	}
	s.AllOf, s.AnyOf, s.OneOf, s.Not = nil, nil, nil, nil
	if name, _ := referenced(s.Ref); name != "" {
		s.Ref = spec.MustCreateRef(v2Prefix + name)
	}
	if s.Format == "int-or-string" {
		s.Type = spec.StringOrArray{"string"}
	}
	unknown, _ := s.Extensions.GetBool(preserveUnknown)
	if s.Nullable || unknown {
		s.Type, s.Items, s.Properties, s.Nullable, s.Required = nil, nil, nil, false, nil
	}
	if _, whole := s.Extensions[kindExtension]; whole && unknown {
		s.Type = spec.StringOrArray{"object"}
	}
	s.Properties, s.Required = v2Properties(s)
	if s.Items != nil && s.Items.Schema != nil {
		item := v2Schema(*s.Items.Schema)
		s.Items = &spec.SchemaOrArray{Schema: &item}
	}
	if s.Items == nil && s.Type.Contains("array") {
		s.Type = nil
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		value := v2Schema(*s.AdditionalProperties.Schema)
		s.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: &value}
	}
	return s
}

// v2Properties are the properties as v2 can say them. Those that may be null are not required: v2 cannot say that null is there.
func v2Properties(s spec.Schema) (map[string]spec.Schema, []string) {
	if s.Properties == nil {
		return nil, s.Required
	}
	required := slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return s.Properties[name].Nullable })
	properties := make(map[string]spec.Schema, len(s.Properties))
	for name, property := range s.Properties {
		properties[name] = v2Schema(property)
	}
	if len(required) == 0 {
		required = nil
	}
	return properties, required
}
