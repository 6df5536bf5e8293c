// Command greetings is the Go twin of the strategy plugins beside this folder: what it does in a few lines with the
// SDK, they do in other languages with host/ABI.md alone.
package main

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func init() {
	sdk.Register(sdk.Plugin{
		Name: "greetings-go", Version: "1.0.0",
		Resources: []sdk.Resource{{
			Group: "example.org", Resource: "greetings", Kind: "Greeting",
			Versions: []sdk.Version{{Name: "v1", Columns: []sdk.Column{
				{Name: "Message", Type: "string", JSONPath: ".spec.message"},
				{Name: "Language", Type: "string", JSONPath: ".spec.language"},
			}}},
			Strategy:     strategy{},
			Subresources: []sdk.Subresource{{Name: "status"}},
		}},
	})
}

// main is never run: a plugin only answers calls.
func main() {}

var languages = []string{"de", "en", "fr"}

// maxMessage is how many bytes a message may have.
const maxMessage = 80

// strategy is what makes a Greeting a Greeting.
type strategy struct{}

// Default says a greeting once, in English.
func (strategy) Default(_ *sdk.Context, obj *sdk.Object) {
	obj.SetDefault("en", "spec", "language")
	obj.SetDefault(1, "spec", "times")
}

// PrepareForCreate drops the status: it is written through its subresource alone.
func (strategy) PrepareForCreate(_ *sdk.Context, obj *sdk.Object) { obj.Delete("status") }

// Validate checks a new Greeting.
func (strategy) Validate(_ *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	spec, path := obj.Get("spec"), field.NewPath("spec")
	switch message := spec.Get("message").String(); {
	case message == "":
		errs = append(errs, field.Required(path.Child("message"), ""))
	case len(message) > maxMessage:
		errs = append(errs, field.TooLong(path.Child("message"), nil, maxMessage))
	}
	if times := spec.Get("times").Int(); times < 1 || times > 10 {
		errs = append(errs, field.Invalid(path.Child("times"), times, validate.InclusiveRangeError(1, 10)))
	}
	language := spec.Get("language").String()
	for _, known := range languages {
		if strings.ToLower(language) == known {
			return errs
		}
	}
	return append(errs, field.NotSupported(path.Child("language"), language, languages))
}

// ValidateUpdate checks a changed Greeting, which stays in its language.
func (s strategy) ValidateUpdate(ctx *sdk.Context, obj, old *sdk.Object) field.ErrorList {
	was, is := old.Get("spec", "language"), obj.Get("spec", "language")
	errs := s.Validate(ctx, obj)
	if strings.ToLower(is.String()) != was.String() {
		errs = append(errs, field.Invalid(field.NewPath("spec", "language"), is, "field is immutable"))
	}
	return errs
}

// WarningsOnCreate warns of shouting.
func (strategy) WarningsOnCreate(_ *sdk.Context, obj *sdk.Object) []string {
	if strings.HasSuffix(obj.Get("spec", "message").String(), "!!") {
		return []string{"spec.message: there is no need to shout"}
	}
	return nil
}

// WarningsOnUpdate warns as WarningsOnCreate does.
func (s strategy) WarningsOnUpdate(ctx *sdk.Context, obj, _ *sdk.Object) []string {
	return s.WarningsOnCreate(ctx, obj)
}

// Canonicalize writes the language in lower case.
func (strategy) Canonicalize(_ *sdk.Context, obj *sdk.Object) {
	if language := obj.Get("spec", "language").String(); language != strings.ToLower(language) {
		obj.Set(strings.ToLower(language), "spec", "language")
	}
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
)
