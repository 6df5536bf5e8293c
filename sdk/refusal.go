package sdk

import "github.com/stratagem-dev/stratagem/sdk/field"

// Refusal is the error by which CreateSubresource refuses a request, other than for field errors.
type Refusal struct {
	Reason  string // as in metav1.Status
	Message string
}

// Error is the message.
func (r *Refusal) Error() string { return r.Message }

// BadRequest refuses with status 400.
func BadRequest(message string) error { return &Refusal{"BadRequest", message} }

// Forbidden refuses with status 403.
func Forbidden(message string) error { return &Refusal{"Forbidden", message} }

// Conflict refuses with status 409.
func Conflict(message string) error { return &Refusal{"Conflict", message} }

// TooManyRequests refuses with status 429.
func TooManyRequests(message string) error { return &Refusal{"TooManyRequests", message} }

// Invalid refuses with status 422 for the given field errors; it is nil when there are none.
func Invalid(errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return &invalid{errs}
}

// invalid carries field errors through an error result.
type invalid struct{ errs field.ErrorList }

func (e *invalid) Error() string { return e.errs.Error() }
