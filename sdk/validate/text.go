package validate

import "strconv"

// IsNegativeErrorMsg is the text for a number that is below zero.
const IsNegativeErrorMsg = "must be greater than or equal to 0"

// FieldImmutableErrorMsg is the text for a field that changed and must not.
const FieldImmutableErrorMsg = "field is immutable"

// MaxLenError is the text for a name of more than n characters.
func MaxLenError(n int) string { return "must be no more than " + strconv.Itoa(n) + " characters" }

// maxBytesError is what label keys and values say for the same.
func maxBytesError(n int) string { return "must be no more than " + strconv.Itoa(n) + " bytes" }

// EmptyError is the text for an empty string.
func EmptyError() string { return "must be non-empty" }

// InclusiveRangeError is the text for a number outside lo and hi.
func InclusiveRangeError(lo, hi int) string {
	return "must be between " + strconv.Itoa(lo) + " and " + strconv.Itoa(hi) + ", inclusive"
}

// RegexError is the text for a string of the wrong form, which it shows as a regular expression.
func RegexError(msg, regex string, examples ...string) string {
	if len(examples) == 0 {
		return msg + " (regex used for validation is '" + regex + "')"
	}
	msg += " (e.g. "
	for i, example := range examples {
		if i > 0 {
			msg += " or "
		}
		msg += "'" + example + "', "
	}
	return msg + "regex used for validation is '" + regex + "')"
}
