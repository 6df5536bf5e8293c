package crd

import (
	"context"
	"time"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// Binding is a strategy that is bound to the resource of a definition, or says that none is.
type Binding struct {
	// Resource is what is bound: of it count the strategy, the versions that hooks take, and the subresources. nil: nothing is bound.
	Resource *engine.Resource
	// Guard is the plugin's activation: no write is made by a revision that is no longer active. Where nothing is bound it is the
	// claim that a plugin makes before it binds itself: no write is made without a plugin that has come meanwhile.
	Guard engine.Guard
}

// Bindings are what is bound to the resources of definitions.
type Bindings struct {
	// Bound are the bindings by the resource they are for.
	Bound map[schema.GroupResource]Binding
	// Claims are the mod revisions of the claims, by their keys; ClaimKey is the one of a resource.
	Claims   map[string]int64
	ClaimKey func(schema.GroupResource) string
}

// of is the binding of a definition's resource.
func (b *Bindings) of(crd *apiv1.CustomResourceDefinition) Binding {
	gr := definedIn(crd)
	bound, ok := b.Bound[gr]
	if !ok && b.ClaimKey != nil {
		key := b.ClaimKey(gr)
		bound.Guard = engine.Guard{Key: key, Revision: b.Claims[key]}
	}
	return bound
}

// definedIn is the resource that a definition is for.
func definedIn(crd *apiv1.CustomResourceDefinition) schema.GroupResource {
	return schema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
}

// bind adds the bound strategy to a definition's resource.
func (b Binding) bind(r *engine.Resource) {
	r.Bound = b.Guard
	if b.Resource == nil {
		return
	}
	b.setHookVersions(r)
	r.Revision += " with " + b.Resource.Revision
	if b.Resource.Strategy != nil {
		r.Strategy = &bound{rules: r.Strategy.(*custom), plugin: b.Resource.Strategy}
		if b.Resource.Strategy.Hooks().Has(engine.Convert) {
			r.Converter = nil
		}
	}
	for _, theirs := range b.Resource.Subresources {
		own := r.Subresource(theirs.Name)
		switch {
		case own == nil && theirs.Create != nil:
			r.Subresources = append(r.Subresources, theirs)
		case own != nil && own.Strategy != nil && theirs.Strategy != nil:
			own.Strategy = &bound{rules: own.Strategy.(*custom), plugin: theirs.Strategy}
		}
	}
}

// Rebound is what another revision makes of a definition's resource that a plugin is bound to: beside the same rules the hooks of
// that one. All that does not matter for a revision on trial is left out.
func Rebound(r, revision *engine.Resource) *engine.Resource {
	again := &engine.Resource{Revision: revision.Revision, Strategy: rebound(r.Strategy, revision.Strategy)}
	for _, own := range r.Subresources {
		var theirs engine.Strategy
		if sub := revision.Subresource(own.Name); sub != nil {
			theirs = sub.Strategy
		}
		own.Strategy = rebound(own.Strategy, theirs)
		again.Subresources = append(again.Subresources, own)
	}
	return again
}

// rebound is a strategy with another one in the place of the plugin's; nil: with none.
func rebound(active, plugin engine.Strategy) engine.Strategy {
	var rules *custom
	switch active := active.(type) {
	case *bound:
		rules = active.rules
	case *custom:
		rules = active
	case nil:
		return nil
	default:
		return plugin // what is posted to has no rules
	}
	if plugin == nil {
		return rules
	}
	return &bound{rules: rules, plugin: plugin}
}

// setHookVersions leaves those versions marked that the plugin's hooks take; all, where it takes none that there are.
func (b Binding) setHookVersions(r *engine.Resource) {
	taken := map[string]bool{}
	for _, v := range b.Resource.Versions {
		if v.Hooks && r.Version(v.Name) != nil {
			taken[v.Name] = true
		}
	}
	for i := range r.Versions {
		r.Versions[i].Hooks = len(taken) == 0 || taken[r.Versions[i].Name]
	}
}

// bound is a plugin's strategy beside the rules of a definition.
//
//   - What prepares an object is the plugin's; then the rules of the schema are checked, and only what keeps them gets to the plugin's
//     own validation.
type bound struct {
	rules  *custom
	plugin engine.Strategy
}

// Hooks are those of both.
func (s *bound) Hooks() engine.Hooks { return s.rules.Hooks() | s.plugin.Hooks() }

// Run runs the rules' part of the named hooks and then the plugin's.
func (s *bound) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	reply, theirs, err := s.runRules(ctx, hooks, call)
	if theirs == nil {
		return reply, err
	}
	warnings := reply.Warnings
	reply, err = s.plugin.Run(ctx, hooks&s.plugin.Hooks(), theirs)
	reply.Warnings = append(warnings, reply.Warnings...)
	return reply, err
}

// Measure is Run with what the plugin's part cost.
func (s *bound) Measure(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, host.Cost, error) {
	began := time.Now()
	reply, theirs, err := s.runRules(ctx, hooks, call)
	cost := host.Cost{Time: time.Since(began)}
	if theirs == nil {
		return reply, cost, err
	}
	warnings, own := reply.Warnings, cost.Time
	reply, cost, err = host.Measure(ctx, s.plugin, hooks&s.plugin.Hooks(), theirs)
	reply.Warnings, cost.Time = append(warnings, reply.Warnings...), cost.Time+own
	return reply, cost, err
}

// runRules runs the rules' part of the named hooks. What it returns besides is the call that the plugin gets, nil where it gets none.
func (s *bound) runRules(ctx context.Context, hooks engine.Hooks, call *engine.Call) (reply engine.Reply, theirs *engine.Call, err error) {
	reply = engine.Reply{Object: call.Object}
	if own := hooks & s.rules.Hooks(); own != 0 {
		if reply, err = s.rules.Run(ctx, own, call); err != nil || len(reply.Errors) > 0 {
			return reply, nil, err
		}
	}
	if hooks&s.plugin.Hooks() == 0 {
		return reply, nil, nil
	}
	next := *call
	next.Object = reply.Object
	return reply, &next, nil
}

// ExplainTypes is the rules' own.
func (s *bound) ExplainTypes(info *engine.RequestInfo, obj engine.Object) field.ErrorList {
	return s.rules.ExplainTypes(info, obj)
}

var (
	_ engine.Strategy      = (*bound)(nil)
	_ engine.TypeExplainer = (*bound)(nil)
	_ host.Measurer        = (*bound)(nil)
)
