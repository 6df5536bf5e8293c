package explain

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/jsondiff"
)

// The kind of an Explanation, as it stands in it.
const (
	APIVersion = "stratagem.dev/v1alpha1"
	Kind       = "Explanation"
)

// Explanation is what became of a request, step by step. Nothing has been stored.
type Explanation struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Request    Request `json:"request"`
	Steps      []Step  `json:"steps"`
	Outcome    Outcome `json:"outcome"`
}

// Request is what was asked for.
type Request struct {
	Verb        string `json:"verb"`
	Group       string `json:"group,omitempty"`
	Version     string `json:"version"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
}

// Step is one hook, or what the server did before the next one.
type Step struct {
	// Name is the hook's, or Server.
	Name string `json:"name"`
	// Plugin is the plugin and its revision, "crontabs@3"; "native" for what is compiled in. The server's steps have none.
	Plugin string `json:"plugin,omitempty"`
	// Version is the version of the objects that the hook was given.
	Version string `json:"version,omitempty"`
	// Patch is what the step changed in the object, managedFields left out.
	Patch    []jsondiff.Operation `json:"patch,omitempty"`
	Errors   []metav1.StatusCause `json:"errors,omitempty"`
	Refusal  *engine.Refusal      `json:"refusal,omitempty"`
	Warnings []string             `json:"warnings,omitempty"`
	// Result is what CheckGracefulDelete, CreateSubresource or ConvertToTable answered.
	Result json.RawMessage `json:"result,omitempty"`
	// Failure is how the hook failed.
	Failure string `json:"failure,omitempty"`
	Cost    *Cost  `json:"cost,omitempty"`
}

// Server is the name of the steps that are no hooks: defaults, names, times, what an update cannot touch.
const Server = "Server"

// Cost is what a hook took.
type Cost struct {
	// Fuel is absent for what is compiled in. It is counted from the module's snapshot, so that the same input takes the same;
	// Approximate tells that the module has none.
	Fuel        int64 `json:"fuel,omitempty"`
	Approximate bool  `json:"approximate,omitempty"`
	// SentBytes and ReceivedBytes crossed between the server and the module.
	SentBytes     int   `json:"sentBytes,omitempty"`
	ReceivedBytes int   `json:"receivedBytes,omitempty"`
	Nanoseconds   int64 `json:"nanoseconds"`
}

// Outcome is what the request would have been answered with.
type Outcome struct {
	Code     int             `json:"code"`
	Warnings []string        `json:"warnings,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Status   *metav1.Status  `json:"status,omitempty"` // of a failure
}

// Fuel is what all hooks took together.
func (e *Explanation) Fuel() (sum int64) {
	for _, s := range e.Steps {
		if s.Cost != nil {
			sum += s.Cost.Fuel
		}
	}
	return sum
}

// FuelText is Fuel for people to read, and with that whether it is approximate.
func (e *Explanation) FuelText() string {
	approximate := slices.ContainsFunc(e.Steps, func(s Step) bool { return s.Cost != nil && s.Cost.Approximate })
	return host.FuelText(e.Fuel(), approximate)
}

// causes are field errors as a Status has them.
func causes(errs field.ErrorList) (list []metav1.StatusCause) {
	for _, e := range errs {
		list = append(list, metav1.StatusCause{Type: metav1.CauseType(e.Type), Field: e.Field, Message: e.ErrorBody()})
	}
	return list
}
