package main

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/labels"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// validateSpec checks a spec, or what an old one has become, in the order of Kubernetes' ValidateDeploymentSpec.
func validateSpec(spec, old tree.Node, path *field.Path) (errs field.ErrorList) {
	errs = nonnegative(errs, spec, "replicas", path)
	errs = append(errs, validateSelector(spec, old, path)...)
	errs = append(errs, validateStrategy(spec.Get("strategy"), path.Child("strategy"))...)
	errs = nonnegative(errs, spec, "minReadySeconds", path)
	errs = nonnegative(errs, spec, "revisionHistoryLimit", path)
	if deadline := spec.Get("progressDeadlineSeconds"); deadline.Exists() {
		errs = nonnegative(errs, spec, "progressDeadlineSeconds", path)
		if deadline.Int() <= spec.Get("minReadySeconds").Int() {
			errs = append(errs, field.Invalid(path.Child("progressDeadlineSeconds"), deadline.Value(), "must be greater than minReadySeconds"))
		}
	}
	return errs
}

// validateSelector checks the selector and, with it, the template.
func validateSelector(spec, old tree.Node, path *field.Path) (errs field.ErrorList) {
	selector, at := spec.Get("selector"), path.Child("selector")
	value := selector.Value()
	if !selector.Exists() {
		errs = append(errs, field.Required(at, ""))
	} else {
		errs = append(errs, labels.Validate(value, at)...)
		if selector.Get("matchLabels").Empty() && selector.Get("matchExpressions").Empty() {
			errs = append(errs, field.Invalid(at, value, "empty selector is invalid for deployment"))
		}
	}
	parsed, err := labels.Parse(value)
	if err != nil || hasInvalid(errs) {
		return append(errs, field.Invalid(at, value, "invalid label selector"))
	}
	return append(errs, validateTemplate(spec.Get("template"), old.Get("template"), parsed, path.Child("template"))...)
}

// hasInvalid tells whether the parts of a selector are such that Kubernetes cannot make a selector of them.
func hasInvalid(errs field.ErrorList) bool {
	for _, err := range errs {
		if strings.HasPrefix(err.Field, "spec.selector.") {
			return true
		}
	}
	return false
}

// validateTemplate is for templates of pods that are to run for ever.
func validateTemplate(template, old tree.Node, selector labels.Selector, path *field.Path) (errs field.ErrorList) {
	own := template.At("metadata", "labels")
	if !selector.Empty() && !selector.Matches(own.StringMap()) {
		errs = append(errs, field.Invalid(path.Child("metadata", "labels"), own.Value(), "`selector` does not match template `labels`"))
	}
	errs = append(errs, podspec.ValidateTemplate(template, old, path.String())...)
	spec := template.Get("spec")
	if policy := spec.Get("restartPolicy").String(); policy != "Always" {
		errs = append(errs, field.NotSupported(path.Child("spec", "restartPolicy"), policy, []string{"Always"}))
	}
	if spec.Has("activeDeadlineSeconds") {
		errs = append(errs, field.Forbidden(path.Child("spec", "activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicaSet is not Supported"))
	}
	return errs
}

func validateStrategy(strategy tree.Node, path *field.Path) (errs field.ErrorList) {
	rolling := strategy.Get("rollingUpdate")
	switch strategy.Get("type").String() {
	case "Recreate":
		if rolling.Exists() {
			errs = append(errs, field.Forbidden(path.Child("rollingUpdate"), "may not be specified when strategy `type` is 'Recreate'"))
		}
	case "RollingUpdate":
		if !rolling.Exists() {
			return field.ErrorList{field.Required(path.Child("rollingUpdate"), "this should be defaulted and never be nil")}
		}
		errs = validateRollingUpdate(rolling, path.Child("rollingUpdate"))
	default:
		errs = append(errs, field.NotSupported(path, strategy.Value(), []string{"Recreate", "RollingUpdate"}))
	}
	return errs
}

func validateRollingUpdate(rolling tree.Node, path *field.Path) (errs field.ErrorList) {
	unavailable, surge := rolling.Get("maxUnavailable"), rolling.Get("maxSurge")
	at := path.Child("maxUnavailable")
	errs = append(errs, validateIntOrPercent(unavailable, at)...)
	errs = append(errs, validateIntOrPercent(surge, path.Child("maxSurge"))...)
	if intOrPercent(unavailable) == 0 && intOrPercent(surge) == 0 {
		errs = append(errs, field.Invalid(at, unavailable.Value(), "may not be 0 when `maxSurge` is 0"))
	}
	if percent, ok := percentOf(unavailable); ok && percent > 100 {
		errs = append(errs, field.Invalid(at, unavailable.Value(), "must not be greater than 100%"))
	}
	return errs
}

func validateIntOrPercent(n tree.Node, path *field.Path) (errs field.ErrorList) {
	if !n.IsString() {
		return validate.Nonnegative(n.Int(), path)
	}
	for _, message := range validate.IsValidPercent(n.String()) {
		errs = append(errs, field.Invalid(path, n.Value(), message))
	}
	return errs
}

// intOrPercent is the number of either.
func intOrPercent(n tree.Node) int64 {
	if percent, ok := percentOf(n); ok {
		return percent
	}
	return n.Int()
}

func percentOf(n tree.Node) (int64, bool) {
	text, ok := strings.CutSuffix(n.String(), "%")
	if !n.IsString() || !ok || len(validate.IsValidPercent(n.String())) > 0 {
		return 0, false
	}
	percent, err := strconv.ParseInt(text, 10, 64)
	return percent, err == nil
}

func nonnegative(errs field.ErrorList, object tree.Node, key string, path *field.Path) field.ErrorList {
	if n := object.Get(key); n.Int() < 0 {
		return append(errs, field.Invalid(path.Child(key), n.Value(), validate.IsNegativeErrorMsg))
	}
	return errs
}
