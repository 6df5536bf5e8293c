package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Strategy is the life of a Pod.
type Strategy struct{}

// Default fills in what the client left out of the spec.
func (Strategy) Default(_ *sdk.Context, pod *sdk.Object) {
	spec := specOf(pod)
	edits := tree.NewEdits(spec)
	podspec.Default(edits, spec, true)
	if edits.Any() {
		pod.SetRaw(edits.Text(), "spec")
	}
}

// PrepareForCreate sets the first status, which no client may, and what follows from the spec.
func (Strategy) PrepareForCreate(ctx *sdk.Context, pod *sdk.Object) {
	spec := specOf(pod)
	pod.Set(1, "metadata", "generation")
	pod.SetRaw(firstStatus(spec, ctx.Time), "status")
	edits := tree.NewEdits(spec)
	labels := partOf(pod, "metadata", "labels")
	mergeLabelKeys(edits, spec, labels)
	syncAppArmor(edits, spec, annotationsOf(pod))
	if edits.Any() {
		pod.SetRaw(edits.Text(), "spec")
	}
}

// firstStatus is the status of a new pod.
func firstStatus(spec tree.Node, now string) string {
	status := `{"phase":"Pending","qosClass":"` + qosClass(spec) + `"`
	if condition := gatedCondition(spec, now); condition != "" {
		status += `,"conditions":[` + condition + `]`
	}
	return status + "}"
}

// Validate is Kubernetes' ValidatePodCreate.
func (Strategy) Validate(_ *sdk.Context, pod *sdk.Object) field.ErrorList {
	return podspec.ValidateCreate(pod.Name(), annotationsOf(pod), specOf(pod))
}

// WarningsOnCreate tells of a name that is no DNS label and of what is odd in the spec.
func (Strategy) WarningsOnCreate(_ *sdk.Context, pod *sdk.Object) (warnings []string) {
	if messages := validate.IsDNS1123Label(pod.Name()); len(messages) > 0 {
		warnings = append(warnings, "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: "+
			podspec.Bracketed(messages))
	}
	spec, annotations := specOf(pod), annotationsOf(pod)
	warnings = append(warnings, appArmorWarnings(spec, annotations)...)
	return append(warnings, podspec.Warnings(spec, annotations, "")...)
}

// PrepareForUpdate keeps the status and counts the generations of the spec.
func (Strategy) PrepareForUpdate(_ *sdk.Context, pod, old *sdk.Object) {
	keep(pod, old, "status")
	countGeneration(pod, old)
}

// ValidateUpdate is Kubernetes' ValidatePodUpdate.
func (Strategy) ValidateUpdate(_ *sdk.Context, pod, old *sdk.Object) field.ErrorList {
	annotations, spec, was := annotationsOf(pod), specOf(pod), specOf(old)
	errs := podspec.Validate(pod.Name(), annotations, spec, was)
	errs = append(errs, annotationUpdates(annotations, annotationsOf(old))...)
	return append(errs, specUpdate(spec, was)...)
}

// AllowUnconditionalUpdate is true for pods.
func (Strategy) AllowUnconditionalUpdate() bool { return true }

// ReturnDeletedObject is true for pods.
func (Strategy) ReturnDeletedObject() bool { return true }

func specOf(pod *sdk.Object) tree.Node { return partOf(pod, "spec") }

func partOf(pod *sdk.Object, path ...string) tree.Node { return tree.Parse(pod.Get(path...).Raw()) }

func annotationsOf(pod *sdk.Object) tree.Node { return partOf(pod, "metadata", "annotations") }

// keep puts back a part of the old object.
func keep(pod, old *sdk.Object, path ...string) {
	if was := old.Get(path...); was.Exists() {
		pod.SetRaw(was.Raw(), path...)
	} else {
		pod.Delete(path...)
	}
}

// countGeneration adds one to the generation when the spec has changed.
func countGeneration(pod, old *sdk.Object) {
	if pod.Get("spec").Equal(old.Get("spec")) || podspec.Same(specOf(pod), specOf(old)) {
		return
	}
	pod.Set(old.Generation()+1, "metadata", "generation")
}

var (
	_ sdk.Defaulter                  = Strategy{}
	_ sdk.CreatePreparer             = Strategy{}
	_ sdk.Validator                  = Strategy{}
	_ sdk.CreateWarner               = Strategy{}
	_ sdk.UpdatePreparer             = Strategy{}
	_ sdk.UpdateValidator            = Strategy{}
	_ sdk.GracefulDeleter            = Strategy{}
	_ sdk.TableConvertor             = Strategy{}
	_ sdk.UnconditionalUpdateAllower = Strategy{}
	_ sdk.DeletedObjectReturner      = Strategy{}
)
