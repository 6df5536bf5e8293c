package validate

import (
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// Nonnegative checks that a number is not below zero.
func Nonnegative(value int64, path *field.Path) field.ErrorList {
	if value < 0 {
		return field.ErrorList{field.Invalid(path, value, IsNegativeErrorMsg)}
	}
	return nil
}

// Immutable checks that a value is what it was.
func Immutable(value, old sdk.Value, path *field.Path) field.ErrorList {
	if !value.Equal(old) {
		return field.ErrorList{field.Invalid(path, value, FieldImmutableErrorMsg)}
	}
	return nil
}
