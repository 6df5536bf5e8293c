package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/negotiate"
	"github.com/stratagem-dev/stratagem/server/policy"
)

// This file is the one place where errors become a metav1.Status.

// errPath is the answer to a path that names nothing.
var errPath = errors.New("the server could not find the requested resource")

func badRequest(format string, args ...any) error {
	return &engine.BadRequestError{Message: fmt.Sprintf(format, args...)}
}

// optionError reports a query parameter with a value that it cannot have: 422, as Kubernetes has it.
type optionError struct {
	kind string
	errs field.ErrorList
}

func (e *optionError) Error() string { return e.errs.ToAggregate().Error() }

// optionsKind is the kind that Kubernetes gives the options of a verb.
func optionsKind(verb string) string {
	switch verb {
	case "create":
		return "CreateOptions"
	case "update":
		return "UpdateOptions"
	case "patch":
		return "PatchOptions"
	case "delete", "deletecollection":
		return "DeleteOptions"
	}
	return "ListOptions"
}

// invalidOptions is an *optionError where something is wrong with the options of a verb.
func invalidOptions(verb string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return &optionError{optionsKind(verb), errs}
}

func forbiddenOption(name, detail string) error {
	return &optionError{"ListOptions", field.ErrorList{field.Forbidden(field.NewPath(name), detail)}}
}

// moduleError reports an uploaded module that was refused: 422.
type moduleError struct {
	plugin string
	cause  *host.LoadError
}

func (e *moduleError) Error() string { return e.cause.Error() }

// timeoutError reports a request that took too long: 504.
type timeoutError struct{ cause error }

func (e *timeoutError) Error() string {
	return "request did not complete within the allotted timeout: " + e.cause.Error()
}

func isStale(err error) bool {
	var stale *engine.StaleError
	return errors.As(err, &stale)
}

// statusOf turns any error into the Status that a client gets. The request is nil where the error arose before one
// was made out.
func statusOf(err error, r *request) *metav1.Status {
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		status := known.Status()
		return complete(&status)
	}
	for _, explain := range []func(error, *request) *apierrors.StatusError{clientError, writeError, storageError, serverError} {
		if e := explain(err, r); e != nil {
			return complete(&e.ErrStatus)
		}
	}
	return complete(&apierrors.NewInternalError(err).ErrStatus)
}

func complete(status *metav1.Status) *metav1.Status {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return status
}

// clientError explains requests that cannot be understood.
func clientError(err error, r *request) *apierrors.StatusError {
	var (
		bad    *engine.BadRequestError
		option *optionError
		media  *mediaTypeError
		large  *tooLargeError
		accept *negotiate.NotAcceptableError
		view   *viewError
		method *engine.MethodNotSupportedError
		patch  *engine.PatchTypeError
		many   *engine.PatchTooLargeError
		failed *engine.PatchError
		gr     schema.GroupResource
		verb   string
	)
	if r != nil {
		gr, verb = r.store.Resource.GroupResource(), r.info.Verb
	}
	switch {
	case errors.Is(err, errPath):
		return apierrors.NewGenericServerResponse(http.StatusNotFound, verb, gr, "", "404 page not found", 0, true)
	case errors.As(err, &bad):
		return apierrors.NewBadRequest(bad.Message)
	case errors.As(err, &option):
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: option.kind}, "", option.errs)
	case errors.As(err, &media):
		return plain(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, err)
	case errors.As(err, &patch):
		return plain(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, err)
	case errors.As(err, &large):
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", large.limit))
	case errors.As(err, &many):
		return apierrors.NewRequestEntityTooLargeError(many.Error())
	case errors.As(err, &view):
		return plain(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, err)
	case errors.As(err, &accept):
		return plain(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable, err)
	case errors.As(err, &method):
		return apierrors.NewMethodNotSupported(method.Resource, method.Verb)
	case errors.As(err, &failed):
		return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, verb, gr, "", failed.Error(), 0, false)
	}
	return nil
}

// plain is a Status that says what the error says.
func plain(code int, reason metav1.StatusReason, err error) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: err.Error()}}
}

// writeError explains what the lifecycle says no to.
func writeError(err error, _ *request) *apierrors.StatusError {
	var (
		missing   *engine.NotFoundError
		forbidden *engine.ForbiddenError
		invalid   *engine.InvalidError
		exists    *engine.AlreadyExistsError
		conflict  *engine.ConflictError
		refused   *engine.RefusedError
		disallow  *policy.Refusal
	)
	switch {
	case errors.As(err, &missing):
		return apierrors.NewNotFound(missing.Resource, missing.Name)
	case errors.As(err, &invalid):
		return apierrors.NewInvalid(invalid.Kind, invalid.Name, invalid.Errors)
	case errors.As(err, &conflict):
		return apierrors.NewConflict(conflict.Resource, conflict.Name, errors.New(conflict.Message))
	case errors.As(err, &forbidden):
		status := apierrors.NewForbidden(forbidden.Resource, forbidden.Name, errors.New(forbidden.Message))
		if forbidden.Cause != "" {
			status.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseType(forbidden.Cause), Message: forbidden.CauseMessage, Field: forbidden.Field}}
		}
		return status
	case errors.As(err, &exists):
		status := apierrors.NewAlreadyExists(exists.Resource, exists.Name)
		if exists.Generated {
			status = apierrors.NewGenerateNameConflict(exists.Resource, exists.Name, 1)
		}
		if exists.Deleting {
			status.ErrStatus.Message = "object is being deleted: " + status.ErrStatus.Message
		}
		return status
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &disallow):
		status := apierrors.NewForbidden(pluginGroupResource, disallow.Plugin, disallow)
		status.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: "PluginPolicy", Message: disallow.Reason, Field: disallow.Rule}}
		return status
	}
	return nil
}

