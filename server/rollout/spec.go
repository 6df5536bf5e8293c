package rollout

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Mode is how a revision is tried.
type Mode string

// The modes.
const (
	// Shadow has the revision make requests again that have been answered; what it comes to is compared and thrown away.
	Shadow Mode = "Shadow"
	// Canary has the revision answer.
	Canary Mode = "Canary"
)

// Spec is what an operator asks for.
//
//   - The requests are those in the namespaces that the selector selects, all without one, and of these Percent.
type Spec struct {
	// Revision is the one that is tried beside the active one.
	Revision int64 `json:"revision"`
	Mode     Mode  `json:"mode"`
	// Percent of the requests, by name: see Trial.Chooses. nil is all for a Shadow, and for a Canary with a selector.
	Percent *int32 `json:"percent,omitempty"`
	// NamespaceSelector selects by the labels of namespaces.
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// MaxErrorPercent is how many of the last MinRequests requests that a server had the canary answer may fail in the plugin
	// before the canary ends by itself: nil is DefaultMaxErrorPercent, 100 never ends it.
	MaxErrorPercent *int32 `json:"maxErrorPercent,omitempty"`
	// MinRequests is how many requests are judged together: nil is DefaultMinRequests.
	MinRequests *int32 `json:"minRequests,omitempty"`
}

// What a Spec leaves out.
const (
	DefaultMaxErrorPercent = 5
	DefaultMinRequests     = 20
)

// The bounds of a Spec.
const (
	maxPercent     = 100
	maxMinRequests = 1000
)

// Share is the percentage of the selected requests.
func (s *Spec) Share() int32 { return valueOr(s.Percent, maxPercent) }

func valueOr(value *int32, otherwise int32) int32 {
	if value == nil {
		return otherwise
	}
	return *value
}

// Validate finds what is wrong with a Spec that stands at path.
func (s *Spec) Validate(path *field.Path) (errs field.ErrorList) {
	if s.Revision < 1 {
		errs = append(errs, field.Invalid(path.Child("revision"), s.Revision, "must be the number of a revision"))
	}
	switch s.Mode {
	case Shadow, Canary:
	case "":
		errs = append(errs, field.Required(path.Child("mode"), ""))
	default:
		errs = append(errs, field.NotSupported(path.Child("mode"), s.Mode, []Mode{Shadow, Canary}))
	}
	errs = append(errs, between(s.Percent, 1, maxPercent, path.Child("percent"))...)
	if s.Mode == Canary && s.Percent == nil && s.NamespaceSelector == nil {
		errs = append(errs, field.Required(path.Child("percent"), "a canary needs a percentage, or a namespaceSelector, or both"))
	}
	if s.NamespaceSelector != nil {
		errs = append(errs, validation.ValidateLabelSelector(s.NamespaceSelector, validation.LabelSelectorValidationOptions{}, path.Child("namespaceSelector"))...)
	}
	if s.Mode == Shadow {
		for name, value := range map[string]*int32{"maxErrorPercent": s.MaxErrorPercent, "minRequests": s.MinRequests} {
			if value != nil {
				errs = append(errs, field.Forbidden(path.Child(name), "a shadow answers nothing, so nothing ends it"))
			}
		}
		return errs
	}
	errs = append(errs, between(s.MaxErrorPercent, 0, maxPercent, path.Child("maxErrorPercent"))...)
	return append(errs, between(s.MinRequests, 1, maxMinRequests, path.Child("minRequests"))...)
}

func between(value *int32, least, most int32, path *field.Path) field.ErrorList {
	if value == nil || *value >= least && *value <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, validationBetween(least, most))}
}

func validationBetween(least, most int32) string {
	return fmt.Sprintf("must be between %d and %d, inclusive", least, most)
}
