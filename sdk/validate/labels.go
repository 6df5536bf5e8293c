package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk/field"
)

// The longest label values and the longest name parts of label keys, in bytes.
const (
	LabelValueMaxLength    = 63
	QualifiedNameMaxLength = 63
)

// totalAnnotationSizeLimit is how many bytes the annotations of an object may have.
const totalAnnotationSizeLimit = 256 << 10

const (
	labelKeyFmt   = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	labelKeyMsg   = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
	labelValueFmt = "(" + labelKeyFmt + ")?"
	labelValueMsg = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)

// IsQualifiedName checks the key of a label or annotation: a name, with a DNS subdomain and a slash
// before it or without.
func IsQualifiedName(value string) (errs []string) {
	prefix, name, prefixed := strings.Cut(value, "/")
	switch {
	case !prefixed:
		name = value
	case strings.Contains(name, "/"):
		return []string{"a valid label key " + RegexError(labelKeyMsg, labelKeyFmt, "MyName", "my.name", "123-abc") +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	case prefix == "":
		errs = append(errs, "prefix part "+EmptyError())
	default:
		for _, msg := range subdomain(prefix, maxBytesError(DNS1123SubdomainMaxLength)) {
			errs = append(errs, "prefix part "+msg)
		}
	}
	if name == "" {
		errs = append(errs, "name part "+EmptyError())
	} else if len(name) > QualifiedNameMaxLength {
		errs = append(errs, "name part "+maxBytesError(QualifiedNameMaxLength))
	}
	if !isLabelName(name) {
		errs = append(errs, "name part "+RegexError(labelKeyMsg, labelKeyFmt, "MyName", "my.name", "123-abc"))
	}
	return errs
}

// IsValidLabelValue checks the value of a label.
func IsValidLabelValue(value string) (errs []string) {
	if len(value) > LabelValueMaxLength {
		errs = append(errs, maxBytesError(LabelValueMaxLength))
	}
	if value != "" && !isLabelName(value) {
		errs = append(errs, RegexError(labelValueMsg, labelValueFmt, "MyValue", "my_value", "12345"))
	}
	return errs
}

func isLabelName(s string) bool { return framed(s, isAlphaNum, isKeyChar, isAlphaNum) }

// LabelName checks the key of a label.
func LabelName(name string, path *field.Path) (errs field.ErrorList) {
	for _, msg := range IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, msg))
	}
	return errs
}

// Labels checks a set of labels, in the order of their keys.
func Labels(labels map[string]string, path *field.Path) (errs field.ErrorList) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		errs = append(errs, LabelName(key, path)...)
		for _, msg := range IsValidLabelValue(labels[key]) {
			errs = append(errs, field.Invalid(path, labels[key], msg))
		}
	}
	return errs
}

// Annotations checks a set of annotations, in the order of their keys.
func Annotations(annotations map[string]string, path *field.Path) (errs field.ErrorList) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		size += len(key) + len(annotations[key])
		for _, msg := range IsQualifiedName(strings.ToLower(key)) {
			errs = append(errs, field.Invalid(path, key, msg))
		}
	}
	if size > totalAnnotationSizeLimit {
		errs = append(errs, field.TooLong(path, "", totalAnnotationSizeLimit))
	}
	return errs
}
