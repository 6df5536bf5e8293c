package host

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// The segments of a reply frame; the items of Convert follow.
const (
	segmentOutcome = iota
	segmentReplyObject
	segmentErrors
	segmentWarnings
	segmentResult
	replySegments
)

// The outcomes that a guest can report.
const (
	outcomeOK       = 0
	outcomeRejected = 1
	outcomeError    = 2
)

// AuthorError is what the author's code returned as an error.
type AuthorError struct{ Message string }

func (e *AuthorError) Error() string { return e.Message }

// errMalformed marks replies that break the ABI.
var errMalformed = errors.New("malformed reply")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errMalformed}, args...)...)
}

// decodeReply reads a reply frame. The hook is the one that decided. An error is *AuthorError or wraps errMalformed.
func decodeReply(frame []byte, hooks engine.Hooks, call *engine.Call, limits Limits) (reply engine.Reply, hook engine.Hook, err error) {
	segments, err := readFrame(frame)
	if err != nil {
		return reply, 0, malformed("%v", err)
	}
	if len(segments) < replySegments {
		return reply, 0, malformed("it has %d segments, not %d", len(segments), replySegments)
	}
	head := segments[segmentOutcome]
	if len(head) != 8 {
		return reply, 0, malformed("the outcome has %d bytes, not 8", len(head))
	}
	outcome, number := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:])
	if number >= 64 || !hooks.Has(engine.Hook(number)) {
		return reply, 0, malformed("hook %d decided, which was not asked for", number)
	}
	hook = engine.Hook(number)
	switch outcome {
	case outcomeOK:
		reply, err = decodeOK(segments, hooks, call, limits)
	case outcomeRejected:
		reply, err = decodeRejected(segments, hook)
	case outcomeError:
		if !utf8.Valid(segments[segmentErrors]) {
			return reply, hook, malformed("the error message is not UTF-8")
		}
		err = &AuthorError{string(segments[segmentErrors])}
	default:
		err = malformed("outcome %d is not known", outcome)
	}
	return reply, hook, err
}

func decodeOK(segments [][]byte, hooks engine.Hooks, call *engine.Call, limits Limits) (engine.Reply, error) {
	reply := engine.Reply{Object: call.Object}
	if raw := segments[segmentReplyObject]; len(raw) > 0 {
		if hooks&mutating == 0 {
			return reply, malformed("it has an object, and none of the hooks may change one")
		}
		obj, _, err := engine.ParseObject(raw)
		if err != nil {
			return reply, malformed("the object: %v", err)
		}
		reply.Object = obj
	}
	if raw := segments[segmentWarnings]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &reply.Warnings); err != nil {
			return reply, malformed("the warnings: %v", err)
		}
		reply.Warnings = cutWarnings(reply.Warnings, limits)
	}
	if raw := segments[segmentResult]; len(raw) > 0 {
		if !json.Valid(raw) {
			return reply, malformed("the result is not JSON")
		}
		reply.Result = raw
	}
	items := segments[replySegments:]
	if hooks.Has(engine.Convert) != (len(items) > 0) && len(call.Items) > 0 || hooks.Has(engine.Convert) && len(items) != len(call.Items) {
		return reply, malformed("it has %d items for %d", len(items), len(call.Items))
	}
	for i, raw := range items {
		obj, _, err := engine.ParseObject(raw)
		if err != nil {
			return reply, malformed("item %d: %v", i, err)
		}
		reply.Items = append(reply.Items, obj)
	}
	return reply, nil
}

// mutating are the hooks whose reply may have an object.
var mutating = engine.HooksOf(engine.Default, engine.PrepareForCreate, engine.PrepareForUpdate, engine.Canonicalize, engine.CreateSubresource)

// cutWarnings keeps warnings within what an HTTP header can bear.
func cutWarnings(warnings []string, limits Limits) []string {
	if len(warnings) > limits.Warnings {
		warnings = warnings[:limits.Warnings]
	}
	for i, w := range warnings {
		if utf8.RuneCountInString(w) > limits.WarningRunes {
			warnings[i] = string([]rune(w)[:limits.WarningRunes-1]) + "…"
		}
	}
	return warnings
}

// fieldError is a field error as it crosses: see ABI.md.
type fieldError struct {
	Type   field.ErrorType `json:"type"`
	Field  string          `json:"field"`
	Value  json.RawMessage `json:"value"`
	Detail string          `json:"detail"`
}

// knownTypes are the error types that a guest may use.
var knownTypes = map[field.ErrorType]bool{
	field.ErrorTypeNotFound: true, field.ErrorTypeRequired: true, field.ErrorTypeDuplicate: true, field.ErrorTypeInvalid: true,
	field.ErrorTypeNotSupported: true, field.ErrorTypeForbidden: true, field.ErrorTypeTooLong: true, field.ErrorTypeTooMany: true,
	field.ErrorTypeTypeInvalid: true, field.ErrorTypeInternal: true,
}

func decodeRejected(segments [][]byte, hook engine.Hook) (engine.Reply, error) {
	var reply engine.Reply
	if raw := segments[segmentErrors]; len(raw) > 0 {
		var errs []fieldError
		if err := json.Unmarshal(raw, &errs); err != nil {
			return reply, malformed("the field errors: %v", err)
		}
		for _, e := range errs {
			if !knownTypes[e.Type] {
				return reply, malformed("field error type %q is not known", e.Type)
			}
			reply.Errors = append(reply.Errors, &field.Error{Type: e.Type, Field: e.Field, BadValue: badValue(e.Value), Detail: e.Detail})
		}
	}
	if raw := segments[segmentResult]; len(raw) > 0 && hook == engine.CreateSubresource {
		reply.Refusal = &engine.Refusal{}
		if err := json.Unmarshal(raw, reply.Refusal); err != nil {
			return reply, malformed("the refusal: %v", err)
		}
	}
	if len(reply.Errors) == 0 && reply.Refusal == nil {
		return reply, malformed("it rejects without a field error")
	}
	return reply, nil
}

// badValue is the value of a field error such that Kubernetes' rendering of it is right.
func badValue(raw json.RawMessage) any {
	var text string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	if len(raw) == 0 {
		return ""
	}
	return raw
}
