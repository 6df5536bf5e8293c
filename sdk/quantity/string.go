package quantity

import (
	"strconv"
	"strings"
)

// String writes the quantity in its canonical form: the largest suffix that needs no decimal places.
// A quantity that was given in what Kubernetes takes for that form is written as it was given.
func (q Quantity) String() string {
	switch {
	case q.text != "":
		return q.text
	case q.digits == "":
		return "0"
	}
	number, suffix := q.decimal()
	if q.format == binarySI && q.IsInteger() && q.cmpMagnitude(oneKi) >= 0 {
		number, suffix = q.binary()
	}
	if q.negative {
		number = "-" + number
	}
	return number + suffix
}

var oneKi = Quantity{digits: "1024"}

// decimal writes the magnitude with a power of ten that is a multiple of three.
func (q Quantity) decimal() (number, suffix string) {
	zeros := ((q.exponent % 3) + 3) % 3
	exponent := q.exponent - zeros
	if q.format != decimalExponent {
		if largest := nano + 3*(len(decimalSuffixes)-1); exponent > largest {
			zeros += exponent - largest
			exponent = largest
		}
		suffix = decimalSuffixes[(exponent-nano)/3]
	} else if exponent != 0 {
		suffix = "e" + strconv.Itoa(exponent)
	}
	return q.digits + strings.Repeat("0", zeros), suffix
}

// binary writes the magnitude, an integer of at most 2^63-1, with a power of 1024.
func (q Quantity) binary() (number, suffix string) {
	n, _ := strconv.ParseInt(q.digits+strings.Repeat("0", q.exponent), 10, 64)
	power := 0
	for n%1024 == 0 && power < len(binarySuffixes) {
		n /= 1024
		power++
	}
	if power > 0 {
		suffix = binarySuffixes[power-1]
	}
	return strconv.FormatInt(n, 10), suffix
}
