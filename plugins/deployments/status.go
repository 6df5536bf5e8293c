package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// StatusStrategy is for writes of the status by the controller.
type StatusStrategy struct{}

// PrepareForUpdate keeps the spec and the labels.
func (StatusStrategy) PrepareForUpdate(_ *sdk.Context, deployment, old *sdk.Object) {
	keep(deployment, old, "spec")
	keep(deployment, old, "metadata", "labels")
}

// ValidateUpdate is Kubernetes' ValidateDeploymentStatusUpdate.
func (StatusStrategy) ValidateUpdate(_ *sdk.Context, deployment, old *sdk.Object) (errs field.ErrorList) {
	status, path := tree.Parse(deployment.Get("status").Raw()), field.NewPath("status")
	for _, key := range []string{
		"observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas", "terminatingReplicas", "collisionCount",
	} {
		errs = nonnegative(errs, status, key, path)
	}
	const most = "cannot be greater than status.replicas"
	for _, key := range []string{"updatedReplicas", "readyReplicas", "availableReplicas"} {
		errs = atMost(errs, status, key, "replicas", most, path)
	}
	errs = atMost(errs, status, "availableReplicas", "readyReplicas", "cannot be greater than readyReplicas", path)
	if is, was := status.Get("collisionCount"), old.Get("status", "collisionCount"); !was.IsNull() && is.Int() < was.Int() {
		errs = append(errs, field.Invalid(path.Child("collisionCount"), is.Value(), "cannot be decremented"))
	}
	return errs
}

func atMost(errs field.ErrorList, status tree.Node, key, limit, message string, path *field.Path) field.ErrorList {
	if n := status.Get(key); n.Int() > status.Get(limit).Int() {
		return append(errs, field.Invalid(path.Child(key), n.Value(), message))
	}
	return errs
}

var (
	_ sdk.UpdatePreparer  = StatusStrategy{}
	_ sdk.UpdateValidator = StatusStrategy{}
)
