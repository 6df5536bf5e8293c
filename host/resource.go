package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/version"

	"github.com/stratagem-dev/stratagem/engine"
	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// resources makes the engine's resources of a description. Errors name the resource and the field.
func (m *Module) resources(d *description, components map[string]json.RawMessage) ([]*engine.Resource, error) {
	if errs := validation.IsDNS1123Subdomain(d.Name); len(errs) > 0 {
		return nil, fmt.Errorf("name %q: %s", d.Name, strings.Join(errs, ", "))
	}
	if len(d.Resources) == 0 {
		return nil, errors.New("resources: at least one is required")
	}
	seen := map[schema.GroupResource]bool{}
	var all []*engine.Resource
	for i := range d.Resources {
		r, err := m.resource(&d.Resources[i], components)
		if err != nil {
			return nil, fmt.Errorf("resources[%d] (%s.%s): %w", i, d.Resources[i].Resource, d.Resources[i].Group, err)
		}
		if seen[r.GroupResource()] {
			return nil, fmt.Errorf("resources[%d]: %s is described twice", i, r.GroupResource().String())
		}
		seen[r.GroupResource()] = true
		all = append(all, r)
	}
	return all, nil
}

func (m *Module) resource(d *resourceDescription, components map[string]json.RawMessage) (*engine.Resource, error) {
	r := &engine.Resource{
		Group: d.Group, Plural: d.Resource, Singular: d.Singular, Kind: d.Kind, ListKind: d.ListKind, ShortNames: d.ShortNames,
		Categories: d.Categories, KeyRoot: d.KeyRoot, SelectableFields: d.SelectableFields, ResetFields: d.ResetFields,
	}
	if err := completeNames(r, d.Scope); err != nil {
		return nil, err
	}
	var err error
	if r.Traits, err = traits(d.Traits); err != nil {
		return nil, err
	}
	if r.Strategy, err = m.strategy(d.Hooks); err != nil {
		return nil, err
	}
	if r.Versions, err = versions(d, components); err != nil {
		return nil, err
	}
	for i := range d.Subresources {
		sub, err := m.subresource(&d.Subresources[i])
		if err != nil {
			return nil, fmt.Errorf("subresources[%d] (%s): %w", i, d.Subresources[i].Name, err)
		}
		if r.Subresource(sub.Name) != nil {
			return nil, fmt.Errorf("subresources[%d]: %s is described twice", i, sub.Name)
		}
		r.Subresources = append(r.Subresources, sub)
	}
	return r, nil
}

// completeNames checks the names and fills in Kubernetes' defaults.
func completeNames(r *engine.Resource, scope string) error {
	if r.Group != "" {
		if errs := validation.IsDNS1123Subdomain(r.Group); len(errs) > 0 {
			return fmt.Errorf("group %q: %s", r.Group, strings.Join(errs, ", "))
		}
	}
	if errs := validation.IsDNS1035Label(r.Plural); len(errs) > 0 {
		return fmt.Errorf("resource %q: %s", r.Plural, strings.Join(errs, ", "))
	}
	if errs := validation.IsDNS1035Label(strings.ToLower(r.Kind)); len(errs) > 0 {
		return fmt.Errorf("kind %q: may have mixed case, but should otherwise match: %s", r.Kind, strings.Join(errs, ", "))
	}
	switch scope {
	case "Namespaced":
		r.Namespaced = true
	case "Cluster":
	default:
		return fmt.Errorf(`scope %q: must be "Namespaced" or "Cluster"`, scope)
	}
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	if r.ListKind == "" {
		r.ListKind = r.Kind + "List"
	}
	if r.KeyRoot == "" {
		r.KeyRoot = "/" + r.Group + "/" + r.Plural
		if r.Group == "" {
			r.KeyRoot = "/" + r.Plural
		}
	}
	for _, part := range strings.Split(strings.TrimPrefix(r.KeyRoot, "/"), "/") {
		if errs := validation.IsDNS1123Subdomain(part); len(errs) > 0 || r.KeyRoot[0] != '/' {
			return fmt.Errorf("keyRoot %q: must be /NAME or /NAME/NAME with names of lower case letters, digits, '-' and '.'", r.KeyRoot)
		}
	}
	return nil
}

