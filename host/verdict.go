package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

// maxMessageRunes bounds the texts of errors and refusals that reach clients.
const maxMessageRunes = 4096

// cut shortens a text that is too long.
func cut(text string, runes int) string {
	if len(text) <= runes || utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + "…"
}

// eachElement decodes the elements of a JSON array one by one, so that an array of millions costs no memory, and stops
// after as many as wanted; more tells that there are others. All of the array has to be JSON.
func eachElement[T any](raw []byte, wanted int, take func(T) error) (more bool, err error) {
	if !json.Valid(raw) {
		return false, errors.New("they are not JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('[') {
		return false, errors.New("they are not a JSON array")
	}
	for ; wanted > 0 && decoder.More(); wanted-- {
		var element T
		if err := decoder.Decode(&element); err != nil {
			return false, err
		}
		if err := take(element); err != nil {
			return false, err
		}
	}
	return decoder.More(), nil
}

// decodeWarnings keeps warnings within what HTTP headers can bear.
func decodeWarnings(raw []byte, limits *tally) (warnings []string, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	left := limits.AllWarningRunes
	more, err := eachElement(raw, limits.Warnings, func(said string) error {
		text := cut(said, limits.WarningRunes)
		if len(text) != len(said) {
			limits.note(LimitWarningRunes)
		}
		if utf8.RuneCountInString(text) > left {
			limits.note(LimitAllWarningRunes)
		}
		if left > 0 {
			text = cut(text, left)
			warnings = append(warnings, text)
			left -= utf8.RuneCountInString(text)
		}
		return nil
	})
	if more {
		limits.note(LimitWarnings)
	}
	return warnings, err
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

// knownReasons are the reasons that a refusal may have.
var knownReasons = map[string]bool{"BadRequest": true, "Forbidden": true, "Conflict": true, "TooManyRequests": true, "Invalid": true}

func decodeRejected(segments [][]byte, hook engine.Hook, limits *tally) (engine.Reply, error) {
	var reply engine.Reply
	if raw := segments[segmentErrors]; len(raw) > 0 {
		more, err := eachElement(raw, limits.FieldErrors, func(e fieldError) error {
			if !knownTypes[e.Type] {
				return fmt.Errorf("type %.100q is not known", string(e.Type))
			}
			reply.Errors = append(reply.Errors, &field.Error{Type: e.Type, Field: e.Field, BadValue: badValue(e.Value), Detail: e.Detail})
			return nil
		})
		if err != nil {
			return engine.Reply{}, malformed("the field errors: %v", err)
		}
		if more {
			limits.note(LimitFieldErrors)
		}
	}
	if raw := segments[segmentResult]; len(raw) > 0 && hook == engine.CreateSubresource {
		refusal, err := decodeRefusal(raw)
		if err != nil {
			return engine.Reply{}, malformed("the refusal: %v", err)
		}
		reply.Refusal = refusal
	}
	if len(reply.Errors) == 0 && reply.Refusal == nil {
		return reply, malformed("it rejects without a field error")
	}
	return reply, nil
}

func decodeRefusal(raw []byte) (*engine.Refusal, error) {
	var refusal engine.Refusal
	if err := json.Unmarshal(raw, &refusal); err != nil {
		return nil, err
	}
	if !knownReasons[refusal.Reason] {
		return nil, fmt.Errorf("reason %.100q is not known", refusal.Reason)
	}
	refusal.Message = cut(refusal.Message, maxMessageRunes)
	return &refusal, nil
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
