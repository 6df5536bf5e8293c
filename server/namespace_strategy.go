package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// kubernetesFinalizer in spec.finalizers keeps a namespace until its content is gone.
const kubernetesFinalizer = "kubernetes"

// The phases of a namespace.
const (
	namespaceActive      = "Active"
	namespaceTerminating = "Terminating"
)

// namespaceStrategy is what makes a Namespace one.
type namespaceStrategy struct{}

// Default gives it the label with its name.
func (namespaceStrategy) Default(_ context.Context, call *engine.Call) (engine.Object, error) {
	meta := call.Object.Meta()
	if meta.String("name") == "" {
		return call.Object, nil
	}
	labels := engine.ParseFields(meta.Get("labels"))
	labels.SetString("kubernetes.io/metadata.name", meta.String("name"))
	meta.Set("labels", labels.Raw())
	return call.Object.WithMeta(meta), nil
}

// PrepareForCreate makes it active, and the server's own finalizer one of it.
func (namespaceStrategy) PrepareForCreate(_ context.Context, call *engine.Call) (engine.Object, error) {
	finalizers := specFinalizers(call.Object)
	if !slices.Contains(finalizers, kubernetesFinalizer) {
		finalizers = append(finalizers, kubernetesFinalizer)
	}
	fields := call.Object.Fields()
	fields.Set("spec", withFinalizers(fields.Get("spec"), finalizers))
	fields.Set("status", []byte(`{"phase":"`+namespaceActive+`"}`))
	return fields.Raw(), nil
}

// Validate checks the name, which becomes part of host names, and the finalizers.
func (namespaceStrategy) Validate(_ context.Context, call *engine.Call) field.ErrorList {
	var errs field.ErrorList
	name := call.Object.Name()
	for _, msg := range validation.NameIsDNSLabel(name, false) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), name, msg))
	}
	return append(errs, validateFinalizers(call.Object)...)
}

// PrepareForUpdate keeps the finalizers of the spec.
func (namespaceStrategy) PrepareForUpdate(_ context.Context, call *engine.Call) (engine.Object, error) {
	fields := call.Object.Fields()
	fields.Set("spec", call.Old.Fields().Get("spec"))
	return fields.Raw(), nil
}

// Holds tells whether somebody's finalizer is left in the spec.
func (namespaceStrategy) Holds(obj engine.Object) bool { return len(specFinalizers(obj)) > 0 }

// Terminate marks the namespace. Of the propagation policies it takes Kubernetes' own reading.
func (namespaceStrategy) Terminate(_ context.Context, call *engine.Call) (engine.Object, error) {
	obj := call.Object
	meta := obj.Meta()
	meta.SetString("deletionTimestamp", call.Request.Time.UTC().Format(time.RFC3339))
	meta.SetStrings("finalizers", terminatingFinalizers(stringsOf(obj.Get("metadata", "finalizers")), call.Options))
	status := engine.ParseFields([]byte(obj.Get("status").Raw))
	status.SetString("phase", namespaceTerminating)
	fields := obj.Fields()
	fields.Set("metadata", meta.Raw())
	fields.Set("status", status.Raw())
	return fields.Raw(), nil
}

// terminatingFinalizers are the finalizers of the garbage collector that the options ask for, behind those of others.
func terminatingFinalizers(old []string, options engine.Object) []string {
	orphan, policy := options.Get("orphanDependents"), options.Get("propagationPolicy").Str
	wanted := func(finalizer string, byOrphan bool, byPolicy metav1.DeletionPropagation) bool {
		switch {
		case orphan.Exists():
			return orphan.Bool() == byOrphan
		case policy != "":
			return policy == string(byPolicy)
		}
		return slices.Contains(old, finalizer)
	}
	kept := slices.DeleteFunc(slices.Clone(old), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if wanted(metav1.FinalizerOrphanDependents, true, metav1.DeletePropagationOrphan) {
		kept = append(kept, metav1.FinalizerOrphanDependents)
	}
	if wanted(metav1.FinalizerDeleteDependents, false, metav1.DeletePropagationForeground) {
		kept = append(kept, metav1.FinalizerDeleteDependents)
	}
	return kept
}

// namespaceStatusStrategy keeps the phase true to the deletion.
type namespaceStatusStrategy struct{}

// ValidateUpdate checks the phase.
func (namespaceStatusStrategy) ValidateUpdate(_ context.Context, call *engine.Call) field.ErrorList {
	phase := call.Object.Get("status", "phase").Str
	path := field.NewPath("status", "Phase")
	switch deleting := call.Object.Deleting(); {
	case !deleting && phase != namespaceActive:
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")}
	case deleting && phase != namespaceTerminating:
		return field.ErrorList{field.Invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")}
	}
	return nil
}

// namespaceFinalizeStrategy is the one way to change spec.finalizers.
type namespaceFinalizeStrategy struct{}

// PrepareForUpdate keeps the status.
func (namespaceFinalizeStrategy) PrepareForUpdate(_ context.Context, call *engine.Call) (engine.Object, error) {
	fields := call.Object.Fields()
	fields.Set("status", call.Old.Fields().Get("status"))
	return fields.Raw(), nil
}

// ValidateUpdate checks the names of the finalizers.
func (namespaceFinalizeStrategy) ValidateUpdate(_ context.Context, call *engine.Call) field.ErrorList {
	return validateFinalizers(call.Object)
}

// standardFinalizers are the names that need no domain in front.
var standardFinalizers = []string{kubernetesFinalizer, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}

func validateFinalizers(obj engine.Object) (errs field.ErrorList) {
	path := field.NewPath("spec", "finalizers")
	for i, name := range specFinalizers(obj) {
		errs = append(errs, validation.ValidateFinalizerName(name, path.Index(i))...)
		if !strings.Contains(name, "/") && !slices.Contains(standardFinalizers, name) {
			errs = append(errs, field.Invalid(path.Index(i), name, "name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

func specFinalizers(obj engine.Object) []string { return stringsOf(obj.Get("spec", "finalizers")) }

// withFinalizers is a namespace's spec with other finalizers.
func withFinalizers(spec []byte, finalizers []string) []byte {
	fields := engine.ParseFields(spec)
	fields.SetStrings("finalizers", finalizers)
	return fields.Raw()
}

func stringsOf(list gjson.Result) (out []string) {
	for _, item := range list.Array() {
		out = append(out, item.String())
	}
	return out
}
