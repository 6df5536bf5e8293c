package field

import (
	"strconv"
	"strings"
)

// NotFound reports a value that refers to nothing.
func NotFound(p *Path, value any) *Error {
	return &Error{Type: ErrorTypeNotFound, Field: p.String(), BadValue: value}
}

// Required reports a value that is missing.
func Required(p *Path, detail string) *Error {
	return &Error{Type: ErrorTypeRequired, Field: p.String(), BadValue: "", Detail: detail}
}

// Duplicate reports a value that must be unique and is not.
func Duplicate(p *Path, value any) *Error {
	return &Error{Type: ErrorTypeDuplicate, Field: p.String(), BadValue: value}
}

// Invalid reports a malformed value.
func Invalid(p *Path, value any, detail string) *Error {
	return &Error{Type: ErrorTypeInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// TypeInvalid reports a value of the wrong type.
func TypeInvalid(p *Path, value any, detail string) *Error {
	return &Error{Type: ErrorTypeTypeInvalid, Field: p.String(), BadValue: value, Detail: detail}
}

// NotSupported reports a value that is none of valid.
func NotSupported[T ~string](p *Path, value any, valid []T) *Error {
	detail := ""
	if len(valid) > 0 {
		quoted := make([]string, len(valid))
		for i, v := range valid {
			quoted[i] = strconv.Quote(string(v))
		}
		detail = "supported values: " + strings.Join(quoted, ", ")
	}
	return &Error{Type: ErrorTypeNotSupported, Field: p.String(), BadValue: value, Detail: detail}
}

// Forbidden reports a value that may not be set under the present conditions.
func Forbidden(p *Path, detail string) *Error {
	return &Error{Type: ErrorTypeForbidden, Field: p.String(), BadValue: "", Detail: detail}
}

// TooLong reports a value of more than max bytes; the value itself is left out of the error. A
// negative max is not named.
func TooLong(p *Path, _ any, max int) *Error {
	detail := "value is too long"
	if max >= 0 {
		detail = "may not be more than " + count(max, "byte")
	}
	return &Error{Type: ErrorTypeTooLong, Field: p.String(), BadValue: "<value omitted>", Detail: detail}
}

// TooMany reports a list of more than max items. Negative numbers are not named.
func TooMany(p *Path, actual, max int) *Error {
	e := &Error{Type: ErrorTypeTooMany, Field: p.String(), BadValue: actual, Detail: "has too many items"}
	if max >= 0 {
		e.Detail = "must have at most " + count(max, "item")
	}
	if actual < 0 {
		e.BadValue = Omitted
	}
	return e
}

// InternalError reports that validation itself failed; err must not be nil.
func InternalError(p *Path, err error) *Error {
	return &Error{Type: ErrorTypeInternal, Field: p.String(), BadValue: err, Detail: err.Error()}
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
