// Package labels matches and checks label selectors.
package labels

import (
	"slices"
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// The operators of a selector's expressions.
const (
	In           = "In"
	NotIn        = "NotIn"
	Exists       = "Exists"
	DoesNotExist = "DoesNotExist"
)

// Selector is a parsed LabelSelector. The zero Selector matches nothing.
type Selector struct {
	all          bool // of the requirements must hold
	requirements []requirement
}

type requirement struct {
	key, operator string
	values        []string
}

// Parse reads a metav1.LabelSelector: matchLabels and matchExpressions. An absent selector matches
// nothing, an empty one everything. It fails on an unknown operator; Validate says what else is wrong.
func Parse(selector sdk.Value) (Selector, error) {
	if selector.IsNull() {
		return Selector{}, nil
	}
	s := Selector{all: true}
	for key, value := range selector.Get("matchLabels").Fields() {
		s.requirements = append(s.requirements, requirement{key, In, []string{value.String()}})
	}
	for _, e := range selector.Get("matchExpressions").Items() {
		r := requirement{e.Get("key").String(), e.Get("operator").String(), e.Get("values").Strings()}
		switch r.operator {
		case In, NotIn, Exists, DoesNotExist:
			s.requirements = append(s.requirements, r)
		default:
			return Selector{}, &OperatorError{r.operator}
		}
	}
	return s, nil
}

// OperatorError reports an operator that does not exist.
type OperatorError struct{ Operator string }

func (e *OperatorError) Error() string {
	return strconv.Quote(e.Operator) + " is not a valid label selector operator"
}

// Matches tells whether the labels fulfil every requirement.
func (s Selector) Matches(labels map[string]string) bool {
	if !s.all {
		return false
	}
	for _, r := range s.requirements {
		if !r.matches(labels) {
			return false
		}
	}
	return true
}

// Empty tells whether the selector matches everything.
func (s Selector) Empty() bool { return s.all && len(s.requirements) == 0 }

func (r requirement) matches(labels map[string]string) bool {
	value, exists := labels[r.key]
	switch r.operator {
	case In:
		return exists && slices.Contains(r.values, value)
	case NotIn:
		return !exists || !slices.Contains(r.values, value)
	case Exists:
		return exists
	}
	return !exists
}

// Validate tells what is wrong with a metav1.LabelSelector.
func Validate(selector sdk.Value, path *field.Path) (errs field.ErrorList) {
	errs = validate.Labels(selector.Get("matchLabels").StringMap(), path.Child("matchLabels"))
	expressions := path.Child("matchExpressions")
	for i, e := range selector.Get("matchExpressions").Items() {
		errs = append(errs, validateRequirement(e, expressions.Index(i))...)
	}
	return errs
}

func validateRequirement(e sdk.Value, path *field.Path) (errs field.ErrorList) {
	values := e.Get("values").Strings()
	switch operator := e.Get("operator").String(); operator {
	case In, NotIn:
		if len(values) == 0 {
			errs = append(errs, field.Required(path.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case Exists, DoesNotExist:
		if len(values) > 0 {
			errs = append(errs, field.Forbidden(path.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	default:
		errs = append(errs, field.Invalid(path.Child("operator"), operator, "not a valid selector operator"))
	}
	errs = append(errs, validate.LabelName(e.Get("key").String(), path.Child("key"))...)
	for i, value := range values {
		for _, msg := range validate.IsValidLabelValue(value) {
			errs = append(errs, field.Invalid(path.Child("values").Index(i), value, msg))
		}
	}
	return errs
}
