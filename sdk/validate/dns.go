package validate

import "strings"

// The longest names, in bytes.
const (
	DNS1123LabelMaxLength     = 63
	DNS1123SubdomainMaxLength = 253
	DNS1035LabelMaxLength     = 63
)

const (
	dns1123LabelFmt     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	dns1123LabelMsg     = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
	dns1123SubdomainFmt = dns1123LabelFmt + "(\\." + dns1123LabelFmt + ")*"
	dns1123SubdomainMsg = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
	dns1035LabelFmt     = "[a-z]([-a-z0-9]*[a-z0-9])?"
	dns1035LabelMsg     = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
	wildcardFmt         = "\\*\\." + dns1123SubdomainFmt
	wildcardMsg         = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
)

// IsDNS1123Label checks a label of DNS, as in the names of containers.
func IsDNS1123Label(value string) (errs []string) {
	if len(value) > DNS1123LabelMaxLength {
		errs = append(errs, MaxLenError(DNS1123LabelMaxLength))
	}
	switch {
	case isLabel(value):
	case isSubdomain(value):
		errs = append(errs, "must not contain dots")
	default:
		errs = append(errs, RegexError(dns1123LabelMsg, dns1123LabelFmt, "my-name", "123-abc"))
	}
	return errs
}

// IsDNS1123Subdomain checks a subdomain of DNS, as in the names of most objects.
func IsDNS1123Subdomain(value string) []string {
	return subdomain(value, MaxLenError(DNS1123SubdomainMaxLength))
}

func subdomain(value, tooLong string) (errs []string) {
	if len(value) > DNS1123SubdomainMaxLength {
		errs = append(errs, tooLong)
	}
	if !isSubdomain(value) {
		errs = append(errs, RegexError(dns1123SubdomainMsg, dns1123SubdomainFmt, "example.com"))
	}
	return errs
}

// IsWildcardDNS1123Subdomain checks "*." followed by a subdomain.
func IsWildcardDNS1123Subdomain(value string) (errs []string) {
	if len(value) > DNS1123SubdomainMaxLength {
		errs = append(errs, MaxLenError(DNS1123SubdomainMaxLength))
	}
	if rest, ok := strings.CutPrefix(value, "*."); !ok || !isSubdomain(rest) {
		errs = append(errs, RegexError(wildcardMsg, wildcardFmt, "*.example.com"))
	}
	return errs
}

// IsDNS1035Label checks a label that begins with a letter, as in the names of services.
func IsDNS1035Label(value string) (errs []string) {
	if len(value) > DNS1035LabelMaxLength {
		errs = append(errs, MaxLenError(DNS1035LabelMaxLength))
	}
	if !isLabel(value) || !isLower(value[0]) {
		errs = append(errs, RegexError(dns1035LabelMsg, dns1035LabelFmt, "my-name", "abc-123"))
	}
	return errs
}

// NameIsDNSSubdomain is IsDNS1123Subdomain for a name or, with prefix, a generateName.
func NameIsDNSSubdomain(name string, prefix bool) []string {
	return IsDNS1123Subdomain(maskTrailingDash(name, prefix))
}

// NameIsDNSLabel is IsDNS1123Label for a name or, with prefix, a generateName.
func NameIsDNSLabel(name string, prefix bool) []string {
	return IsDNS1123Label(maskTrailingDash(name, prefix))
}

// NameIsDNS1035Label is IsDNS1035Label for a name or, with prefix, a generateName.
func NameIsDNS1035Label(name string, prefix bool) []string {
	return IsDNS1035Label(maskTrailingDash(name, prefix))
}

// maskTrailingDash takes the dash from a prefix, behind which something will follow.
func maskTrailingDash(name string, prefix bool) string {
	if prefix && len(name) > 1 && strings.HasSuffix(name, "-") {
		return name[:len(name)-2] + "a"
	}
	return name
}

func isLabel(s string) bool {
	return framed(s, isLowerNum, func(c byte) bool { return isLowerNum(c) || c == '-' }, isLowerNum)
}

func isSubdomain(s string) bool {
	for {
		label, rest, more := strings.Cut(s, ".")
		if !isLabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}
