package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/stratagem-dev/stratagem/engine"
)

// The lengths of texts that are shown to clients and operators.
const (
	maxVersionBytes     = 128
	maxUnavailableBytes = 1024
)

// resources makes the engine's resources of a description. Errors name the resource and the field.
func (m *Module) resources(ctx context.Context, d *description, schemas components) ([]*engine.Resource, error) {
	if errs := validation.IsDNS1123Subdomain(d.Name); len(errs) > 0 {
		return nil, fmt.Errorf("name %q: %s", d.Name, strings.Join(errs, ", "))
	}
	if len(d.Version) > maxVersionBytes {
		return nil, fmt.Errorf("version: has %d bytes, at most %d are allowed", len(d.Version), maxVersionBytes)
	}
	if len(d.Resources) == 0 {
		return nil, errors.New("resources: at least one is required")
	}
	seen, kinds := map[schema.GroupResource]bool{}, map[schema.GroupKind]bool{}
	var all []*engine.Resource
	for i := range d.Resources {
		r, err := m.resource(ctx, &d.Resources[i], schemas)
		if err != nil {
			return nil, fmt.Errorf("resources[%d] (%.63s.%.253s): %w", i, d.Resources[i].Resource, d.Resources[i].Group, err)
		}
		if seen[r.GroupResource()] {
			return nil, fmt.Errorf("resources[%d]: %s is described twice", i, r.GroupResource().String())
		}
		if kinds[r.GroupKind()] {
			return nil, fmt.Errorf("resources[%d]: kind %s is described twice", i, r.GroupKind().String())
		}
		seen[r.GroupResource()], kinds[r.GroupKind()] = true, true
		all = append(all, r)
	}
	return all, cohabit(d, all)
}

func (m *Module) resource(ctx context.Context, d *resourceDescription, schemas components) (*engine.Resource, error) {
	r := &engine.Resource{
		Group: d.Group, Plural: d.Resource, Singular: d.Singular, Kind: d.Kind, ListKind: d.ListKind, ShortNames: d.ShortNames,
		Categories: d.Categories, KeyRoot: d.KeyRoot, SelectableFields: d.SelectableFields, ResetFields: d.ResetFields, Bind: d.Bind,
	}
	if err := completeNames(r, d.Scope); err != nil {
		return nil, err
	}
	err := checkPaths("selectableFields", d.SelectableFields...)
	if err != nil {
		return nil, err
	}
	if err = checkPaths("resetFields", d.ResetFields...); err != nil {
		return nil, err
	}
	if r.FieldLabels, err = fieldLabels(d.FieldLabels); err != nil {
		return nil, err
	}
	if r.Traits, err = traits(d.Traits); err != nil {
		return nil, err
	}
	if r.Strategy, err = m.strategy(d.Hooks); err != nil {
		return nil, err
	}
	if r.Versions, err = versions(ctx, d, schemas); err != nil {
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

func traits(names []string) (engine.Traits, error) {
	t := engine.Traits{SelectAbsentAsFalse: true}
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
		if !ok || name == "" {
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
	if len(d.Unavailable) > maxUnavailableBytes {
		return sub, fmt.Errorf("unavailable: has %d bytes, at most %d are allowed", len(d.Unavailable), maxUnavailableBytes)
	}
	var err error
	if sub.Strategy, err = m.strategy(d.Hooks); err != nil {
		return sub, err
	}
	if d.Scale != nil {
		if err := checkScale(d.Scale); err != nil {
			return sub, err
		}
	}
	if d.Create == nil {
		return sub, nil
	}
	if sub.Strategy == nil || !sub.Strategy.Hooks().Has(engine.CreateSubresource) {
		return sub, errors.New("create: hook CreateSubresource is required")
	}
	sub.Create, err = subresourceCreate(d.Create)
	return sub, err
}

func checkScale(s *engine.Scale) error {
	if s.SpecReplicasPath == "" || s.StatusReplicasPath == "" {
		return errors.New("scale: specReplicasPath and statusReplicasPath are required")
	}
	paths := []string{s.SpecReplicasPath, s.StatusReplicasPath}
	if s.LabelSelectorPath != "" {
		paths = append(paths, s.LabelSelectorPath)
	}
	return checkPaths("scale", paths...)
}

func subresourceCreate(d *createDescription) (*engine.SubresourceCreate, error) {
	if d.Kind == "" || d.Version == "" {
		return nil, errors.New("create: version and kind are required")
	}
	if d.Action != "" && d.Action != "delete" {
		return nil, fmt.Errorf(`create: action %q: must be "delete" or absent`, d.Action)
	}
	return &engine.SubresourceCreate{
		GroupVersionKind: schema.GroupVersionKind{Group: d.Group, Version: d.Version, Kind: d.Kind},
		Delete:           d.Action == "delete",
	}, nil
}
