package part

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// Reading is a strategy that looks at other objects.
type Reading struct{}

// Validate reads what spec.get and spec.list say, spec.times times, and answers with field errors that tell what it found.
func (Reading) Validate(ctx *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	found := func(text string) { errs = append(errs, field.Forbidden(field.NewPath("found"), text)) }
	for range max(1, obj.Get("spec", "times").Int()) {
		errs = nil
		if name := obj.Get("spec", "get").String(); name != "" {
			other, err := ctx.Get(sdk.Ref{Group: "abi.example", Resource: "parts", Namespace: ctx.Namespace, Name: name})
			if err != nil {
				found(err.Error())
			} else {
				found(other.Raw())
			}
		}
		if selector := obj.Get("spec", "list"); selector.Exists() {
			selected, err := ctx.List(sdk.Selection{
				Group: "abi.example", Resource: "parts", Namespace: ctx.Namespace, LabelSelector: selector.String(), Limit: int(obj.Get("spec", "limit").Int()),
			})
			if err != nil {
				found(err.Error())
			} else {
				found(strconv.Itoa(len(selected.Objects)) + " at " + selected.ResourceVersion + ", more: " + strconv.FormatBool(selected.More))
			}
		}
	}
	return errs
}

var _ sdk.Validator = Reading{}
