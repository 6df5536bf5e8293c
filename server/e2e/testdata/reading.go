// Command reading is a plugin whose Parcels look at other objects: at the ConfigMap that they name, at their own kind, and at
// the namespaces. The tests lay this file over plugins/crontabs/main.go.
package main

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

func init() {
	sdk.Register(sdk.Plugin{Name: "reading", Version: "1.0.0", Resources: []sdk.Resource{{
		Group: "reads.test", Resource: "parcels", Kind: "Parcel", Versions: []sdk.Version{{Name: "v1"}}, Strategy: parcel{},
	}}})
}

func main() {}

type parcel struct{}

// Validate wants the ConfigMap spec.rules in spec.from, or in the parcel's namespace, and no more parcels of a sender than that allows.
func (parcel) Validate(ctx *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	from := obj.Get("spec", "from").String()
	if from == "" {
		from = ctx.Namespace
	}
	rules, err := ctx.Get(sdk.Ref{Resource: "configmaps", Namespace: from, Name: obj.Get("spec", "rules").String()})
	if err != nil {
		return append(errs, field.Invalid(spec.Child("rules"), obj.Get("spec", "rules").String(), err.Error()))
	}
	sender := obj.Label("sender")
	parcels, err := ctx.List(sdk.Selection{Group: "reads.test", Resource: "parcels", Namespace: ctx.Namespace, LabelSelector: "sender=" + sender})
	if err != nil {
		ctx.Fail(err)
		return nil
	}
	if most := rules.Get("data", "most").String(); strconv.Itoa(len(parcels.Objects)) >= most {
		errs = append(errs, field.Forbidden(spec, sender+" has "+strconv.Itoa(len(parcels.Objects))+" of "+most+" parcels"))
	}
	return errs
}

// WarningsOnCreate tells how many namespaces there are, where it may know.
func (parcel) WarningsOnCreate(ctx *sdk.Context, _ *sdk.Object) []string {
	namespaces, err := ctx.List(sdk.Selection{Resource: "namespaces", LabelSelector: "parcels=yes"})
	if err != nil {
		return []string{err.Error()}
	}
	return []string{strconv.Itoa(len(namespaces.Objects)) + " namespaces take parcels"}
}
