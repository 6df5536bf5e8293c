package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/version"

	"github.com/stratagem-dev/stratagem/engine"
	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// maxDeprecationWarning is the length that Kubernetes allows.
const maxDeprecationWarning = 256

// versions are the versions by Kubernetes' priority, with their schemas compiled.
func versions(ctx context.Context, d *resourceDescription, schemas components) ([]engine.Version, error) {
	var all []engine.Version
	stored, hooked := 0, false
	for i, v := range d.Versions {
		at := fmt.Sprintf("versions[%d] (%.63s)", i, v.Name)
		if slices.ContainsFunc(all, func(seen engine.Version) bool { return seen.Name == v.Name }) {
			return nil, fmt.Errorf("%s: it is described twice", at)
		}
		if err := checkVersion(&v); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		compiled, err := schemas.compile(schema.GroupVersionKind{Group: d.Group, Version: v.Name, Kind: d.Kind}, v.Schema)
		if err != nil {
			return nil, fmt.Errorf("%s: schema: %w", at, err)
		}
		all = append(all, engine.Version{
			Name: v.Name, Served: v.Served, Storage: v.Storage, Deprecated: v.Deprecated, DeprecationWarning: v.DeprecationWarning,
			Hooks: v.Hooks, Schema: compiled, Columns: v.Columns,
		})
		hooked = hooked || v.Hooks
		if v.Storage {
			stored++
		}
	}
	if stored != 1 {
		return nil, fmt.Errorf("versions: exactly one must be the storage version, %d are", stored)
	}
	for i := range all {
		all[i].Hooks = all[i].Hooks || !hooked && all[i].Storage
	}
	slices.SortStableFunc(all, func(a, b engine.Version) int { return version.CompareKubeAwareVersionStrings(b.Name, a.Name) })
	return all, nil
}

func checkVersion(v *versionDescription) error {
	if errs := validation.IsDNS1035Label(v.Name); len(errs) > 0 {
		return fmt.Errorf("name %q: %s", v.Name, strings.Join(errs, ", "))
	}
	if w := v.DeprecationWarning; w != "" {
		switch {
		case !v.Deprecated:
			return errors.New("deprecationWarning: can only be set for deprecated versions")
		case len(w) > maxDeprecationWarning || strings.ContainsFunc(w, unicode.IsControl):
			return fmt.Errorf("deprecationWarning: must be at most %d bytes without control characters", maxDeprecationWarning)
		}
	}
	for i, c := range v.Columns {
		if err := checkColumn(&c); err != nil {
			return fmt.Errorf("columns[%d] (%.63s): %w", i, c.Name, err)
		}
	}
	return nil
}

// columnTypes are the types that Kubernetes allows.
var columnTypes = []string{"integer", "number", "string", "boolean", "date"}

func checkColumn(c *engine.Column) error {
	if c.Name == "" {
		return errors.New("name is required")
	}
	if !slices.Contains(columnTypes, c.Type) {
		return fmt.Errorf("type %q: must be one of %s", c.Type, strings.Join(columnTypes, ", "))
	}
	if c.JSONPath == "" {
		return nil
	}
	return checkPaths("jsonPath", c.JSONPath)
}

// components are the schemas of the custom section.
type components struct {
	schemas map[string]json.RawMessage
	named   map[schema.GroupVersionKind]string // by the kinds that they are marked with
}

func newComponents(schemas map[string]json.RawMessage) (components, error) {
	c := components{schemas, map[schema.GroupVersionKind]string{}}
	for name, raw := range schemas {
		var marked struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(raw, &marked); err != nil {
			return c, fmt.Errorf("custom section %s: component %.100s: %w", openAPISection, name, err)
		}
		for _, gvk := range marked.Kinds {
			if other, twice := c.named[gvk]; twice && other != name {
				return c, fmt.Errorf("custom section %s: %s is the kind of two components, %.100s and %.100s", openAPISection, gvk, min(name, other), max(name, other))
			}
			c.named[gvk] = name
		}
	}
	return c, nil
}

// compile compiles a version's schema: its own, or the component that is marked with its kind; nil without either.
func (c components) compile(gvk schema.GroupVersionKind, own json.RawMessage) (*structural.Schema, error) {
	if len(own) > 0 {
		return structural.Compile(own, c.schemas)
	}
	name, ok := c.named[gvk]
	if !ok {
		return nil, nil
	}
	reference, err := json.Marshal(map[string]string{"$ref": "#/components/schemas/" + name})
	if err != nil {
		return nil, err
	}
	return structural.Compile(reference, c.schemas)
}
