package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// EphemeralContainersStrategy lets containers be added to a pod for debugging.
type EphemeralContainersStrategy struct{}

// Default fills in what the client left out.
func (EphemeralContainersStrategy) Default(ctx *sdk.Context, pod *sdk.Object) {
	Strategy{}.Default(ctx, pod)
}

// PrepareForUpdate keeps all but spec.ephemeralContainers.
func (EphemeralContainersStrategy) PrepareForUpdate(_ *sdk.Context, pod, old *sdk.Object) {
	containers := pod.Get("spec", "ephemeralContainers")
	keepMetadata(pod, old)
	keep(pod, old, "status")
	keep(pod, old, "spec")
	if containers.IsNull() {
		pod.Delete("spec", "ephemeralContainers")
	} else {
		pod.SetRaw(containers.Raw(), "spec", "ephemeralContainers")
	}
	countGeneration(pod, old)
}

// keepMetadata keeps the metadata that a subresource does not write.
func keepMetadata(pod, old *sdk.Object) {
	for _, key := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		keep(pod, old, "metadata", key)
	}
}

// ValidateUpdate is Kubernetes' ValidatePodEphemeralContainersUpdate: containers may only be added.
func (EphemeralContainersStrategy) ValidateUpdate(_ *sdk.Context, pod, old *sdk.Object) field.ErrorList {
	if !old.Get("metadata", "annotations", podspec.MirrorAnnotation).IsNull() {
		return field.ErrorList{field.Forbidden(field.NewPath(""), "static pods do not support ephemeral containers")}
	}
	spec, was := specOf(pod), specOf(old)
	errs := podspec.Validate(pod.Name(), annotationsOf(pod), spec, was)
	path := field.NewPath("spec", "ephemeralContainers")
	for _, was := range was.Get("ephemeralContainers").Items() {
		name := was.Get("name").String()
		is := named(spec.Get("ephemeralContainers"), name)
		switch {
		case !is.Exists():
			errs = append(errs, field.Forbidden(path, "existing ephemeral containers "+tree.Quote(name)+" may not be removed\n"))
		case !podspec.Same(was, is):
			errs = append(errs, field.Forbidden(path, "existing ephemeral containers "+tree.Quote(name)+" may not be changed\n"+podspec.Diff(was, is, "ephemeralContainer")))
		}
	}
	return errs
}

// named is the last item of a list with a name.
func named(list tree.Node, name string) (found tree.Node) {
	for _, item := range list.Items() {
		if item.Get("name").String() == name {
			found = item
		}
	}
	return found
}

var (
	_ sdk.Defaulter       = EphemeralContainersStrategy{}
	_ sdk.UpdatePreparer  = EphemeralContainersStrategy{}
	_ sdk.UpdateValidator = EphemeralContainersStrategy{}
)
