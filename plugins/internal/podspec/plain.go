package podspec

import "github.com/stratagem-dev/stratagem/sdk/validate"

// The checks here are quick and say yes to ordinary values alone; the SDK's say what is wrong with the others,
// if anything is.

// isPlainLabel tells whether a text is a DNS label beyond doubt.
func isPlainLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return true
}

// isPlainName tells whether a text is the value of a label beyond doubt.
func isPlainName(s string) bool {
	if s == "" {
		return true
	}
	if len(s) > 63 || !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isPlainKey tells whether a text is the key of a label beyond doubt.
func isPlainKey(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '/' {
			return isPlainDomain(s[:i]) && s[i+1:] != "" && isPlainName(s[i+1:])
		}
	}
	return s != "" && isPlainName(s)
}

// isPlainDomain tells whether a text is a DNS subdomain beyond doubt.
func isPlainDomain(s string) bool {
	if len(s) > 253 {
		return false
	}
	start := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == '.' {
			if !isPlainLabel(s[start:i]) {
				return false
			}
			start = i + 1
		}
	}
	return true
}

// dnsLabel is IsDNS1123Label.
func dnsLabel(s string) []string {
	if isPlainLabel(s) {
		return nil
	}
	return validate.IsDNS1123Label(s)
}

// subdomain is IsDNS1123Subdomain.
func subdomain(s string) []string {
	if isPlainDomain(s) {
		return nil
	}
	return validate.IsDNS1123Subdomain(s)
}

// qualifiedName is IsQualifiedName.
func qualifiedName(s string) []string {
	if isPlainKey(s) {
		return nil
	}
	return validate.IsQualifiedName(s)
}
