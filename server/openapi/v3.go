package openapi

import (
	"k8s.io/kube-openapi/pkg/openapiconv"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// v3Document turns what describe made into OpenAPI v3.
func v3Document(described *spec.Swagger, options Options) *spec3.OpenAPI {
	schemas := make(map[string]*spec.Schema, len(described.Definitions))
	for name, s := range described.Definitions {
		schemas[name] = &s
	}
	return &spec3.OpenAPI{
		Version: "3.0.0",
		Info:    info(options),
		Paths:   openapiconv.ConvertPaths(described.Paths),
		Components: &spec3.Components{
			Schemas: schemas,
			SecuritySchemes: spec3.SecuritySchemes{"BearerToken": {SecuritySchemeProps: spec3.SecuritySchemeProps{
				Type: "apiKey", Name: "authorization", In: "header", Description: "Bearer Token authentication",
			}}},
		},
	}
}

func info(options Options) *spec.Info {
	return &spec.Info{InfoProps: spec.InfoProps{Title: "Stratagem", Version: options.Version}}
}
