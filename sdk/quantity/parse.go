package quantity

import (
	"strconv"
	"strings"
)

// nano is the smallest power of ten that a quantity counts in.
const nano = -9

// maxBinary is 2^63-1, the largest quantity with a binary suffix.
var maxBinary = Quantity{digits: "9223372036854775807"}

// Parse reads a quantity, or returns ErrFormat, ErrNumeric or ErrSuffix.
func Parse(s string) (Quantity, error) {
	if s == "" {
		return Quantity{}, ErrFormat
	}
	p, ok := split(s)
	if !ok {
		return Quantity{}, ErrFormat
	}
	base, exponent, format, ok := interpret(p.suffix)
	if !ok {
		return Quantity{}, ErrSuffix
	}
	if p.numberless && !p.isShort(exponent, format) {
		return Quantity{}, ErrNumeric
	}
	q := Quantity{negative: p.negative, format: format}
	if base == 2 {
		q.magnitude(shiftLeft(p.whole+p.fraction, exponent), -len(p.fraction))
	} else {
		q.magnitude(p.whole+p.fraction, exponent-len(p.fraction))
	}
	q.roundUp()
	if format == binarySI {
		if q.cmpMagnitude(maxBinary) > 0 {
			q.digits, q.exponent = maxBinary.digits, 0
		}
		if len(q.digits)+q.exponent <= 0 && q.digits != "" {
			q.format = decimalSI // below 1
		}
	}
	if p.isWritten(exponent, format) {
		q.text = s
	}
	return q, nil
}

// parts is a quantity cut up: whole has no leading zeros but is not empty.
type parts struct {
	negative, numberless    bool
	whole, fraction, suffix string
}

// split cuts a quantity up. The sign, the digits before the point and those behind it may all be
// missing, as in Kubernetes.
func split(s string) (p parts, ok bool) {
	rest := s
	if rest[0] == '-' || rest[0] == '+' {
		p.negative, rest = rest[0] == '-', rest[1:]
	}
	p.whole, rest = digits(rest)
	if p.whole = strings.TrimLeft(p.whole, "0"); p.whole == "" {
		p.whole = "0"
	}
	if strings.HasPrefix(rest, ".") {
		p.fraction, rest = digits(rest[1:])
	}
	p.numberless = !strings.ContainsAny(s[:len(s)-len(rest)], "0123456789")
	p.suffix = rest
	rest = strings.TrimLeft(rest, "eEinumkKMGTP")
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	_, rest = digits(rest)
	return p, rest == ""
}

func digits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// interpret reads a suffix: what the number is to be multiplied with.
func interpret(suffix string) (base, exponent int, f format, ok bool) {
	for i, s := range decimalSuffixes {
		if s == suffix {
			return 10, nano + 3*i, decimalSI, true
		}
	}
	for i, s := range binarySuffixes {
		if s == suffix {
			return 2, 10 * (i + 1), binarySI, true
		}
	}
	if len(suffix) > 1 && (suffix[0] == 'e' || suffix[0] == 'E') {
		n, err := strconv.ParseInt(suffix[1:], 10, 64)
		return 10, int(int32(n)), decimalExponent, err == nil
	}
	return 0, 0, 0, false
}

var (
	decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binarySuffixes  = [...]string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// roundUp rounds away from zero what is finer than nano.
func (q *Quantity) roundUp() {
	excess := nano - q.exponent
	if q.digits == "" || excess <= 0 {
		return
	}
	kept := ""
	if excess < len(q.digits) {
		kept = q.digits[:len(q.digits)-excess]
	}
	q.magnitude(increment(kept), nano)
}

// isShort tells whether Kubernetes reads the number as an int64. It does so even when there are no
// digits: "." is 0, but ".e-12" is an error.
func (p parts) isShort(exponent int, f format) bool {
	const maxDigits = 18
	if f == binarySI {
		return p.fraction == "" && 14-len(p.whole)-exponent*3/10 >= 0
	}
	return len(p.whole)+len(p.fraction) <= maxDigits && exponent-len(p.fraction) >= nano
}

// isWritten tells whether the text is kept as it is: Kubernetes takes these forms for canonical.
func (p parts) isWritten(exponent int, f format) bool {
	if !p.isShort(exponent, f) {
		return false
	}
	if f == binarySI {
		n, _ := strconv.Atoi(p.whole)
		return n%8 != 0
	}
	number := p.whole + p.fraction
	return (exponent-len(p.fraction))%3 == 0 && !strings.HasSuffix(number, "000") && number[0] != '0'
}
