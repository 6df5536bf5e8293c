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
	selector, template := spec.Get("selector"), spec.Get("template")
	own := template.At("metadata", "labels")
	matches := false
	if podspec.PlainSelector(selector) {
		matches = podspec.MatchesPlain(selector, own)
	} else {
		errs = append(errs, oddSelector(selector, path.Child("selector"))...)
		parsed, err := labels.Parse(selector.Value())
		if err != nil || hasInvalid(errs) {
			return append(errs, field.Invalid(path.Child("selector"), selector.Value(), "invalid label selector"))
		}
		matches = parsed.Empty() || parsed.Matches(own.StringMap())
	}
	if !matches {
		errs = append(errs, field.Invalid(path.Child("template", "metadata", "labels"), own.Value(), "`selector` does not match template `labels`"))
	}
	return append(errs, validateTemplate(template, old.Get("template"), path.Child("template"))...)
}

// oddSelector checks a selector that is more than a few labels.
func oddSelector(selector tree.Node, path *field.Path) (errs field.ErrorList) {
	if !selector.Exists() {
		return field.ErrorList{field.Required(path, "")}
	}
	errs = labels.Validate(selector.Value(), path)
	if selector.Get("matchLabels").Empty() && selector.Get("matchExpressions").Empty() {
		errs = append(errs, field.Invalid(path, selector.Value(), "empty selector is invalid for deployment"))
	}
	return errs
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
func validateTemplate(template, old tree.Node, path *field.Path) (errs field.ErrorList) {
	errs = podspec.ValidateTemplate(template, old, path.String())
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
