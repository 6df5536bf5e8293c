package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apivalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// warnings are what Kubernetes warns of in the schemas of a definition: first formats that nobody checks, then sets of what has no
// identity.
func warnings(in *apiextensions.CustomResourceDefinition) []string {
	compatibility := environment.DefaultCompatibilityVersion()
	var formats, sets []string
	look := func(s *apiextensions.JSONSchemaProps) bool {
		if s.Format != "" {
			single := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
			for _, format := range apivalidation.GetUnrecognizedFormats(single, compatibility) {
				formats = append(formats, fmt.Sprintf("unrecognized format %q", format))
			}
		}
		if isSet := s.XListType != nil && *s.XListType == "set"; isSet && s.Items != nil && s.Items.Schema != nil {
			if kind := s.Items.Schema.Type; kind == "object" || kind == "array" {
				sets = append(sets, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", kind))
			}
		}
		return false
	}
	schemas := []*apiextensions.CustomResourceValidation{in.Spec.Validation}
	for i := range in.Spec.Versions {
		schemas = append(schemas, in.Spec.Versions[i].Schema)
	}
	for _, s := range schemas {
		if s != nil && s.OpenAPIV3Schema != nil {
			validation.SchemaHas(s.OpenAPIV3Schema, look)
		}
	}
	slices.Sort(sets)
	return append(formats, slices.Compact(sets)...)
}
