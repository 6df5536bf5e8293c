package podspec

import (
	"strconv"
	"strings"
)

// IP is an address, IPv4 in the last four bytes.
type IP struct {
	Family int // 4 or 6; 0 for what is no address
	bytes  [16]byte
	zeros  bool // some part of an IPv4 address begins with a 0 too many
}

// ParseIP reads an address. Leading zeros in IPv4 are taken, and reported by Problem.
func ParseIP(text string) (ip IP) {
	if ip.parse4(text, 12) {
		ip.Family = 4
		return ip
	}
	if head, tail, short := strings.Cut(text, "::"); short {
		var back IP
		n, ok := ip.groups(head, false)
		m, also := back.groups(tail, true)
		if !ok || !also || n+m > 14 {
			return IP{}
		}
		copy(ip.bytes[16-m:], back.bytes[:m])
		ip.zeros = back.zeros
	} else if n, ok := ip.groups(text, true); !ok || n != 16 {
		return IP{}
	}
	ip.Family = 6
	return ip
}

// Problem is what Kubernetes says of an address that may not be used; empty when it may.
func (ip IP) Problem() string {
	switch {
	case ip.Family == 0:
		return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
	case ip.zeros:
		return "must not have leading 0s"
	case ip.mapped():
		return "must not be an IPv4-mapped IPv6 address"
	}
	return ""
}

// Warning is what Kubernetes says of an address that is written in another way than usual; empty when it is not.
func (ip IP) Warning(text string) string {
	switch plain := ip.String(); {
	case ip.Family == 0:
		return ""
	case ip.zeros || ip.mapped():
		return "non-standard IP address " + strconv.Quote(text) + " is invalid: use " + strconv.Quote(plain)
	case ip.Family == 6 && plain != text:
		return "IPv6 address " + strconv.Quote(text) + " should be in RFC 5952 canonical format (" + strconv.Quote(plain) + ")"
	}
	return ""
}

func (ip IP) mapped() bool {
	for _, b := range ip.bytes[:10] {
		if b != 0 {
			return false
		}
	}
	return ip.Family == 6 && ip.bytes[10] == 0xff && ip.bytes[11] == 0xff
}

// String is the canonical form: of IPv6 with the longest run of zeros cut short.
func (ip IP) String() string {
	if ip.Family == 4 || ip.mapped() {
		parts := make([]string, 4)
		for i, b := range ip.bytes[12:] {
			parts[i] = strconv.Itoa(int(b))
		}
		return strings.Join(parts, ".")
	}
	var group [8]uint64
	for i := range group {
		group[i] = uint64(ip.bytes[2*i])<<8 | uint64(ip.bytes[2*i+1])
	}
	from, to := longestZeros(group)
	var dst []byte
	for i := 0; i < 8; i++ {
		if i == from {
			dst = append(dst, "::"...)
			i = to - 1
			continue
		}
		if i > 0 && i != to {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, group[i], 16)
	}
	return string(dst)
}

// longestZeros is the first longest run of at least two zeros; -1, -1 where there is none.
func longestZeros(group [8]uint64) (from, to int) {
	from, to = -1, -1
	for i := 0; i < 8; i++ {
		j := i
		for j < 8 && group[j] == 0 {
			j++
		}
		if j-i >= 2 && j-i > to-from {
			from, to = i, j
		}
		i = max(i, j-1)
	}
	return from, to
}

// parse4 reads an IPv4 address into four bytes.
func (ip *IP) parse4(text string, at int) bool {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return false
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || strings.Trim(part, "0123456789") != "" {
			return false
		}
		ip.bytes[at+i] = byte(n)
		ip.zeros = ip.zeros || len(part) > 1 && part[0] == '0'
	}
	return true
}

// groups reads a part of an IPv6 address into the first bytes and counts them; an IPv4 address may end it.
func (ip *IP) groups(part string, last bool) (n int, ok bool) {
	if part == "" {
		return 0, true
	}
	list := strings.Split(part, ":")
	for i, text := range list {
		if n > 14 {
			return 0, false
		}
		if last && i == len(list)-1 && n <= 12 && ip.parse4(text, n) {
			return n + 4, true
		}
		value, err := strconv.ParseUint(text, 16, 16)
		if err != nil || len(text) > 4 || text[0] == '+' {
			return 0, false
		}
		ip.bytes[n], ip.bytes[n+1] = byte(value>>8), byte(value)
		n += 2
	}
	return n, true
}
