package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
)

// migrationStrategy is what makes a StorageVersionMigration one.
type migrationStrategy struct{}

// PrepareForCreate drops the status.
func (migrationStrategy) PrepareForCreate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return call.Object.With("status", nil), nil
}

// Validate wants a resource to be named.
func (migrationStrategy) Validate(_ context.Context, call *engine.Call) field.ErrorList {
	if call.Object.Get("spec", "resource", "resource").String() == "" {
		return field.ErrorList{field.Required(field.NewPath("spec", "resource", "resource"), "resource is required")}
	}
	return nil
}

// ValidateUpdate keeps the resource as it is.
func (s migrationStrategy) ValidateUpdate(ctx context.Context, call *engine.Call) field.ErrorList {
	errs := s.Validate(ctx, call)
	for _, name := range []string{"group", "resource"} {
		if is := call.Object.Get("spec", "resource", name).String(); is != call.Old.Get("spec", "resource", name).String() {
			errs = append(errs, field.Invalid(field.NewPath(name), is, "field is immutable"))
		}
	}
	return errs
}

// ConvertToTable gives the cells that no path leads to.
func (migrationStrategy) ConvertToTable(_ context.Context, call *engine.Call) [][]any {
	rows := make([][]any, len(call.Items))
	for i, item := range call.Items {
		rows[i] = []any{migration.ResourceOf(item).String(), migration.Phase(item)}
	}
	return rows
}

// migrationStatusStrategy takes what the migrator writes.
type migrationStatusStrategy struct{}

// ValidateUpdate holds the status to Kubernetes' rules.
func (migrationStatusStrategy) ValidateUpdate(_ context.Context, call *engine.Call) field.ErrorList {
	path := field.NewPath("status")
	var is, old migrationState
	if err := is.read(call.Object); err != nil {
		return field.ErrorList{field.Invalid(path, call.Object.Get("status").Raw, err.Error())}
	}
	if err := old.read(call.Old); err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	errs := validateMigrationVersion(is.ResourceVersion, old.ResourceVersion, path.Child("resourceVersion"))
	errs = append(errs, metav1validation.ValidateConditions(is.Conditions, path.Child("conditions"))...)
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{is.succeeded() && is.failed(), "Both success and failed conditions cannot be true at the same time"},
		{is.succeeded() && is.running(), "Running condition cannot be true when success condition is true"},
		{is.failed() && is.running(), "Running condition cannot be true when failed condition is true"},
		{old.succeeded() && !is.succeeded(), "Success condition cannot be set to false once it is true"},
		{old.failed() && !is.failed(), "Failed condition cannot be set to false once it is true"},
	} {
		if rule.broken {
			errs = append(errs, field.Invalid(path.Child("conditions"), is.Conditions, rule.text))
		}
	}
	return errs
}

// validateMigrationVersion wants a resourceVersion that is one, and that stays.
func validateMigrationVersion(is, old string, path *field.Path) (errs field.ErrorList) {
	if is != "" {
		number, err := strconv.ParseInt(is, 10, 64)
		if err != nil {
			errs = append(errs, field.Invalid(path, is, fmt.Sprintf("failed to parse resource version %q: %v", is, err)))
		}
		errs = append(errs, apivalidation.ValidateNonnegativeField(number, path)...)
	}
	if old != "" && old != is {
		errs = append(errs, field.Invalid(path, is, "cannot be updated"))
	}
	return errs
}

// migrationState is the part of a status that its rules are about.
type migrationState struct {
	Conditions      []metav1.Condition `json:"conditions"`
	ResourceVersion string             `json:"resourceVersion"`
}

// read reads the status of an object.
func (s *migrationState) read(obj engine.Object) error {
	if raw := obj.Get("status").Raw; raw != "" {
		return json.Unmarshal([]byte(raw), s)
	}
	return nil
}

func (s *migrationState) succeeded() bool { return s.has(migration.Succeeded) }
func (s *migrationState) failed() bool    { return s.has(migration.Failed) }
func (s *migrationState) running() bool   { return s.has(migration.Running) }

func (s *migrationState) has(kind string) bool { return meta.IsStatusConditionTrue(s.Conditions, kind) }
