package main

import (
	"encoding/base64"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// maxBytes is what the values of a ConfigMap or a Secret may come to together.
const maxBytes = 1 << 20

// canonicalBytes writes the base64 of a map's values in one way: without line breaks, and with nothing in the bits that do
// not count.
func canonicalBytes(obj *sdk.Object, name string) {
	for key, value := range obj.Get(name).Fields() {
		if text, changed := canonicalBase64(value.String()); changed {
			obj.Set(text, name, key)
		}
	}
}

// canonicalBase64 looks at a text once: a value may have a MiB, and a hook has not so much fuel.
func canonicalBase64(text string) (_ string, changed bool) {
	size, err := validate.Base64(text)
	if err != nil {
		return text, false
	}
	if len(text) != (size+2)/3*4 {
		text, changed = strings.NewReplacer("\n", "", "\r", "").Replace(text), true
	}
	if size%3 == 0 {
		return text, changed
	}
	begin := len(text) - 4 // what bits are left over are in the last four characters
	last, err := base64.StdEncoding.DecodeString(text[begin:])
	if again := base64.StdEncoding.EncodeToString(last); err == nil && again != text[begin:] {
		return text[:begin] + again, true
	}
	return text, changed
}

// validateBytes checks keys and base64 of a map, and returns how many bytes its values have. Values are never shown.
func validateBytes(bytes sdk.Value, at *field.Path) (size int, errs field.ErrorList) {
	for key, value := range bytes.Fields() {
		errs = append(errs, validateKey(key, at)...)
		n, err := validate.Base64(value.String())
		if size += n; err != nil {
			errs = append(errs, field.Invalid(at.Key(key), redacted, err.Error()))
		}
	}
	return size, errs
}

func validateKey(key string, at *field.Path) (errs field.ErrorList) {
	for _, msg := range validate.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(at.Key(key), key, msg))
	}
	return errs
}

// validateImmutable sees to it that what is immutable stays as it was.
func validateImmutable(obj, old *sdk.Object, names ...string) (errs field.ErrorList) {
	if !old.Get("immutable").Bool() {
		return nil
	}
	const detail = "field is immutable when `immutable` is set"
	if !obj.Get("immutable").Bool() {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), detail))
	}
	for _, name := range names {
		is, was := obj.Get(name), old.Get(name)
		if !is.Equal(was) && is.Len()+was.Len() > 0 {
			errs = append(errs, field.Forbidden(field.NewPath(name), detail))
		}
	}
	return errs
}

// redacted stands where an error would show what a secret holds.
const redacted = "<secret contents redacted>"
