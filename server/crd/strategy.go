package crd

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// Finalizer keeps a definition until its custom resources are gone.
const Finalizer = apiextensions.CustomResourceCleanupFinalizer

// strategy is what makes a definition one.
type strategy struct{}

// Default completes the definition, and drops what its types do not know.
func (strategy) Default(_ context.Context, call *engine.Call) (engine.Object, error) {
	return edit(call.Object, func(*apiextensions.CustomResourceDefinition) {})
}

// PrepareForCreate makes the status that of a new definition.
func (strategy) PrepareForCreate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return edit(call.Object, func(in *apiextensions.CustomResourceDefinition) {
		in.Status = apiextensions.CustomResourceDefinitionStatus{}
		noteStored(in)
	})
}

// PrepareForUpdate notes in the status which version objects are stored in from now on.
func (strategy) PrepareForUpdate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return edit(call.Object, noteStored)
}

// noteStored adds the storage version to the versions that objects may be stored in.
func noteStored(in *apiextensions.CustomResourceDefinition) {
	for _, v := range in.Spec.Versions {
		if v.Storage {
			if !apiextensions.IsStoredVersion(in, v.Name) {
				in.Status.StoredVersions = append(in.Status.StoredVersions, v.Name)
			}
			return
		}
	}
}

// Validate is Kubernetes' own validation.
func (strategy) Validate(ctx context.Context, call *engine.Call) field.ErrorList {
	in, err := internal(call.Object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	return validation.ValidateCustomResourceDefinition(ctx, in)
}

// ValidateUpdate is Kubernetes' own validation, without what the engine says of metadata.
func (strategy) ValidateUpdate(ctx context.Context, call *engine.Call) field.ErrorList {
	return validateUpdate(ctx, call, validation.ValidateCustomResourceDefinitionUpdate)
}

func validateUpdate(ctx context.Context, call *engine.Call, validate func(context.Context, *apiextensions.CustomResourceDefinition, *apiextensions.CustomResourceDefinition) field.ErrorList) field.ErrorList {
	in, err := internal(call.Object)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	old, err := internal(call.Old)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	in.ResourceVersion, old.ResourceVersion = "1", "1" // hooks do not get to see it
	return slices.DeleteFunc(validate(ctx, in, old), func(e *field.Error) bool {
		return strings.HasPrefix(e.Field, "metadata.") && !strings.Contains(e.Field, "api-approved.kubernetes.io")
	})
}

// WarningsOnCreate names what is taken and has no effect.
func (strategy) WarningsOnCreate(_ context.Context, call *engine.Call) []string {
	in, err := internal(call.Object)
	if err != nil {
		return nil
	}
	return warnings(in)
}

// WarningsOnUpdate names what the update has brought of that kind.
func (strategy) WarningsOnUpdate(_ context.Context, call *engine.Call) []string {
	in, err := internal(call.Object)
	if err != nil {
		return nil
	}
	old, err := internal(call.Old)
	if err != nil {
		return nil
	}
	had := warnings(old)
	return slices.DeleteFunc(warnings(in), func(text string) bool { return slices.Contains(had, text) })
}

// Holds tells that a definition goes by way of Terminate, and stays while somebody's finalizer is on it.
func (strategy) Holds(obj engine.Object) bool {
	return !obj.Deleting() || len(obj.Get("metadata", "finalizers").Array()) > 0
}

// Terminate marks the definition and puts the finalizer on that keeps it until its objects are gone.
func (strategy) Terminate(_ context.Context, call *engine.Call) (engine.Object, error) {
	meta := call.Object.Meta()
	meta.SetString("deletionTimestamp", call.Request.Time.UTC().Format(time.RFC3339))
	var finalizers []string
	for _, f := range call.Object.Get("metadata", "finalizers").Array() {
		finalizers = append(finalizers, f.String())
	}
	if !slices.Contains(finalizers, Finalizer) {
		finalizers = append(finalizers, Finalizer)
	}
	meta.SetStrings("finalizers", finalizers)
	return edit(call.Object.WithMeta(meta), func(in *apiextensions.CustomResourceDefinition) {
		apiextensions.SetCRDCondition(in, apiextensions.CustomResourceDefinitionCondition{
			Type: apiextensions.Terminating, Status: apiextensions.ConditionTrue, Reason: "InstanceDeletionPending",
			Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
		})
	})
}

// ConvertToTable gives the cells as Kubernetes prints them.
func (strategy) ConvertToTable(_ context.Context, call *engine.Call) [][]any {
	rows := make([][]any, len(call.Items))
	for i, item := range call.Items {
		in, err := internal(item)
		if err != nil {
			rows[i] = []any{"", "", "", "", "", "", false}
			continue
		}
		var served []string
		for _, v := range in.Spec.Versions {
			if label := v.Name; v.Served {
				if v.Storage {
					label += "(storage)"
				}
				served = append(served, label)
			}
		}
		sort.Strings(served)
		rows[i] = []any{
			string(in.Spec.Scope), strings.Join(served, ","), in.CreationTimestamp.UTC().Format(time.RFC3339), in.Spec.Group, in.Spec.Names.Kind,
			strings.Join(in.Spec.Names.ShortNames, ","), apiextensions.IsCRDConditionTrue(in, apiextensions.Established),
		}
	}
	return rows
}

// statusStrategy takes what controllers and storage migrations write into the status.
type statusStrategy struct{}

// PrepareForUpdate brings the status into the form of its types.
func (statusStrategy) PrepareForUpdate(_ context.Context, call *engine.Call) (engine.Object, error) {
	return edit(call.Object, func(*apiextensions.CustomResourceDefinition) {})
}

// ValidateUpdate is Kubernetes' own validation.
func (statusStrategy) ValidateUpdate(ctx context.Context, call *engine.Call) field.ErrorList {
	return validateUpdate(ctx, call, validation.ValidateUpdateCustomResourceDefinitionStatus)
}
