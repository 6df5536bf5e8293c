package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Strategy is the life of a Deployment.
type Strategy struct{}

// PrepareForCreate clears the status and begins with generation 1.
func (Strategy) PrepareForCreate(_ *sdk.Context, deployment *sdk.Object) {
	deployment.SetRaw("{}", "status")
	deployment.Set(1, "metadata", "generation")
}

// Validate is Kubernetes' ValidateDeployment.
func (Strategy) Validate(_ *sdk.Context, deployment *sdk.Object) field.ErrorList {
	return validateSpec(specOf(deployment), tree.Node{}, field.NewPath("spec"))
}

// WarningsOnCreate tells of a name that is no DNS label and of what is odd in the template.
func (Strategy) WarningsOnCreate(_ *sdk.Context, deployment *sdk.Object) (warnings []string) {
	if messages := validate.IsDNS1123Label(deployment.Name()); len(messages) > 0 {
		warnings = append(warnings, "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: "+
			podspec.Bracketed(messages))
	}
	return append(warnings, templateWarnings(specOf(deployment))...)
}

// PrepareForUpdate keeps the status and counts generations: of the spec, and of the annotations, which are
// copied to ReplicaSets.
func (Strategy) PrepareForUpdate(_ *sdk.Context, deployment, old *sdk.Object) {
	keep(deployment, old, "status")
	if sameSpec(deployment, old) && sameAnnotations(deployment, old) {
		return
	}
	deployment.Set(old.Generation()+1, "metadata", "generation")
}

// ValidateUpdate is Kubernetes' ValidateDeploymentUpdate, and the selector stays.
func (Strategy) ValidateUpdate(_ *sdk.Context, deployment, old *sdk.Object) field.ErrorList {
	spec, was, path := specOf(deployment), specOf(old), field.NewPath("spec")
	errs := validateSpec(spec, was, path)
	if selector := spec.Get("selector"); !podspec.Same(selector, was.Get("selector")) {
		errs = append(errs, field.Invalid(path.Child("selector"), selector.Value(), validate.FieldImmutableErrorMsg))
	}
	return errs
}

// WarningsOnUpdate tells of what is odd in a template that has changed.
func (Strategy) WarningsOnUpdate(_ *sdk.Context, deployment, old *sdk.Object) []string {
	if deployment.Generation() == old.Generation() {
		return nil
	}
	return templateWarnings(specOf(deployment))
}

// AllowUnconditionalUpdate is true for deployments.
func (Strategy) AllowUnconditionalUpdate() bool { return true }

func templateWarnings(spec tree.Node) []string {
	template := spec.Get("template")
	return podspec.Warnings(template.Get("spec"), template.At("metadata", "annotations"), "spec.template")
}

func specOf(deployment *sdk.Object) tree.Node { return tree.Parse(deployment.Get("spec").Raw()) }

func sameSpec(deployment, old *sdk.Object) bool {
	return deployment.Get("spec").Equal(old.Get("spec")) || podspec.Same(specOf(deployment), specOf(old))
}

func sameAnnotations(deployment, old *sdk.Object) bool {
	is, was := deployment.Get("metadata", "annotations"), old.Get("metadata", "annotations")
	return is.Equal(was) || podspec.Same(tree.Parse(is.Raw()), tree.Parse(was.Raw())) || is.Len()+was.Len() == 0
}

// keep puts back a part of the old object.
func keep(deployment, old *sdk.Object, path ...string) {
	if was := old.Get(path...); was.Exists() {
		deployment.SetRaw(was.Raw(), path...)
	} else {
		deployment.Delete(path...)
	}
}

var (
	_ sdk.Defaulter                  = Strategy{}
	_ sdk.CreatePreparer             = Strategy{}
	_ sdk.Validator                  = Strategy{}
	_ sdk.CreateWarner               = Strategy{}
	_ sdk.UpdatePreparer             = Strategy{}
	_ sdk.UpdateValidator            = Strategy{}
	_ sdk.UpdateWarner               = Strategy{}
	_ sdk.TableConvertor             = Strategy{}
	_ sdk.UnconditionalUpdateAllower = Strategy{}
)
