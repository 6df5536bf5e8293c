package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// fieldPath is a path for field errors; nil for the object itself, as custom resources have it.
func fieldPath(at *frame) *field.Path {
	if at == nil {
		return nil
	}
	return field.NewPath(at.String())
}

// invalid reports a value with the sentence "<path> in body <what>".
func (v *validator) invalid(at *frame, value any, format string, args ...any) {
	v.report(field.Invalid(fieldPath(at), value, at.String()+" in body "+fmt.Sprintf(format, args...)))
}

func (v *validator) checkText(r *rules, at *frame) error {
	start := v.pos
	if err := v.text(); err != nil {
		return err
	}
	if r.minLength == nil && r.maxLength == nil && r.pattern == nil && r.format == "" {
		return nil
	}
	text := v.in[start+1 : v.pos-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(jsontext.Unquote(text))
	}
	if err := v.burn(len(text) * r.patternCost); err != nil {
		return err
	}
	switch length := int64(utf8.RuneCount(text)); {
	case r.maxLength != nil && length > *r.maxLength:
		v.report(field.TooLong(fieldPath(at), "", int(*r.maxLength)))
	case r.minLength != nil && length < *r.minLength:
		v.invalid(at, string(text), "should be at least %d chars long", *r.minLength)
	case r.pattern != nil && !r.pattern.Match(text):
		v.invalid(at, string(text), "should match '%s'", r.pattern)
	}
	if r.format != "" && !hasFormat(r.format, text) {
		detail := fmt.Sprintf("%s in body must be of type %s: %q", at.String(), r.format, text)
		v.report(field.TypeInvalid(fieldPath(at), string(text), detail))
	}
	return nil
}

func (v *validator) checkNumber(r *rules, at *frame) error {
	text, err := v.number()
	if err != nil || r.minimum == nil && r.maximum == nil && r.multipleOf == nil {
		return err
	}
	value := number(text)
	if m := r.multipleOf; m != nil && !isMultiple(value, *m) {
		v.invalid(at, value, "should be a multiple of %v", *m)
	}
	if b := r.minimum; b != nil && b.refuses(compare(value, b.value)) {
		v.invalid(at, value, "should be greater than %s%s", orEqual(b), b)
	}
	if b := r.maximum; b != nil && b.refuses(-compare(value, b.value)) {
		v.invalid(at, value, "should be less than %s%s", orEqual(b), b)
	}
	return nil
}

// number is what a JSON number is in Go, as Kubernetes decodes it: an int64, or else a float64.
func number(text []byte) any {
	if i, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(string(text), 64)
	return f
}

// compare orders a number and a limit.
func compare(value any, limit float64) int {
	i, isInt := value.(int64)
	if !isInt {
		f, _ := value.(float64)
		switch {
		case f < limit:
			return -1
		case f > limit:
			return 1
		}
		return 0
	}
	switch { // without the loss that float64(i) may bring
	case limit >= 1<<63:
		return -1
	case limit < -1<<63:
		return 1
	}
	switch whole := math.Floor(limit); {
	case i < int64(whole):
		return -1
	case i > int64(whole):
		return 1
	case limit > whole:
		return -1
	}
	return 0
}

// refuses tells whether a value is refused that stands to a minimum as cmp says.
func (b *bound) refuses(cmp int) bool { return cmp < 0 || cmp == 0 && b.exclusive }

func orEqual(b *bound) string {
	if b.exclusive {
		return ""
	}
	return "or equal to "
}

// String is the limit as Kubernetes prints it: whole numbers in full.
func (b *bound) String() string {
	if b.value == math.Trunc(b.value) && math.Abs(b.value) < 1<<63 {
		return strconv.FormatInt(int64(b.value), 10)
	}
	return fmt.Sprint(b.value)
}

func isMultiple(value any, factor float64) bool {
	i, isInt := value.(int64)
	if isInt && factor == math.Trunc(factor) && factor < 1<<63 {
		return i%int64(factor) == 0
	}
	f, _ := value.(float64)
	if isInt {
		f = float64(i)
	}
	quotient := f / factor
	if factor < 1 {
		quotient = 1 / factor * f
	}
	return math.Abs(quotient-math.Round(quotient)) < 1e-9*max(1, math.Abs(quotient))
}

// checkEnum checks that a value is one of those that are taken. A null never is: so it is in Kubernetes.
func (v *validator) checkEnum(r *rules, raw []byte, at *frame) {
	for i := range r.enum {
		if string(raw) != "null" && (bytes.Equal(r.enum[i].raw, raw) || sameNumber(r.enum[i].raw, raw)) {
			return
		}
	}
	texts := make([]string, len(r.enum))
	for i := range r.enum {
		texts[i] = r.enum[i].text
	}
	v.report(field.NotSupported(fieldPath(at), badValue(raw), texts))
}

// sameNumber tells whether two values are the same number in other digits: 1 and 1.0.
func sameNumber(a, b []byte) bool {
	if !isNumber(a) || !isNumber(b) || isDigits(a) && isDigits(b) {
		return false
	}
	x, _ := strconv.ParseFloat(string(a), 64)
	y, _ := strconv.ParseFloat(string(b), 64)
	return x == y
}

func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// badValue is a value as field errors show it.
func badValue(raw []byte) any {
	switch {
	case isNumber(raw):
		return number(raw)
	case len(raw) > 1 && raw[0] == '"':
		return jsontext.Unquote(raw[1 : len(raw)-1])
	case string(raw) == "true", string(raw) == "false":
		return raw[0] == 't'
	}
	return json.RawMessage(bytes.Clone(raw))
}
