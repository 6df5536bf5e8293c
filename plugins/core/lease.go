package main

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Lease is the life of a Lease. Coordinated leader election is off, as it is in Kubernetes 1.37.
type Lease struct{}

// gated are the fields that coordinated leader election brings.
var gated = []string{"strategy", "preferredHolder"}

// Default makes a spec where there is none.
func (Lease) Default(_ *sdk.Context, lease *sdk.Object) {
	if lease.Get("spec").IsNull() {
		lease.SetRaw("{}", "spec")
	}
}

// PrepareForCreate drops the fields of coordinated leader election.
func (Lease) PrepareForCreate(_ *sdk.Context, lease *sdk.Object) {
	for _, name := range gated {
		lease.Delete("spec", name)
	}
}

// PrepareForUpdate drops the fields of coordinated leader election, unless the lease has them already.
func (Lease) PrepareForUpdate(_ *sdk.Context, lease, old *sdk.Object) {
	for _, name := range gated {
		if old.Get("spec", name).IsNull() {
			lease.Delete("spec", name)
		}
	}
}

// Validate is Kubernetes' ValidateLease.
func (Lease) Validate(_ *sdk.Context, lease *sdk.Object) (errs field.ErrorList) {
	spec, at := lease.Get("spec"), field.NewPath("spec")
	if seconds := spec.Get("leaseDurationSeconds"); !seconds.IsNull() && seconds.Int() <= 0 {
		errs = append(errs, field.Invalid(at.Child("leaseDurationSeconds"), seconds, "must be greater than 0"))
	}
	if transitions := spec.Get("leaseTransitions"); !transitions.IsNull() && transitions.Int() < 0 {
		errs = append(errs, field.Invalid(at.Child("leaseTransitions"), transitions, validate.IsNegativeErrorMsg))
	}
	strategy := spec.Get("strategy")
	if !strategy.IsNull() {
		errs = append(errs, validateElection(strategy.String(), at.Child("strategy"))...)
	}
	if spec.Get("preferredHolder").String() != "" && strategy.String() == "" {
		errs = append(errs, field.Forbidden(at.Child("preferredHolder"), "may only be specified if `strategy` is defined"))
	}
	return errs
}

// validateElection checks the name of a strategy of leader election. The path bears it twice, as in Kubernetes.
func validateElection(strategy string, at *field.Path) (errs field.ErrorList) {
	const oldest = "OldestEmulationVersion"
	at = at.Child("strategy")
	if !strings.Contains(strategy, "/") {
		if strategy != oldest {
			errs = append(errs, field.NotSupported(at, strategy, []string{oldest}))
		}
		return errs
	}
	for _, msg := range validate.IsQualifiedName(strategy) {
		errs = append(errs, field.Invalid(at, strategy, msg))
	}
	return errs
}

// ValidateUpdate is Kubernetes' ValidateLeaseUpdate.
func (s Lease) ValidateUpdate(ctx *sdk.Context, lease, _ *sdk.Object) field.ErrorList {
	return s.Validate(ctx, lease)
}

// AllowCreateOnUpdate is true for Leases.
func (Lease) AllowCreateOnUpdate() bool { return true }

var leaseColumns = []sdk.Column{
	nameColumn,
	{Name: "Holder", Type: "string", Description: "Who holds the lease."},
	ageColumn,
}

// ConvertToTable tells who holds each lease.
func (Lease) ConvertToTable(_ *sdk.Context, leases []*sdk.Object) (rows [][]sdk.Cell) {
	for _, lease := range leases {
		rows = append(rows, []sdk.Cell{lease.Get("spec", "holderIdentity").String()})
	}
	return rows
}

var (
	_ sdk.Defaulter             = Lease{}
	_ sdk.CreatePreparer        = Lease{}
	_ sdk.Validator             = Lease{}
	_ sdk.UpdatePreparer        = Lease{}
	_ sdk.UpdateValidator       = Lease{}
	_ sdk.CreateOnUpdateAllower = Lease{}
	_ sdk.TableConvertor        = Lease{}
)
