package main

import (
	"math"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

const immutable = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"

// specUpdate tells what may not change in a spec.
func specUpdate(spec, old tree.Node) (errs field.ErrorList) {
	path := field.NewPath("spec")
	for _, list := range []string{"containers", "initContainers"} {
		more, stop := containerUpdates(spec.Get(list), old.Get(list), path.Child(list))
		if errs = append(errs, more...); stop {
			return errs
		}
	}
	more, stop := deadlineUpdate(spec.Get("activeDeadlineSeconds"), old.Get("activeDeadlineSeconds"), path.Child("activeDeadlineSeconds"))
	if errs = append(errs, more...); stop {
		return errs
	}
	errs = append(errs, addedTolerations(spec, old, path.Child("tolerations"))...)
	errs = append(errs, deletedGates(spec.Get("schedulingGates"), old.Get("schedulingGates"), path.Child("schedulingGates"))...)
	if podspec.Same(spec, old) {
		return errs
	}
	if !old.Get("schedulingGates").Empty() {
		errs = append(errs, gatedUpdate(spec, old, path)...)
	}
	if munged := munge(spec, old); !podspec.Same(munged, old) {
		errs = append(errs, field.Forbidden(path, immutable+podspec.Diff(old, munged, "spec")))
	}
	return errs
}

func containerUpdates(list, old tree.Node, path *field.Path) (errs field.ErrorList, stop bool) {
	if list.Len() != old.Len() {
		return field.ErrorList{field.Forbidden(path, "pod updates may not add or remove containers")}, true
	}
	for i, container := range list.Items() {
		image := container.Get("image").String()
		if image == "" {
			errs = append(errs, field.Required(path.Index(i).Child("image"), ""))
		}
		if strings.TrimSpace(image) != image {
			errs = append(errs, field.Invalid(path.Index(i).Child("image"), image, "must not have leading or trailing whitespace"))
		}
	}
	return errs, false
}

// deadlineUpdate lets activeDeadlineSeconds be set and made shorter.
func deadlineUpdate(is, was tree.Node, path *field.Path) (errs field.ErrorList, stop bool) {
	switch seconds := is.Int(); {
	case !is.Exists() && was.Exists():
		return field.ErrorList{field.Invalid(path, nil, "must not update from a positive integer to nil value")}, false
	case !is.Exists():
		return nil, false
	case seconds < 0 || seconds > math.MaxInt32:
		return field.ErrorList{field.Invalid(path, seconds, validate.InclusiveRangeError(0, math.MaxInt32))}, true
	case was.Exists() && was.Int() < seconds:
		return field.ErrorList{field.Invalid(path, seconds, "must be less than or equal to previous value")}, true
	}
	return nil, false
}

// addedTolerations lets tolerations be added, and the tolerationSeconds of old ones change.
func addedTolerations(spec, old tree.Node, path *field.Path) field.ErrorList {
	for _, was := range old.Get("tolerations").Items() {
		found := false
		for _, is := range spec.Get("tolerations").Items() {
			found = found || sameToleration(is, was)
		}
		if !found {
			return field.ErrorList{field.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return podspec.ValidateTolerations(spec, path.String())
}

func sameToleration(a, b tree.Node) bool {
	for _, key := range []string{"key", "operator", "value", "effect"} {
		if a.Get(key).String() != b.Get(key).String() {
			return false
		}
	}
	return true
}

// deletedGates lets scheduling gates be removed.
func deletedGates(list, old tree.Node, path *field.Path) (errs field.ErrorList) {
	had := make(map[string]bool)
	for _, gate := range old.Items() {
		had[gate.Get("name").String()] = true
	}
	for i, gate := range list.Items() {
		if name := gate.Get("name").String(); !had[name] {
			errs = append(errs, field.Forbidden(path.Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+name+"'"))
		}
	}
	return errs
}

// gatedUpdate lets a gated pod become choosier about nodes.
func gatedUpdate(spec, old tree.Node, path *field.Path) (errs field.ErrorList) {
	selector := spec.Get("nodeSelector")
	for key, was := range old.Get("nodeSelector").Fields() {
		if is := selector.Get(key); !is.Exists() || is.String() != was.String() {
			errs = append(errs, field.Invalid(path.Child("nodeSelector"), selector.Value(), "only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
			break
		}
	}
	is, was := spec.At("affinity", "nodeAffinity"), old.At("affinity", "nodeAffinity")
	if !podspec.Same(is, was) {
		errs = append(errs, podspec.ValidateAffinityAddition(is, was, "spec.affinity.nodeAffinity")...)
	}
	return errs
}

// annotationUpdates holds the annotations that name a pod's profile or its source.
func annotationUpdates(annotations, old tree.Node) (errs field.ErrorList) {
	path := field.NewPath("metadata", "annotations")
	for key, was := range old.Fields() {
		if is := annotations.Get(key); is.Exists() && is.String() == was.String() {
			continue
		}
		if strings.HasPrefix(key, podspec.AppArmorAnnotation) {
			errs = append(errs, field.Forbidden(path.Key(key), "may not remove or update AppArmor annotations"))
		}
		if key == podspec.MirrorAnnotation {
			errs = append(errs, field.Forbidden(path.Key(key), "may not remove or update mirror pod annotation"))
		}
	}
	for key := range annotations.Fields() {
		if old.Has(key) {
			continue
		}
		if strings.HasPrefix(key, podspec.AppArmorAnnotation) {
			errs = append(errs, field.Forbidden(path.Key(key), "may not add AppArmor annotations"))
		}
		if key == podspec.MirrorAnnotation {
			errs = append(errs, field.Forbidden(path.Key(key), "may not add mirror pod annotation"))
		}
	}
	return errs
}
