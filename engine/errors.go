package engine

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The errors of the engine, grouped by the stage they arise in. The server turns each into a
// metav1.Status (server/status.go); the texts are Kubernetes'.

// BadRequestError reports a request that cannot be understood: 400.
type BadRequestError struct{ Message string }

func (e *BadRequestError) Error() string { return e.Message }

func badRequest(format string, args ...any) error {
	return &BadRequestError{fmt.Sprintf(format, args...)}
}

// NotFoundError reports an object that is not there: 404.
type NotFoundError struct {
	Resource schema.GroupResource
	Name     string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s %q not found", e.Resource.String(), e.Name)
}

// ForbiddenError reports a request that admission does not allow: 403.
type ForbiddenError struct {
	Resource schema.GroupResource
	Name     string
	Message  string
	// Cause is the type, CauseMessage the text and Field the path of a cause to report; no Cause, none.
	Cause, CauseMessage, Field string
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%s %q is forbidden: %s", e.Resource.String(), e.Name, e.Message)
}

// InvalidError reports an object that a validation found wrong: 422.
type InvalidError struct {
	Kind   schema.GroupKind
	Name   string
	Errors field.ErrorList
}

func (e *InvalidError) Error() string {
	return fmt.Sprintf("%s %q is invalid: %v", e.Kind.String(), e.Name, e.Errors.ToAggregate())
}

// AlreadyExistsError reports a create of a name that is taken: 409.
type AlreadyExistsError struct {
	Resource  schema.GroupResource
	Name      string
	Deleting  bool // the object that has the name is being deleted
	Generated bool // the name was generated, and no attempt found a free one
}

func (e *AlreadyExistsError) Error() string {
	switch text := fmt.Sprintf("%s %q already exists", e.Resource.String(), e.Name); {
	case e.Generated:
		return text + ", the server was not able to generate a unique name for the object"
	case e.Deleting:
		return "object is being deleted: " + text
	default:
		return text
	}
}

// ModifiedMessage is Kubernetes' text for a write with a stale resourceVersion.
const ModifiedMessage = "the object has been modified; please apply your changes to the latest version and try again"

// ConflictError reports a write whose preconditions do not hold: 409.
type ConflictError struct {
	Resource schema.GroupResource
	Name     string
	Message  string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", e.Resource.String(), e.Name, e.Message)
}

// MethodNotSupportedError reports a verb that the resource or subresource does not have: 405.
type MethodNotSupportedError struct {
	Resource schema.GroupResource
	Verb     string
}

func (e *MethodNotSupportedError) Error() string {
	return fmt.Sprintf("%s is not supported on resources of kind %q", e.Verb, e.Resource.String())
}

// UnavailableError reports a subresource that the resource declares but nobody serves: 501.
type UnavailableError struct {
	Resource schema.GroupResource
	Name     string // of the subresource
	Message  string
}

func (e *UnavailableError) Error() string { return e.Message }

// PatchTypeError reports a patch in a format that the resource does not take: 415.
type PatchTypeError struct {
	Type     string
	Accepted []string
}

func (e *PatchTypeError) Error() string {
	return fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %v", e.Accepted)
}

// ExpiredError reports a resourceVersion or continue token that has been compacted away: 410.
//
//   - Continue is a token that goes on all the same, with what is there now: the list as a whole is then not consistent.
type ExpiredError struct{ Message, Continue string }

func (e *ExpiredError) Error() string { return e.Message }

// TooLargeVersionError reports a resourceVersion that is yet to come: 504, to be tried again.
type TooLargeVersionError struct{ Wanted, Current int64 }

func (e *TooLargeVersionError) Error() string {
	return fmt.Sprintf("Too large resource version: %d, current: %d", e.Wanted, e.Current)
}

// BusyError reports that a strategy takes no further calls at present: 429 with Retry-After.
type BusyError struct {
	Plugin     string
	RetryAfter time.Duration
	// Reason says why; "" is that all its instances are in use.
	Reason string
}

func (e *BusyError) Error() string {
	reason := e.Reason
	if reason == "" {
		reason = "all its instances are in use"
	}
	return fmt.Sprintf("strategy plugin %q is busy: %s, please try again later", e.Plugin, reason)
}

// RefusedError reports a strategy's own refusal of a posted subresource, by its Reason.
type RefusedError struct {
	Resource schema.GroupResource
	Name     string
	Refusal  Refusal
}

func (e *RefusedError) Error() string { return e.Refusal.Message }

// StaleError reports that the definition of the resource is no longer the active one, so that nothing was
// written. The caller refreshes its snapshot and runs the request again.
type StaleError struct{ Resource schema.GroupResource }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the strategy of %s has been replaced while the request ran", e.Resource.String())
}

// StoredValueError reports a stored value that cannot be served: 500, naming the key.
type StoredValueError struct {
	Key string
	Err error
}

func (e *StoredValueError) Error() string {
	return fmt.Sprintf("the stored value of key %s cannot be read: %v", e.Key, e.Err)
}

func (e *StoredValueError) Unwrap() error { return e.Err }

// FailureKind says how a hook failed.
type FailureKind string

// The ways in which a hook fails other than by rejecting.
const (
	FailedError     FailureKind = "error"           // the author's code returned an error
	FailedTrap      FailureKind = "trap"            // the module trapped or panicked
	FailedBudget    FailureKind = "out of budget"   // it ran longer than it may
	FailedMalformed FailureKind = "malformed reply" // its reply breaks the ABI or the rules
)

// HookError reports a strategy that failed: 500. Nothing has been stored.
type HookError struct {
	Plugin   string
	Revision string
	Hook     string // one name, or several joined by "+"
	Kind     FailureKind
	Err      error
}

func (e *HookError) Error() string {
	return fmt.Sprintf("strategy plugin %q (%s), hook %s: %s: %v", e.Plugin, e.Revision, e.Hook, e.Kind, e.Err)
}

func (e *HookError) Unwrap() error { return e.Err }
