// Command widgets is the strategy plugin behind the speed comparison with Kubernetes' own CRD server: the Widget of
// its load generator, with the schema that its CRD has and four hooks for each create and update.
package main

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

func init() {
	sdk.Register(sdk.Plugin{
		Name: "widgets", Version: "1.0.0",
		// It keeps nothing, so it may ask; a server resets after every call all the same, unless it is told otherwise.
		Reset: &sdk.Reset{Every: 64, OnGrowth: true, BetweenNamespaces: true},
		Resources: []sdk.Resource{{
			Group: "load.example.com", Resource: "widgets", Kind: "Widget",
			Versions: []sdk.Version{{Name: "v1", Columns: []sdk.Column{
				{Name: "Replicas", Type: "integer", JSONPath: ".spec.replicas"},
				{Name: "Phase", Type: "string", JSONPath: ".status.phase"},
			}}},
			Strategy:     strategy{},
			Subresources: []sdk.Subresource{{Name: "status"}},
		}},
	})
}

// main is never run: a plugin only answers calls.
func main() {}

// strategy has the four hooks of a create and those of an update.
type strategy struct{}

func (strategy) GenerationOnSpecChange() bool { return true }
func (strategy) ValidateSchema() bool         { return true }

// PrepareForCreate marks who prepared the Widget.
func (strategy) PrepareForCreate(_ *sdk.Context, obj *sdk.Object) { prepare(obj) }

// PrepareForUpdate does as PrepareForCreate.
func (strategy) PrepareForUpdate(_ *sdk.Context, obj, _ *sdk.Object) { prepare(obj) }

func prepare(obj *sdk.Object) {
	if !obj.Get("metadata", "labels", "prepared").Exists() {
		obj.Set("true", "metadata", "labels", "prepared")
	}
}

// Validate wants ports to have different numbers, which no schema can say.
func (strategy) Validate(_ *sdk.Context, obj *sdk.Object) field.ErrorList { return validatePorts(obj) }

// ValidateUpdate does as Validate.
func (strategy) ValidateUpdate(_ *sdk.Context, obj, _ *sdk.Object) field.ErrorList {
	return validatePorts(obj)
}

func validatePorts(obj *sdk.Object) (errs field.ErrorList) {
	seen := map[int64]bool{}
	for i, port := range obj.Get("spec", "ports").Items() {
		number := port.Get("port").Int()
		if seen[number] {
			errs = append(errs, field.Duplicate(field.NewPath("spec", "ports").Index(i).Child("port"), number))
		}
		seen[number] = true
	}
	return errs
}

// WarningsOnCreate warns of images that may change under their tag.
func (strategy) WarningsOnCreate(_ *sdk.Context, obj *sdk.Object) []string { return warnings(obj) }

// WarningsOnUpdate does as WarningsOnCreate.
func (strategy) WarningsOnUpdate(_ *sdk.Context, obj, _ *sdk.Object) []string { return warnings(obj) }

func warnings(obj *sdk.Object) []string {
	if strings.HasSuffix(obj.Get("spec", "image").String(), ":latest") {
		return []string{"spec.image: the tag latest may change"}
	}
	return nil
}

// Canonicalize writes the owner in lower case.
func (strategy) Canonicalize(_ *sdk.Context, obj *sdk.Object) {
	if owner := obj.Get("spec", "owner").String(); owner != strings.ToLower(owner) {
		obj.Set(strings.ToLower(owner), "spec", "owner")
	}
}
