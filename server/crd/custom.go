package crd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/stratagem-dev/stratagem/engine"
)

// custom is the strategy of custom resources, or of their status.
//
// An object in which the schema finds nothing wrong as bytes is not decoded, unless the schema has rules in CEL. Where something
// is wrong, Kubernetes' own code over the decoded object has the word: it knows what an update may leave as it was.
type custom struct {
	versions map[string]*compiled
	status   bool
	hooks    engine.Hooks
}

func newCustom(versions map[string]*compiled, status bool) *custom {
	s := &custom{versions: versions, status: status, hooks: engine.HooksOf(engine.ValidateUpdate)}
	if !status {
		s.hooks |= engine.HooksOf(engine.Validate, engine.WarningsOnCreate, engine.WarningsOnUpdate)
	}
	for _, c := range versions {
		if c.open {
			s.hooks |= engine.HooksOf(engine.Default)
		}
	}
	return s
}

// Hooks are those of Kubernetes' custom resource strategy.
func (s *custom) Hooks() engine.Hooks { return s.hooks }

// Run runs the named hooks.
func (s *custom) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	reply := engine.Reply{Object: call.Object}
	c := s.versions[call.Request.Version]
	if c == nil {
		return reply, fmt.Errorf("version %s is not defined", call.Request.Version)
	}
	var err error
	if hooks.Has(engine.Default) && c.open {
		if reply.Object, err = c.complete(call.Object); err != nil {
			return reply, err
		}
	}
	if hooks.Has(engine.Validate) || hooks.Has(engine.ValidateUpdate) {
		if reply.Errors, err = c.validate(ctx, reply.Object, call.Old, s.status); err != nil || len(reply.Errors) > 0 {
			return reply, err
		}
	}
	if hooks.Has(engine.WarningsOnCreate) || hooks.Has(engine.WarningsOnUpdate) {
		reply.Warnings = finalizerWarnings(reply.Object, call.Old)
	}
	return reply, nil
}

// ExplainTypes names the values that are of a wrong type, as Kubernetes' validation does.
func (s *custom) ExplainTypes(info *engine.RequestInfo, obj engine.Object) field.ErrorList {
	c := s.versions[info.Version]
	if c == nil {
		return nil
	}
	if !c.coercible(obj) {
		return nil
	}
	obj, err := c.complete(obj)
	if err != nil {
		return nil
	}
	errs, err := c.explain(context.Background(), obj, nil, info.Subresource == "status")
	if err != nil {
		return nil
	}
	return errs
}

// coercible tells whether the metadata of embedded objects can be read. Where it cannot, Kubernetes does not get to validating.
func (c *compiled) coercible(obj engine.Object) bool {
	l, err := c.library()
	if err != nil {
		return true
	}
	tree, err := decode(obj)
	return err != nil || objectmeta.Coerce(nil, tree, l.structural, false, false) == nil
}

// complete prunes and defaults an object as a tree.
func (c *compiled) complete(obj engine.Object) (engine.Object, error) {
	l, err := c.library()
	if err != nil || l.structural == nil {
		return obj, err
	}
	tree, err := decode(obj)
	if err != nil {
		return nil, err
	}
	if l.prunes {
		pruning.PruneWithOptions(tree, l.structural, true, structuralschema.UnknownFieldPathOptions{})
	}
	defaulting.Default(tree, l.structural)
	defaulting.PruneNonNullableNullsWithoutDefaults(tree, l.structural)
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	out, _, err := engine.ParseObject(raw)
	return out, err
}

// validate finds what is wrong with an object; old is nil on create.
func (c *compiled) validate(ctx context.Context, obj, old engine.Object, status bool) (field.ErrorList, error) {
	if c.doc == nil && c.scale == nil {
		return nil, nil
	}
	if !c.rules && !c.open && scaleFits(c.scale, obj) && len(c.version.Schema.Validate(obj)) == 0 {
		return nil, nil
	}
	return c.explain(ctx, obj, old, status)
}

// explain is Kubernetes' validation of custom resources, on trees.
func (c *compiled) explain(ctx context.Context, obj, old engine.Object, status bool) (field.ErrorList, error) {
	l, err := c.library()
	if err != nil {
		return nil, err
	}
	tree, err := decode(obj)
	if err != nil {
		return nil, err
	}
	if old == nil {
		return c.explainCreate(ctx, l, tree, status), nil
	}
	oldTree, err := decode(old)
	if err != nil {
		return nil, err
	}
	return c.explainUpdate(ctx, l, tree, oldTree, status), nil
}