// refusal explains a strategy's own "no" to a posted subresource.
func refusal(e *engine.RefusedError) *apierrors.StatusError {
	message := errors.New(e.Refusal.Message)
	switch e.Refusal.Reason {
	case "BadRequest":
		return apierrors.NewBadRequest(e.Refusal.Message)
	case "Forbidden":
		return apierrors.NewForbidden(e.Resource, e.Name, message)
	case "Conflict":
		return apierrors.NewConflict(e.Resource, e.Name, message)
	case "TooManyRequests":
		return apierrors.NewTooManyRequests(e.Refusal.Message, 10)
	default:
		return plain(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, message)
	}
}

// storageError explains what the storage cannot give.
func storageError(err error, _ *request) *apierrors.StatusError {
	var (
		expired *engine.ExpiredError
		future  *engine.TooLargeVersionError
		large   *engine.TooLargeError
		stale   *engine.StaleError
		stored  *engine.StoredValueError
		timeout *timeoutError
	)
	switch {
	case errors.As(err, &timeout):
		return apierrors.NewTimeoutError(timeout.Error(), 0)
	case errors.Is(err, engine.ErrStopped):
		return apierrors.NewServiceUnavailable("the storage is closed: the server is shutting down")
	case errors.As(err, &expired):
		status := apierrors.NewResourceExpired(expired.Message)
		status.ErrStatus.Continue = expired.Continue
		return status
	case errors.As(err, &future):
		status := apierrors.NewTimeoutError(future.Error(), 1)
		status.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
		return status
	case errors.As(err, &large):
		return apierrors.NewRequestEntityTooLargeError(large.Error())
	case errors.As(err, &stale):
		return apierrors.NewServiceUnavailable(stale.Error())
	case errors.As(err, &stored):
		return plain(http.StatusInternalServerError, metav1.StatusReasonStoreReadError, err)
	}
	return nil
}

// serverError explains plugins that fail or are busy.
func serverError(err error, _ *request) *apierrors.StatusError {
	var (
		busy        *engine.BusyError
		hook        *engine.HookError
		module      *moduleError
		unavailable *engine.UnavailableError
		conversion  *engine.ConversionError
	)
	switch {
	case errors.As(err, &busy):
		return apierrors.NewTooManyRequests(busy.Error(), max(1, int(busy.RetryAfter.Seconds())))
	case errors.As(err, &hook):
		status := apierrors.NewInternalError(hook)
		status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes,
			metav1.StatusCause{Type: "StrategyPlugin", Message: hook.Plugin + " " + hook.Revision},
			metav1.StatusCause{Type: "Hook", Message: hook.Hook},
			metav1.StatusCause{Type: "Failure", Message: string(hook.Kind)})
		var exceeded *host.LimitError
		if errors.As(hook.Err, &exceeded) {
			status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{Type: "Limit", Message: exceeded.Limit.String()})
		}
		return status
	case errors.As(err, &module):
		errs := field.ErrorList{field.Invalid(field.NewPath("module", module.cause.Step), field.OmitValueType{}, module.cause.Err.Error())}
		return apierrors.NewInvalid(schema.GroupKind{Group: pluginGroup, Kind: "StrategyPlugin"}, module.plugin, errs)
	case errors.As(err, &conversion):
		return plain(http.StatusInternalServerError, metav1.StatusReasonUnknown, conversion)
	case errors.As(err, &unavailable):
		return plain(http.StatusNotImplemented, "NotImplemented", err)
	}
	return nil
}

// handleError is echo's error handler.
func (s *Server) handleError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	var routed *echo.HTTPError
	switch {
	case errors.As(err, &routed) && routed.Code == http.StatusNotFound:
		err = errPath
	case errors.As(err, &routed):
		err = plain(routed.Code, metav1.StatusReasonUnknown, fmt.Errorf("%v", routed.Message))
	}
	status := statusOf(err, nil)
	if status.Code == http.StatusInternalServerError {
		s.log.Error("request failed", "method", c.Request().Method, "path", c.Request().URL.Path, "error", err)
	}
	if details := status.Details; details != nil && details.RetryAfterSeconds > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(details.RetryAfterSeconds)))
	}
	body, _ := json.Marshal(status)
	answer, _ := negotiate.Plain.Accept(c.Request().Header.Get("Accept"))
	if err := writeBody(c.Response(), int(status.Code), answer, false, body); err != nil {
		s.log.Error("answer could not be written", "error", err)
	}
}
