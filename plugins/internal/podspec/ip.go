package podspec

import (
	"strconv"
	"strings"
)

// InvalidIP is what Kubernetes says of a text that is no IP address.
const InvalidIP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"

// IPFamily is 4 or 6, and 0 for what is no IP address. Leading zeros in IPv4 are taken, as in Kubernetes.
func IPFamily(text string) int {
	switch {
	case isIPv4(text):
		return 4
	case isIPv6(text):
		return 6
	}
	return 0
}

func isIPv4(text string) bool {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || n > 255 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 4
}

func isIPv6(text string) bool {
	head, tail, short := strings.Cut(text, "::")
	if strings.Contains(tail, "::") || !short && !strings.Contains(text, ":") {
		return false
	}
	n, ok := groups(head, !short)
	m, also := groups(tail, true)
	if !ok || !also {
		return false
	}
	if short {
		return n+m <= 7
	}
	return n == 8
}

// groups counts the 16-bit groups of a part of an IPv6 address; an IPv4 address at the end is two.
func groups(part string, last bool) (count int, ok bool) {
	if part == "" {
		return 0, true
	}
	list := strings.Split(part, ":")
	for i, group := range list {
		if last && i == len(list)-1 && isIPv4(group) {
			return count + 2, true
		}
		if _, err := strconv.ParseUint(group, 16, 16); err != nil || len(group) > 4 || group[0] == '+' {
			return 0, false
		}
		count++
	}
	return count, true
}
