package server

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/jsondiff"
)

// maxDifferences is how many differences are told.
const maxDifferences = 5

// describedDifferently tells in what two revisions of a plugin describe their resources differently, other than in the hooks that they have.
// All else is what clients see of a resource as a whole, and there is no half of it.
func describedDifferently(active, candidate []*engine.Resource) (differences []string) {
	for _, r := range candidate {
		gr := r.GroupResource()
		if !slices.ContainsFunc(active, func(a *engine.Resource) bool { return a.GroupResource() == gr }) {
			differences = append(differences, fmt.Sprintf("resource %s is new", gr.String()))
		}
	}
	for _, a := range active {
		gr := a.GroupResource()
		i := slices.IndexFunc(candidate, func(r *engine.Resource) bool { return r.GroupResource() == gr })
		if i < 0 {
			differences = append(differences, fmt.Sprintf("resource %s is gone", gr.String()))
			continue
		}
		patch, err := jsondiff.Diff(described(a), described(candidate[i]))
		if err != nil {
			return append(differences, err.Error())
		}
		for _, op := range patch {
			differences = append(differences, fmt.Sprintf("resource %s: %s %s", gr.String(), op.Op, op.Path))
		}
	}
	if len(differences) > maxDifferences {
		differences = append(differences[:maxDifferences], fmt.Sprintf("and %d more", len(differences)-maxDifferences))
	}
	return differences
}

// described is what a resource is but for its hooks, as JSON.
func described(r *engine.Resource) []byte {
	bare := *r
	bare.Strategy, bare.Converter, bare.Revision = nil, nil, ""
	bare.Versions, bare.Subresources = slices.Clone(r.Versions), slices.Clone(r.Subresources)
	schemas := map[string]any{}
	for i := range bare.Versions {
		v := &bare.Versions[i]
		if v.Schema != nil {
			schemas[v.Name] = []any{v.Schema.OpenAPI(), v.Schema.Components()}
		}
		v.Schema = nil
	}
	for i := range bare.Subresources {
		bare.Subresources[i].Strategy = nil
	}
	doc, err := json.Marshal(map[string]any{"resource": bare, "schemas": schemas})
	if err != nil {
		return []byte("null") // cannot be: it came from JSON
	}
	return doc
}