func (c *compiled) explainCreate(ctx context.Context, l *library, tree map[string]any, status bool) (errs field.ErrorList) {
	if status {
		if value, ok := tree["status"]; ok {
			errs = validation.ValidateCustomResource(field.NewPath("status"), value, l.status)
		}
		return errs
	}
	errs = append(errs, validation.ValidateCustomResource(nil, tree, l.validator)...)
	errs = append(errs, c.checkScale(tree, false)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, tree, l.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, l.structural, tree)...)
	return append(errs, l.checkRules(ctx, errs, tree, nil)...)
}

func (c *compiled) explainUpdate(ctx context.Context, l *library, tree, old map[string]any, status bool) (errs field.ErrorList) {
	correlated := common.NewCorrelatedObject(tree, old, &model.Structural{Structural: l.structural})
	switch {
	case !status:
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, tree, old, l.validator, validation.WithRatcheting(correlated))...)
		errs = append(errs, c.checkScale(tree, false)...)
		errs = append(errs, objectmeta.Validate(ctx, nil, tree, l.structural, false)...)
	default:
		var options []validation.ValidationOption
		if l.structural != nil {
			options = append(options, validation.WithRatcheting(correlated.Key("status")))
		}
		if value, ok := tree["status"]; ok {
			errs = append(errs, validation.ValidateCustomResourceUpdate(field.NewPath("status"), value, old["status"], l.status, options...)...)
		}
		errs = append(errs, c.checkScale(tree, true)...)
	}
	if len(listtype.ValidateListSetsAndMaps(nil, l.structural, old)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, l.structural, tree)...)
	}
	return append(errs, l.checkRules(ctx, errs, tree, old, cel.WithRatcheting(correlated))...)
}

// blocking are the kinds of errors after which rules in CEL are not looked at.
var blocking = []field.ErrorType{
	field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
}

// checkRules checks the rules in CEL, unless what was found before makes that pointless.
func (l *library) checkRules(ctx context.Context, before field.ErrorList, tree, old map[string]any, options ...cel.Option) field.ErrorList {
	if l.cel == nil {
		return nil
	}
	if slices.ContainsFunc(before, func(e *field.Error) bool { return slices.Contains(blocking, e.Type) }) {
		return field.ErrorList{field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
	}
	var oldValue any
	if old != nil {
		oldValue = old
	}
	errs, _ := l.cel.Validate(ctx, nil, l.structural, tree, oldValue, celconfig.RuntimeCELCostBudget, options...)
	return errs
}

// checkScale checks the values behind the scale subresource.
func (c *compiled) checkScale(tree map[string]any, statusOnly bool) (errs field.ErrorList) {
	if c.scale == nil {
		return nil
	}
	if !statusOnly {
		errs = append(errs, checkReplicas(tree, c.scale.SpecReplicasPath)...)
	}
	errs = append(errs, checkReplicas(tree, c.scale.StatusReplicasPath)...)
	if path := c.scale.LabelSelectorPath; path != "" {
		if text, _, err := unstructured.NestedString(tree, steps(path)...); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(path), text, err.Error()))
		}
	}
	return errs
}

func checkReplicas(tree map[string]any, path string) field.ErrorList {
	n, _, err := unstructured.NestedInt64(tree, steps(path)...)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, err.Error())}
	case n < 0:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return field.ErrorList{field.Invalid(field.NewPath(path), n, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}

// scaleFits tells whether there is nothing to say about the values behind the scale subresource.
func scaleFits(scale *engine.Scale, obj engine.Object) bool {
	if scale == nil {
		return true
	}
	for _, path := range []string{scale.SpecReplicasPath, scale.StatusReplicasPath} {
		value := obj.Get(steps(path)...)
		if value.Exists() && (value.Type != gjson.Number || strings.ContainsAny(value.Raw, "-.eE") || value.Num > math.MaxInt32) {
			return false
		}
	}
	if scale.LabelSelectorPath == "" {
		return true
	}
	selector := obj.Get(steps(scale.LabelSelectorPath)...)
	return !selector.Exists() || selector.Type == gjson.String
}

func steps(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// decode makes a tree of an object, with int64 and float64 for numbers.
func decode(obj engine.Object) (map[string]any, error) {
	var tree map[string]any
	err := json.Unmarshal(obj, &tree)
	return tree, err
}

var (
	_ engine.Strategy      = (*custom)(nil)
	_ engine.TypeExplainer = (*custom)(nil)
)
