package main

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// rollbackTo is the annotation by which apps/v1 carries the wish for an older revision.
const rollbackTo = "deprecated.deployment.rollback.to"

// RollbackStrategy records a DeploymentRollback for the controller to act on.
type RollbackStrategy struct{}

// CreateSubresource takes a DeploymentRollback.
func (RollbackStrategy) CreateSubresource(_ *sdk.Context, deployment, rollback *sdk.Object) (string, error) {
	if errs := validateRollback(rollback); len(errs) > 0 {
		return "", sdk.Invalid(errs)
	}
	name := rollback.Get("name").String()
	if name != deployment.Name() {
		return "", sdk.BadRequest("name in URL does not match name in DeploymentRollback object")
	}
	for key, value := range rollback.Get("updatedAnnotations").Fields() {
		deployment.Set(value, "metadata", "annotations", key)
	}
	revision := rollback.Get("rollbackTo", "revision").Int()
	deployment.Set(strconv.FormatInt(revision, 10), "metadata", "annotations", rollbackTo)
	return "rollback request for deployment " + strconv.Quote(name) + " succeeded", nil
}

func validateRollback(rollback *sdk.Object) (errs field.ErrorList) {
	errs = append(errs, validate.Annotations(rollback.Get("updatedAnnotations").StringMap(), field.NewPath("updatedAnnotations"))...)
	if rollback.Get("name").String() == "" {
		errs = append(errs, field.Required(field.NewPath("name"), "name is required"))
	}
	return append(errs, validate.Nonnegative(rollback.Get("rollbackTo", "revision").Int(), field.NewPath("rollback", "version"))...)
}

var _ sdk.SubresourceCreator = RollbackStrategy{}
