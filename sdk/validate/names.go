package validate

import (
	"math"
	"strings"
)

const (
	cIdentifierFmt = "[A-Za-z_][A-Za-z0-9_]*"
	cIdentifierMsg = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'"
	percentFmt     = "[0-9]+%"
	percentMsg     = "a valid percent string must be a numeric string followed by an ending '%'"
	headerFmt      = "[-A-Za-z0-9]+"
	headerMsg      = "a valid HTTP header must consist of alphanumeric characters or '-'"
	envVarFmt      = "[-._a-zA-Z][-._a-zA-Z0-9]*"
	envVarMsg      = "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit"
	relaxedEnvMsg  = "a valid environment variable name must consist only of printable ASCII characters other than '='"
	configKeyFmt   = "[-._a-zA-Z0-9]+"
	configKeyMsg   = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
)

// IsCIdentifier checks an identifier of C.
func IsCIdentifier(value string) []string {
	inner := func(c byte) bool { return isAlphaNum(c) || c == '_' }
	if value != "" && !isDigit(value[0]) && all(value, inner) {
		return nil
	}
	return []string{RegexError(cIdentifierMsg, cIdentifierFmt, "my_name", "MY_NAME", "MyName")}
}

// IsInRange checks min ≤ value ≤ max.
func IsInRange(value, min, max int) []string {
	if min <= value && value <= max {
		return nil
	}
	return []string{InclusiveRangeError(min, max)}
}

// IsValidPortNum checks the number of a port.
func IsValidPortNum(port int) []string { return IsInRange(port, 1, 65535) }

// IsValidUserID checks a user id of Unix.
func IsValidUserID(uid int64) []string { return unixID(uid) }

// IsValidGroupID checks a group id of Unix.
func IsValidGroupID(gid int64) []string { return unixID(gid) }

func unixID(id int64) []string {
	if 0 <= id && id <= math.MaxInt32 {
		return nil
	}
	return []string{InclusiveRangeError(0, math.MaxInt32)}
}

// IsValidPortName checks the name of a port.
func IsValidPortName(port string) (errs []string) {
	if len(port) > 15 {
		errs = append(errs, MaxLenError(15))
	}
	if port == "" || !all(port, func(c byte) bool { return isLowerNum(c) || c == '-' }) {
		errs = append(errs, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
	}
	if all(port, func(c byte) bool { return !isLower(c) }) {
		errs = append(errs, "must contain at least one letter (a-z)")
	}
	if strings.Contains(port, "--") {
		errs = append(errs, "must not contain consecutive hyphens")
	}
	if strings.HasPrefix(port, "-") || strings.HasSuffix(port, "-") {
		errs = append(errs, "must not begin or end with a hyphen")
	}
	return errs
}

// IsValidPercent checks a percentage: "25%".
func IsValidPercent(percent string) []string {
	if digits, ok := strings.CutSuffix(percent, "%"); ok && digits != "" && all(digits, isDigit) {
		return nil
	}
	return []string{RegexError(percentMsg, percentFmt, "1%", "93%")}
}

// IsHTTPHeaderName checks the name of an HTTP header.
func IsHTTPHeaderName(value string) []string {
	if value != "" && all(value, func(c byte) bool { return isAlphaNum(c) || c == '-' }) {
		return nil
	}
	return []string{RegexError(headerMsg, headerFmt, "X-Header-Name")}
}

// IsEnvVarName checks the name of an environment variable, strictly.
func IsEnvVarName(value string) (errs []string) {
	if value == "" || isDigit(value[0]) || !all(value, isKeyChar) {
		errs = append(errs, RegexError(envVarMsg, envVarFmt, "my.env-name", "MY_ENV.NAME", "MyEnvName1"))
	}
	return append(errs, hasChDirPrefix(value)...)
}

// IsRelaxedEnvVarName checks the name of an environment variable as the kubelet does: any printable
// ASCII but '='.
func IsRelaxedEnvVarName(value string) []string {
	if value == "" {
		return []string{"environment variable name " + EmptyError()}
	}
	if !all(value, func(c byte) bool { return ' ' <= c && c <= '~' && c != '=' }) {
		return []string{relaxedEnvMsg}
	}
	return nil
}

// IsConfigMapKey checks a key of a ConfigMap or Secret.
func IsConfigMapKey(value string) (errs []string) {
	if len(value) > DNS1123SubdomainMaxLength {
		errs = append(errs, MaxLenError(DNS1123SubdomainMaxLength))
	}
	if value == "" || !all(value, isKeyChar) {
		errs = append(errs, RegexError(configKeyMsg, configKeyFmt, "key.name", "KEY_NAME", "key-name"))
	}
	return append(errs, hasChDirPrefix(value)...)
}

func isKeyChar(c byte) bool { return isAlphaNum(c) || c == '-' || c == '.' || c == '_' }

func hasChDirPrefix(value string) []string {
	switch {
	case value == ".":
		return []string{"must not be '.'"}
	case value == "..":
		return []string{"must not be '..'"}
	case strings.HasPrefix(value, ".."):
		return []string{"must not start with '..'"}
	}
	return nil
}