func traits(names []string) (engine.Traits, error) {
	var t engine.Traits
	for _, name := range names {
		switch name {
		case "AllowCreateOnUpdate":
			t.AllowCreateOnUpdate = true
		case "AllowUnconditionalUpdate":
			t.AllowUnconditionalUpdate = true
		case "ReturnDeletedObject":
			t.ReturnDeletedObject = true
		case "ValidateSchema":
			t.ValidateSchema = true
		case "GenerationOnSpecChange":
			t.GenerationOnSpecChange = true
		default:
			return t, fmt.Errorf("trait %q is not known", name)
		}
	}
	return t, nil
}

// strategy is the part of the module with the named hooks, nil without any.
func (m *Module) strategy(names []string) (engine.Strategy, error) {
	var hooks engine.Hooks
	for _, name := range names {
		hook, ok := engine.HookByName(name)
		if !ok {
			return nil, fmt.Errorf("hook %q is not known", name)
		}
		hooks |= engine.HooksOf(hook)
	}
	if hooks == 0 {
		return nil, nil
	}
	return &Strategy{module: m, hooks: hooks}, nil
}

func (m *Module) subresource(d *subresourceDescription) (engine.Subresource, error) {
	sub := engine.Subresource{Name: d.Name, Scale: d.Scale, Unavailable: d.Unavailable}
	if errs := validation.IsDNS1123Label(d.Name); len(errs) > 0 {
		return sub, fmt.Errorf("name %q: %s", d.Name, strings.Join(errs, ", "))
	}
	var err error
	if sub.Strategy, err = m.strategy(d.Hooks); err != nil {
		return sub, err
	}
	if d.Scale != nil && (d.Scale.SpecReplicasPath == "" || d.Scale.StatusReplicasPath == "") {
		return sub, errors.New("scale: specReplicasPath and statusReplicasPath are required")
	}
	if d.Create == nil {
		return sub, nil
	}
	if d.Create.Kind == "" || d.Create.Version == "" {
		return sub, errors.New("create: version and kind are required")
	}
	if d.Create.Action != "" && d.Create.Action != "delete" {
		return sub, fmt.Errorf(`create: action %q: must be "delete" or absent`, d.Create.Action)
	}
	sub.Create = &engine.SubresourceCreate{
		GroupVersionKind: schema.GroupVersionKind{Group: d.Create.Group, Version: d.Create.Version, Kind: d.Create.Kind},
		Delete:           d.Create.Action == "delete",
	}
	return sub, nil
}

// versions are the versions by Kubernetes' priority, with their schemas compiled.
func versions(d *resourceDescription, components map[string]json.RawMessage) ([]engine.Version, error) {
	var all []engine.Version
	stored, hooked := 0, false
	for i, v := range d.Versions {
		if errs := validation.IsDNS1035Label(v.Name); len(errs) > 0 {
			return nil, fmt.Errorf("versions[%d].name %q: %s", i, v.Name, strings.Join(errs, ", "))
		}
		compiled, err := compileSchema(d, &v, components)
		if err != nil {
			return nil, fmt.Errorf("versions[%d].schema: %w", i, err)
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
	return byPriority(all)
}

func byPriority(all []engine.Version) ([]engine.Version, error) {
	for i := range all {
		for j := range i {
			if all[i].Name == all[j].Name {
				return nil, fmt.Errorf("versions[%d]: %s is described twice", i, all[i].Name)
			}
			if version.CompareKubeAwareVersionStrings(all[i].Name, all[j].Name) > 0 {
				all[i], all[j] = all[j], all[i]
			}
		}
	}
	return all, nil
}

// compileSchema compiles the schema of a version: its own, or the component that is marked with its kind.
func compileSchema(d *resourceDescription, v *versionDescription, components map[string]json.RawMessage) (*structural.Schema, error) {
	if len(v.Schema) > 0 {
		return structural.Compile(v.Schema, components)
	}
	for name, raw := range components {
		var marked struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal(raw, &marked); err != nil {
			return nil, fmt.Errorf("component %s: %w", name, err)
		}
		for _, gvk := range marked.Kinds {
			if gvk.Group == d.Group && gvk.Version == v.Name && gvk.Kind == d.Kind {
				return structural.Compile(json.RawMessage(fmt.Sprintf(`{"$ref":"#/components/schemas/%s"}`, name)), components)
			}
		}
	}
	return nil, nil
}
