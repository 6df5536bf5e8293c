package field

import (
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Error is what is wrong with one field.
type Error struct {
	Type  ErrorType
	Field string
	// BadValue is nil, a string, a bool, a number, []string, map[string]string, an sdk.Value or an
	// *sdk.Object; anything else with a String method is taken as a string, and the rest as null.
	BadValue any
	Detail   string
}

// ErrorType says what kind of error an Error is. It is the reason of the cause in the Status.
type ErrorType string

// The types of errors.
const (
	ErrorTypeNotFound     ErrorType = "FieldValueNotFound"
	ErrorTypeRequired     ErrorType = "FieldValueRequired"
	ErrorTypeDuplicate    ErrorType = "FieldValueDuplicate"
	ErrorTypeInvalid      ErrorType = "FieldValueInvalid"
	ErrorTypeNotSupported ErrorType = "FieldValueNotSupported"
	ErrorTypeForbidden    ErrorType = "FieldValueForbidden"
	ErrorTypeTooLong      ErrorType = "FieldValueTooLong"
	ErrorTypeTooMany      ErrorType = "FieldValueTooMany"
	ErrorTypeTypeInvalid  ErrorType = "FieldValueTypeInvalid"
	ErrorTypeInternal     ErrorType = "InternalError"
)

// String is the type in words.
func (t ErrorType) String() string {
	switch t {
	case ErrorTypeNotFound:
		return "Not found"
	case ErrorTypeRequired:
		return "Required value"
	case ErrorTypeDuplicate:
		return "Duplicate value"
	case ErrorTypeInvalid, ErrorTypeTypeInvalid:
		return "Invalid value"
	case ErrorTypeNotSupported:
		return "Unsupported value"
	case ErrorTypeForbidden:
		return "Forbidden"
	case ErrorTypeTooLong:
		return "Too long"
	case ErrorTypeTooMany:
		return "Too many"
	case ErrorTypeInternal:
		return "Internal error"
	}
	return "<unknown error " + strconv.Quote(string(t)) + ">"
}

// Omitted is the BadValue of an error that shows none.
var Omitted any = omitted{}

type omitted struct{}

// Error is the field and the body.
func (e *Error) Error() string { return e.Field + ": " + e.ErrorBody() }

// ErrorBody is the message without the field.
func (e *Error) ErrorBody() string {
	s := e.Type.String()
	switch e.Type {
	case ErrorTypeInvalid, ErrorTypeTypeInvalid, ErrorTypeNotSupported, ErrorTypeNotFound,
		ErrorTypeDuplicate, ErrorTypeTooMany:
		if e.BadValue != Omitted {
			s += ": " + valueText(e.BadValue)
		}
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// htmlSafe writes the characters that encoding/json escapes by default.
var htmlSafe = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// valueText renders a bad value as Kubernetes does: strings quoted as in Go, the rest as JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case float32:
		return strconv.FormatFloat(float64(v), 'g', -1, 32)
	case jsontext.Rawer:
		if s, ok := v.(interface{ StringValue() (string, bool) }); ok {
			if text, is := s.StringValue(); is {
				return strconv.Quote(text)
			}
		}
	}
	json, _ := jsontext.Append(nil, v)
	return htmlSafe.Replace(string(json))
}

// ErrorList is all that is wrong; an empty one means nothing is.
type ErrorList []*Error

// Error joins the errors' texts.
func (l ErrorList) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "; ")
}

// AppendJSON appends the list as the guest ABI writes it.
func (l ErrorList) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i, e := range l {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = e.appendJSON(dst)
	}
	return append(dst, ']')
}

func (e *Error) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsontext.AppendString(dst, string(e.Type))
	dst = append(dst, `,"field":`...)
	dst = jsontext.AppendString(dst, e.Field)
	if e.BadValue != Omitted {
		dst = append(dst, `,"value":`...)
		dst, _ = jsontext.Append(dst, e.BadValue)
	}
	if e.Detail != "" {
		dst = append(dst, `,"detail":`...)
		dst = jsontext.AppendString(dst, e.Detail)
	}
	return append(dst, '}')
}
