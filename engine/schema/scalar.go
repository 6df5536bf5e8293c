package schema

import (
	"math"
	"strconv"
	"time"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// isInteger tells whether a number is an integer of that width.
//
//   - A width of 32 or 64 is a Go type, which takes no fraction and no exponent.
//   - Without a width 1.0 and 1e3 are integers too, as they are for custom resources, up to 2^53.
func isInteger(text []byte, width int) bool {
	if isDigits(text) && len(text) <= 9 { // fits in all
		return true
	}
	bits := width
	if bits == 0 {
		bits = 64
	}
	if _, err := strconv.ParseInt(string(text), 10, bits); err == nil {
		return true
	}
	if width != 0 {
		return false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// isDigits tells whether a number consists of digits, with or without a sign.
func isDigits(text []byte) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// time checks a string as metav1.Time does.
func (d *decoder) time(at *frame) error {
	start := d.pos
	if err := d.text(); err != nil {
		return err
	}
	raw := d.in[start+1 : d.pos-1]
	if isPlainTime(raw) {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, jsontext.Unquote(raw)); err != nil {
		return &TypeError{Path: at.String(), Found: "string", Expected: "Time", Cause: err}
	}
	return nil
}

// isPlainTime recognises what Kubernetes itself writes, "2006-01-02T15:04:05Z", without an allocation. Days are
// counted up to 28 only: the rest is left to time.Parse.
func isPlainTime(raw []byte) bool {
	const shape = "dddd-dd-ddTdd:dd:ddZ"
	if len(raw) != len(shape) {
		return false
	}
	for i, c := range raw {
		if shape[i] == 'd' && (c < '0' || c > '9') || shape[i] != 'd' && c != shape[i] {
			return false
		}
	}
	two := func(i int) int { return int(raw[i]-'0')*10 + int(raw[i+1]-'0') }
	month, day := two(5), two(8)
	return month >= 1 && month <= 12 && day >= 1 && day <= 28 && two(11) < 24 && two(14) < 60 && two(17) < 60
}
