package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/crd"
)

// pluginBinding is an entry of a StrategyPlugin's spec.bindings: one of the plugin's strategies is bound to the resources of
// CustomResourceDefinitions, or to parts of them.
type pluginBinding struct {
	Group string `json:"group"`
	// Resources are written as in RBAC's rules: "widgets" is the resource itself, with its conversion, "widgets/status" one of its
	// subresources, "widgets/*" all of them.
	Resources []string `json:"resources"`
	// Strategy is the resource by whose name the plugin describes the strategy, "crontabs.example.com". It may be left out where the plugin
	// describes one alone, or one of the very name.
	Strategy string `json:"strategy,omitempty"`
}

// bindingPart is what one text in Resources says.
type bindingPart struct {
	plural, subresource string // "" is the resource itself, "*" are all subresources
}

func partOf(text string) bindingPart {
	plural, subresource, _ := strings.Cut(text, "/")
	return bindingPart{plural, subresource}
}

// checkBindings finds what is wrong with bindings, whatever plugin they are for.
func checkBindings(bindings []pluginBinding, path *field.Path) (errs field.ErrorList) {
	boundAt := map[schema.GroupResource]int{}
	for i := range bindings {
		b, at := &bindings[i], path.Index(i)
		if b.Group == "" {
			errs = append(errs, field.Required(at.Child("group"), "definitions have a group"))
		} else if msgs := validation.IsDNS1123Subdomain(b.Group); len(msgs) > 0 {
			errs = append(errs, field.Invalid(at.Child("group"), b.Group, strings.Join(msgs, ", ")))
		}
		if reservedGroups[b.Group] {
			errs = append(errs, field.Forbidden(at.Child("group"), fmt.Sprintf("group %s is the server's own", b.Group)))
		}
		if len(b.Resources) == 0 {
			errs = append(errs, field.Required(at.Child("resources"), "name what is to be bound"))
		}
		for j, text := range b.Resources {
			here := at.Child("resources").Index(j)
			if detail := checkPart(text); detail != "" {
				errs = append(errs, field.Invalid(here, text, detail))
				continue
			}
			gr := schema.GroupResource{Group: b.Group, Resource: partOf(text).plural}
			if first, had := boundAt[gr]; had && first != i || slices.Contains(b.Resources[:j], text) {
				errs = append(errs, field.Duplicate(here, text))
			}
			boundAt[gr] = i
		}
	}
	return errs
}

// checkPart tells what is wrong with a text in Resources.
func checkPart(text string) string {
	plural, subresource, divided := strings.Cut(text, "/")
	if msgs := validation.IsDNS1035Label(plural); len(msgs) > 0 {
		return strings.Join(msgs, ", ")
	}
	if !divided || subresource == "*" {
		return ""
	}
	return strings.Join(validation.IsDNS1123Label(subresource), ", ")
}

// resolve makes the resources to be bound out of what a plugin describes.
func (b *pluginBinding) resolve(described []*engine.Resource, path *field.Path) (bound []*engine.Resource, errs field.ErrorList) {
	byPlural := map[string]*engine.Resource{}
	for j, text := range b.Resources {
		part := partOf(text)
		strategy, err := b.strategy(described, part.plural, path.Child("strategy"))
		if err != nil {
			return nil, append(errs, err)
		}
		r := byPlural[part.plural]
		if r == nil {
			r = &engine.Resource{Group: b.Group, Plural: part.plural, Kind: strategy.Kind, Versions: strategy.Versions, Bind: true, Revision: strategy.Revision}
			byPlural[part.plural], bound = r, append(bound, r)
		}
		if !addPart(r, strategy, part.subresource) {
			errs = append(errs, field.Invalid(path.Child("resources").Index(j), text, fmt.Sprintf("the strategy %s has no hooks for it", strategy.GroupResource().String())))
		}
	}
	return bound, errs
}

