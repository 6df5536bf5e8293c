// Package quantity reads and compares the quantities of resources: 100m, 1.5Gi, 2e3.
//
// It is exact, and understands what k8s.io/apimachinery/pkg/api/resource does. Quantities of more
// than nine decimal places are rounded up, binary ones above 2^63-1 are that number.
package quantity

import (
	"errors"
	"strings"
)

// Quantity is a parsed quantity. The zero Quantity is 0.
type Quantity struct {
	negative bool
	digits   string // without zeros at either end; empty for 0
	exponent int    // digits × 10^exponent
	format   format
	text     string // as given, when that is how it is written
}

type format uint8

const (
	decimalSI format = iota
	binarySI
	decimalExponent
)

// The errors of Parse.
var (
	ErrFormat  = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	ErrNumeric = errors.New("unable to parse numeric part of quantity")
	ErrSuffix  = errors.New("unable to parse quantity's suffix")
)

// Sign is -1, 0 or 1.
func (q Quantity) Sign() int {
	switch {
	case q.digits == "":
		return 0
	case q.negative:
		return -1
	}
	return 1
}

// IsZero tells whether the quantity is 0.
func (q Quantity) IsZero() bool { return q.digits == "" }

// IsInteger tells whether the quantity has no decimal places.
func (q Quantity) IsInteger() bool { return q.exponent >= 0 }

// Cmp is -1 when q is less than other, 0 when they are equal, 1 when it is more.
func (q Quantity) Cmp(other Quantity) int {
	sign := q.Sign()
	switch s := other.Sign(); {
	case sign < s:
		return -1
	case sign > s:
		return 1
	}
	return sign * q.cmpMagnitude(other)
}

func (q Quantity) cmpMagnitude(other Quantity) int {
	// The first digits stand for 10^(length+exponent-1).
	a, b := len(q.digits)+q.exponent, len(other.digits)+other.exponent
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return strings.Compare(q.digits, other.digits)
}

// magnitude sets the number, stripped of zeros at both ends.
func (q *Quantity) magnitude(digits string, exponent int) {
	digits = strings.TrimLeft(digits, "0")
	stripped := strings.TrimRight(digits, "0")
	q.digits, q.exponent = stripped, exponent+len(digits)-len(stripped)
	if stripped == "" {
		q.negative, q.exponent = false, 0
	}
}
