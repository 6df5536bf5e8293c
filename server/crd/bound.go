package crd

import (
	"context"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// Binding is a strategy that is bound to the resource of a definition. The zero Binding binds nothing.
type Binding struct {
	// Resource is what its plugin describes: of it count the strategy, the versions that hooks take, and the subresources.
	Resource *engine.Resource
	// Guard is the plugin's activation: no write is made by a revision that is no longer active.
	Guard engine.Guard
}

// Bindings are the bindings by the resource they are for.
type Bindings map[schema.GroupResource]Binding

// definedIn is the resource that a definition is for.
func definedIn(crd *apiv1.CustomResourceDefinition) schema.GroupResource {
	return schema.GroupResource{Group: crd.Spec.Group, Resource: crd.Spec.Names.Plural}
}

// bind adds the bound strategy to a definition's resource.
func (b Binding) bind(r *engine.Resource) {
	if b.Resource == nil {
		return
	}
	r.Bound = b.Guard
	r.Revision += " with " + b.Resource.Revision
	if b.Resource.Strategy != nil {
		r.Strategy = &bound{rules: r.Strategy.(*custom), plugin: b.Resource.Strategy}
		if b.Resource.Strategy.Hooks().Has(engine.Convert) {
			r.Converter = nil
		}
		b.setHookVersions(r)
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
	reply := engine.Reply{Object: call.Object}
	var err error
	if own := hooks & s.rules.Hooks(); own != 0 {
		if reply, err = s.rules.Run(ctx, own, call); err != nil || len(reply.Errors) > 0 {
			return reply, err
		}
	}
	theirs := hooks & s.plugin.Hooks()
	if theirs == 0 {
		return reply, nil
	}
	next := *call
	next.Object = reply.Object
	warnings := reply.Warnings
	reply, err = s.plugin.Run(ctx, theirs, &next)
	reply.Warnings = append(warnings, reply.Warnings...)
	return reply, err
}

// ExplainTypes is the rules' own.
func (s *bound) ExplainTypes(info *engine.RequestInfo, obj engine.Object) field.ErrorList {
	return s.rules.ExplainTypes(info, obj)
}

var (
	_ engine.Strategy      = (*bound)(nil)
	_ engine.TypeExplainer = (*bound)(nil)
)
