package main

import (
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// strategy is what makes a CronTab a CronTab.
type strategy struct{}

// AllowUnconditionalUpdate takes a PUT that names no resourceVersion.
func (strategy) AllowUnconditionalUpdate() bool { return true }

// GenerationOnSpecChange has the server count the changes of spec.
func (strategy) GenerationOnSpecChange() bool { return true }

// Default runs one replica where nothing else is asked for.
func (strategy) Default(_ *sdk.Context, obj *sdk.Object) {
	if obj.Get("spec").IsObject() {
		obj.SetDefault(1, "spec", "replicas")
	}
}

// PrepareForCreate drops the status: it is written through its subresource alone.
func (strategy) PrepareForCreate(_ *sdk.Context, obj *sdk.Object) {
	obj.Delete("status")
}

// Validate checks a new CronTab.
func (strategy) Validate(_ *sdk.Context, obj *sdk.Object) field.ErrorList {
	return validateSpec(obj.Get("spec"), field.NewPath("spec"))
}

// ValidateUpdate checks a changed CronTab. All of its spec may change.
func (strategy) ValidateUpdate(_ *sdk.Context, obj, _ *sdk.Object) field.ErrorList {
	return validateSpec(obj.Get("spec"), field.NewPath("spec"))
}

// WarningsOnCreate tells of schedules that may not do what is meant.
func (strategy) WarningsOnCreate(_ *sdk.Context, obj *sdk.Object) []string {
	return scheduleWarnings(obj)
}

// WarningsOnUpdate warns again only when the schedule has changed.
func (strategy) WarningsOnUpdate(_ *sdk.Context, obj, old *sdk.Object) []string {
	if obj.Get("spec", "cronSpec").Equal(old.Get("spec", "cronSpec")) {
		return nil
	}
	return scheduleWarnings(obj)
}

// Canonicalize writes the schedule in one form, however it was spaced or spelt.
func (strategy) Canonicalize(_ *sdk.Context, obj *sdk.Object) {
	if s, err := parseSchedule(obj.Get("spec", "cronSpec").String()); err == nil {
		obj.Set(s.text, "spec", "cronSpec")
	}
}

// statusStrategy is for writes to the status subresource: the server lets nothing but status change.
type statusStrategy struct{}

// ValidateUpdate checks a changed status.
func (statusStrategy) ValidateUpdate(_ *sdk.Context, obj, _ *sdk.Object) field.ErrorList {
	return validate.Nonnegative(obj.Get("status", "replicas").Int(), field.NewPath("status", "replicas"))
}

func validateSpec(spec sdk.Value, path *field.Path) (errs field.ErrorList) {
	if text := spec.Get("cronSpec").String(); text == "" {
		errs = append(errs, field.Required(path.Child("cronSpec"), ""))
	} else if _, err := parseSchedule(text); err != nil {
		errs = append(errs, field.Invalid(path.Child("cronSpec"), text, err.Error()))
	}
	if spec.Get("image").String() == "" {
		errs = append(errs, field.Required(path.Child("image"), ""))
	}
	return append(errs, validate.Nonnegative(spec.Get("replicas").Int(), path.Child("replicas"))...)
}

func scheduleWarnings(obj *sdk.Object) (warnings []string) {
	s, err := parseSchedule(obj.Get("spec", "cronSpec").String())
	if err != nil {
		return nil
	}
	for _, warning := range s.warnings() {
		warnings = append(warnings, "spec.cronSpec: "+warning)
	}
	return warnings
}

// The hooks, so that a misspelt one does not compile.
var (
	_ sdk.Defaulter       = strategy{}
	_ sdk.CreatePreparer  = strategy{}
	_ sdk.Validator       = strategy{}
	_ sdk.UpdateValidator = strategy{}
	_ sdk.CreateWarner    = strategy{}
	_ sdk.UpdateWarner    = strategy{}
	_ sdk.Canonicalizer   = strategy{}
	_ sdk.UpdateValidator = statusStrategy{}
)