// strategy finds the strategy that is meant.
func (b *pluginBinding) strategy(described []*engine.Resource, plural string, path *field.Path) (*engine.Resource, *field.Error) {
	wanted := b.Strategy
	if wanted == "" {
		wanted = resourceName(b.Group, plural)
	}
	var names []string
	for _, r := range described {
		name := resourceName(r.Group, r.Plural)
		if name == wanted {
			return r, nil
		}
		names = append(names, name)
	}
	switch {
	case b.Strategy != "":
		return nil, field.NotSupported(path, b.Strategy, names)
	case len(described) == 1:
		return described[0], nil
	}
	return nil, field.Required(path, "the plugin has more than one: "+strings.Join(names, ", "))
}

// addPart adds a part of a strategy to a resource that is to be bound; false: the strategy has no hooks for it.
func addPart(r, strategy *engine.Resource, subresource string) (had bool) {
	renamed := func(s engine.Strategy) engine.Strategy {
		if s == nil {
			return nil
		}
		return crd.Renamed{Strategy: s, Group: strategy.Group, Resource: strategy.Plural}
	}
	if subresource == "" {
		r.Strategy = renamed(strategy.Strategy)
		return r.Strategy != nil
	}
	for _, sub := range strategy.Subresources {
		if sub.Strategy == nil || subresource != "*" && subresource != sub.Name {
			continue
		}
		had = true
		if r.Subresource(sub.Name) == nil {
			sub.Strategy = renamed(sub.Strategy)
			r.Subresources = append(r.Subresources, sub)
		}
	}
	return had
}

// boundBy are the resources of definitions that a module is bound to: as its operator says, and as it describes itself what its operator says
// nothing of.
func boundBy(module *host.Module, bindings []pluginBinding) (bound []*engine.Resource, errs field.ErrorList) {
	said := map[schema.GroupResource]bool{}
	for i := range bindings {
		resources, wrong := bindings[i].resolve(module.Resources, bindingsPath.Index(i))
		errs = append(errs, wrong...)
		for _, r := range resources {
			said[r.GroupResource()] = true
			bound = append(bound, r)
		}
	}
	for _, r := range module.Resources {
		if r.Bind && !said[r.GroupResource()] {
			bound = append(bound, r)
		}
	}
	return bound, errs
}

var bindingsPath = field.NewPath("spec", "bindings")

// resources are all that a plugin has when a module is the active one: what it defines, and what it is bound to.
func (s *strategyPlugin) resources(module *host.Module) ([]*engine.Resource, field.ErrorList) {
	var all []*engine.Resource
	for _, r := range module.Resources {
		if !r.Bind {
			all = append(all, r)
		}
	}
	bound, errs := boundBy(module, s.Spec.Bindings)
	return append(all, bound...), errs
}

// bindings are what plugins are bound to; claims are the mod revisions of the claims to that.
func (p *Plugins) bindings(claims map[string]int64) *crd.Bindings {
	bindings := &crd.Bindings{Bound: map[schema.GroupResource]crd.Binding{}, Claims: claims, ClaimKey: func(gr schema.GroupResource) string {
		return claimKey(gr.Group, gr.Resource, true)
	}}
	for _, plugin := range p.active {
		for _, r := range plugin.bound {
			bindings.Bound[r.GroupResource()] = crd.Binding{Resource: r, Guard: plugin.guard}
		}
	}
	return bindings
}

// boundClaims are the mod revisions of the claims to be bound.
//
//   - They are read before the activations: who makes a claim good moves it on afterwards, so that a server that has missed the activation
//     finds its guard broken.
func (p *Plugins) boundClaims(ctx context.Context) (map[string]int64, error) {
	page, err := p.raw.List(ctx, bindingsRoot, engine.ListOptions{})
	if err != nil {
		return nil, err
	}
	claims := make(map[string]int64, len(page.Items))
	for _, item := range page.Items {
		claims[item.Key] = item.Revision
	}
	return claims, nil
}
