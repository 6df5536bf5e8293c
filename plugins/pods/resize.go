package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// ResizeStrategy lets the cpu and memory of containers change.
type ResizeStrategy struct{}

// Default fills in what the client left out.
func (ResizeStrategy) Default(ctx *sdk.Context, pod *sdk.Object) { Strategy{}.Default(ctx, pod) }

// PrepareForUpdate keeps all but resources and resizePolicy of the containers. Where containers were added,
// removed or renamed it keeps the new spec, for validation to refuse.
func (ResizeStrategy) PrepareForUpdate(_ *sdk.Context, pod, old *sdk.Object) {
	keepMetadata(pod, old)
	keep(pod, old, "status")
	spec, was := specOf(pod), specOf(old)
	if sameNames(spec, was, "containers") && sameNames(spec, was, "initContainers") {
		pod.SetRaw(resized(spec, was), "spec")
	}
	countGeneration(pod, old)
}

func sameNames(spec, old tree.Node, list string) bool {
	is, was := spec.Get(list), old.Get(list)
	if is.Len() != was.Len() {
		return false
	}
	for i, container := range was.Items() {
		if nth(is, i).Get("name").String() != container.Get("name").String() {
			return false
		}
	}
	return true
}

// resized is the old spec with the new one's resources.
func resized(spec, old tree.Node) string {
	e := tree.NewEdits(old)
	for _, list := range []string{"containers", "initContainers"} {
		for i, container := range old.Get(list).Items() {
			restore(e, container, nth(spec.Get(list), i), "resources")
			restore(e, container, nth(spec.Get(list), i), "resizePolicy")
		}
	}
	restore(e, old, spec, "resources")
	return e.Text()
}

// ValidateUpdate is Kubernetes' ValidatePodResize.
func (ResizeStrategy) ValidateUpdate(_ *sdk.Context, pod, old *sdk.Object) field.ErrorList {
	if !old.Get("metadata", "annotations", podspec.MirrorAnnotation).IsNull() {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods cannot be resized")}
	}
	spec, was := specOf(pod), specOf(old)
	if was.At("os", "name").String() == "windows" {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "windows pods cannot be resized")}
	}
	errs := podspec.Validate(pod.Name(), annotationsOf(pod), spec, was)
	path := field.NewPath("spec")
	if !sameNames(spec, was, "containers") || !sameNames(spec, was, "initContainers") {
		return append(errs, field.Forbidden(path, "containers may not be added, removed, re-ordered or renamed on resize"))
	}
	if class := qosClass(spec); class != qosClass(was) {
		errs = append(errs, field.Invalid(path, class, "Pod QOS Class may not change as a result of resizing"))
	}
	if !supportsResize(partOf(old, "status")) {
		errs = append(errs, field.Forbidden(path, "Pod running on node without support for resize"))
	}
	for _, list := range []string{"initContainers", "containers"} {
		for i, container := range was.Get(list).Items() {
			errs = append(errs, containerResize(nth(spec.Get(list), i), container, list, path.Child(list).Index(i).Child("resources"))...)
		}
	}
	return errs
}

// supportsResize tells whether the node of a running pod reports resources.
func supportsResize(status tree.Node) bool {
	for _, container := range status.Get("containerStatuses").Items() {
		if container.At("state", "running").Exists() {
			return container.Has("resources")
		}
	}
	return true
}

func containerResize(is, was tree.Node, list string, path *field.Path) (errs field.ErrorList) {
	root := field.NewPath("spec")
	if list == "initContainers" && !isSidecar(was) {
		if !podspec.Same(is, was) {
			errs = append(errs, field.Forbidden(root, "resources for non-sidecar init containers are immutable"))
		}
		return errs
	}
	for _, part := range []string{"requests", "limits"} {
		for name := range was.At("resources", part).Fields() {
			if !is.At("resources", part).Has(name) {
				errs = append(errs, field.Forbidden(path.Child(part), "resource "+part+" cannot be removed"))
				break
			}
		}
		if !sameOthers(is.At("resources", part), was.At("resources", part)) {
			errs = append(errs, field.Forbidden(root, "only cpu and memory resources are mutable"))
		}
	}
	return append(errs, memoryLimit(is, was, path.Child("limits").Key("memory"))...)
}

// sameOthers tells whether the resources that may not be resized are the same.
func sameOthers(is, was tree.Node) bool {
	for name, value := range is.Fields() {
		if name != "cpu" && name != "memory" && was.Get(name).String() != value.String() {
			return false
		}
	}
	for name := range was.Fields() {
		if name != "cpu" && name != "memory" && !is.Has(name) {
			return false
		}
	}
	return true
}

// memoryLimit refuses a memory limit where there was none, unless the container is restarted for it.
func memoryLimit(is, was tree.Node, path *field.Path) field.ErrorList {
	for _, policy := range is.Get("resizePolicy").Items() {
		if policy.Get("resourceName").String() == "memory" && policy.Get("restartPolicy").String() == "RestartContainer" {
			return nil
		}
	}
	before, after := was.At("resources", "limits", "memory"), is.At("resources", "limits", "memory")
	if !after.Exists() {
		return nil
	}
	if !before.Exists() {
		return field.ErrorList{field.Forbidden(path, "memory limits cannot be added unless resizePolicy is RestartContainer")}
	}
	return nil
}

var (
	_ sdk.Defaulter       = ResizeStrategy{}
	_ sdk.UpdatePreparer  = ResizeStrategy{}
	_ sdk.UpdateValidator = ResizeStrategy{}
)
