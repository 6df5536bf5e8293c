package schema

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// combined tells whether the value has to be looked at several times.
func (r *rules) combined() bool {
	return r.allOf != nil || r.anyOf != nil || r.oneOf != nil || r.not != nil
}

// junctors checks the value at hand against allOf, anyOf, oneOf and not, and stays before it.
func (v *validator) junctors(r *rules, at *frame) error {
	if err := v.anyOf(r.anyOf, at); err != nil {
		return err
	}
	if err := v.oneOf(r.oneOf, at); err != nil {
		return err
	}
	if err := v.allOf(r.allOf, at); err != nil {
		return err
	}
	if r.not == nil {
		return nil
	}
	errs, err := v.try(r.not, at)
	if err == nil && len(errs) == 0 {
		v.combination(at, "must not validate the schema (not)")
	}
	return err
}

// try returns what a part finds, and stays before the value.
func (v *validator) try(part *node, at *frame) (field.ErrorList, error) {
	start, depth, outer := v.pos, v.depth, v.errs
	v.errs = nil
	err := v.value(part, at)
	found, looks := v.errs, v.pos-start
	v.pos, v.depth, v.errs = start, depth, outer
	if err != nil {
		return nil, err
	}
	return found, v.burn(looks + 1)
}

func (v *validator) anyOf(parts []*node, at *frame) error {
	var best field.ErrorList
	for i, part := range parts {
		errs, err := v.try(part, at)
		if err != nil || len(errs) == 0 {
			return err
		}
		if i == 0 || len(errs) < len(best) {
			best = errs
		}
	}
	if len(parts) > 0 {
		v.combination(at, "must validate at least one schema (anyOf)")
		v.merge(best)
	}
	return nil
}

func (v *validator) oneOf(parts []*node, at *frame) error {
	var best field.ErrorList
	valid := 0
	for i, part := range parts {
		errs, err := v.try(part, at)
		if err != nil {
			return err
		}
		if len(errs) == 0 {
			valid++
		}
		if i == 0 || len(errs) < len(best) {
			best = errs
		}
	}
	switch {
	case len(parts) == 0 || valid == 1:
	case valid == 0:
		v.combination(at, "must validate one and only one schema (oneOf). Found none valid")
		v.merge(best)
	default:
		v.combination(at, "must validate one and only one schema (oneOf). Found %d valid alternatives", valid)
	}
	return nil
}

func (v *validator) allOf(parts []*node, at *frame) error {
	valid := 0
	for _, part := range parts {
		errs, err := v.try(part, at)
		if err != nil {
			return err
		}
		if len(errs) == 0 {
			valid++
		}
		v.merge(errs)
	}
	switch {
	case valid == len(parts):
	case valid == 0:
		v.combination(at, "must validate all the schemas (allOf). None validated")
	default:
		v.combination(at, "must validate all the schemas (allOf)")
	}
	return nil
}

// combination reports a combination that does not hold. As in Kubernetes the path stands in the text only.
func (v *validator) combination(at *frame, format string, args ...any) {
	v.report(field.Invalid(nil, "", fmt.Sprintf("%q ", at.String())+fmt.Sprintf(format, args...)))
}

// merge reports the errors of a part. The rules around it may find them as well, see distinct.
func (v *validator) merge(errs field.ErrorList) {
	for _, err := range errs {
		v.merged = true
		v.report(err)
	}
}

// distinct is the errors without repetitions.
func (v *validator) distinct() field.ErrorList {
	if !v.merged {
		return v.errs
	}
	seen := make(map[string]bool, len(v.errs))
	return slices.DeleteFunc(v.errs, func(err *field.Error) bool {
		text := err.Error()
		again := seen[text]
		seen[text] = true
		return again
	})
}

// kind checks the type inside allOf, anyOf, oneOf and not. A value of another type is reported and passed over.
func (v *validator) kind(r *rules, at *frame) (fits bool, err error) {
	if r.kinds == 0 {
		return true, nil
	}
	found, name := objectKind, "object"
	switch c := v.peek(); {
	case c == '[':
		found, name = arrayKind, "array"
	case c == '"':
		found, name = stringKind, "string"
	case c == 't' || c == 'f':
		found, name = booleanKind, "boolean"
	case c == '-' || c >= '0' && c <= '9':
		start := v.pos
		text, err := v.number()
		if err != nil {
			return false, err
		}
		v.pos = start
		if found, name = numberKind, "number"; isInteger(text, 0) {
			found, name = integerKind|numberKind, "integer"
		}
	}
	if r.kinds&found != 0 {
		return true, nil
	}
	v.wrongType(r.kinds, name, at)
	return false, v.skip()
}

func (v *validator) wrongType(want kinds, found string, at *frame) {
	var names []string
	for _, name := range [...]string{"integer", "number", "string", "boolean", "object", "array"} {
		if want&kindNames[name] != 0 {
			names = append(names, name)
		}
	}
	detail := fmt.Sprintf("%s in body must be of type %s: %q", at.String(), strings.Join(names, ","), found)
	v.report(field.TypeInvalid(fieldPath(at), found, detail))
}
