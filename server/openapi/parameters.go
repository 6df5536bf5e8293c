package openapi

import (
	"maps"
	"slices"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

// notParameters are fields of the options of meta/v1 that no query says: they are the body's alone, or of features that the server does not have.
var notParameters = map[string]bool{
	"apiVersion": true, "kind": true, "preconditions": true,
	"ignoreStoreReadErrorWithClusterBreakingPotential": true,
}

// queryParameters are the fields of options of meta/v1 ("ListOptions") as query parameters, by name.
func queryParameters(options ...string) []spec.Parameter {
	fields := map[string]spec.Schema{}
	for _, name := range options {
		maps.Copy(fields, library()[metaPrefix+name].Properties)
	}
	var out []spec.Parameter
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if notParameters[name] {
			continue
		}
		field := fields[name]
		p := queryParameter(name, field.Description)
		// A list of strings (dryRun) is one string in a query.
		if len(field.Type) == 1 && field.Type[0] != "array" {
			p.Type = field.Type[0]
		}
		out = append(out, p)
	}
	return out
}

func queryParameter(name, description string) spec.Parameter {
	p := spec.Parameter{}
	p.Name, p.In, p.Description, p.Type, p.UniqueItems = name, "query", description, "string", true
	return p
}

func bodyParameter(name string, required bool) spec.Parameter {
	p := spec.Parameter{}
	p.Name, p.In, p.Required = "body", "body", required
	p.Schema = spec.RefSchema(v2Prefix + name)
	return p
}
