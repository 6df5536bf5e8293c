package main

import (
	"cmp"
	"encoding/base64"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// Secret is the life of a Secret.
type Secret struct{}

// Default makes the type Opaque where none is given, and folds stringData, which is never stored, into data.
func (Secret) Default(_ *sdk.Context, secret *sdk.Object) {
	secret.Set(typeOf(secret), "type")
	canonicalBytes(secret, "data")
	for key, value := range secret.Get("stringData").Fields() {
		secret.SetRaw(`"`+base64.StdEncoding.EncodeToString([]byte(value.String()))+`"`, "data", key)
	}
	secret.Delete("stringData")
}

// Validate is Kubernetes' ValidateSecret.
func (Secret) Validate(_ *sdk.Context, secret *sdk.Object) field.ErrorList {
	at := field.NewPath("data")
	size, errs := validateBytes(secret.Get("data"), at)
	if size > maxBytes {
		errs = append(errs, field.TooLong(at, nil, maxBytes))
	}
	return append(errs, validateType(secret, at)...)
}

// ValidateUpdate is Kubernetes' ValidateSecretUpdate.
func (s Secret) ValidateUpdate(ctx *sdk.Context, secret, old *sdk.Object) field.ErrorList {
	var errs field.ErrorList
	if kind := typeOf(secret); kind != typeOf(old) {
		errs = append(errs, field.Invalid(field.NewPath("type"), kind, validate.FieldImmutableErrorMsg))
	}
	errs = append(errs, validateImmutable(secret, old, "data")...)
	return append(errs, s.Validate(ctx, secret)...)
}

// typeOf is a secret's type.
func typeOf(secret *sdk.Object) string { return cmp.Or(secret.Get("type").String(), typeOpaque) }

// WarningsOnCreate tells of a TLS secret that holds no PEM.
func (Secret) WarningsOnCreate(_ *sdk.Context, secret *sdk.Object) []string {
	return tlsWarnings(secret)
}

// WarningsOnUpdate tells of a TLS secret that holds no PEM.
func (Secret) WarningsOnUpdate(_ *sdk.Context, secret, _ *sdk.Object) []string {
	return tlsWarnings(secret)
}

// AllowUnconditionalUpdate is true for Secrets.
func (Secret) AllowUnconditionalUpdate() bool { return true }

var secretColumns = []sdk.Column{
	nameColumn,
	{Name: "Type", Type: "string", JSONPath: ".type", Description: "What the data is for."},
	{Name: "Data", Type: "string", Description: "How many entries data has."},
	ageColumn,
}

// ConvertToTable counts the entries.
func (Secret) ConvertToTable(_ *sdk.Context, secrets []*sdk.Object) (rows [][]sdk.Cell) {
	for _, secret := range secrets {
		rows = append(rows, []sdk.Cell{secret.Get("data").Len()})
	}
	return rows
}

var (
	_ sdk.Defaulter                  = Secret{}
	_ sdk.Validator                  = Secret{}
	_ sdk.CreateWarner               = Secret{}
	_ sdk.UpdateValidator            = Secret{}
	_ sdk.UpdateWarner               = Secret{}
	_ sdk.UnconditionalUpdateAllower = Secret{}
	_ sdk.TableConvertor             = Secret{}
)
