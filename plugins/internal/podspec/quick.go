package podspec

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// quick reads an ordinary quantity: digits, and one of the usual suffixes. ok is false for any other, which the
// quantity package then reads. written tells whether this is its canonical form.
func quick(text string) (milli int64, written, ok bool) {
	n, i := int64(0), 0
	for ; i < len(text) && '0' <= text[i] && text[i] <= '9'; i++ {
		n = n*10 + int64(text[i]-'0')
	}
	if i == 0 || i > 12 || text[0] == '0' && i > 1 {
		return 0, false, false
	}
	base, factor := int64(1000), int64(1000)
	switch text[i:] {
	case "":
	case "m":
		factor = 1
	case "k":
		factor = 1e6
	case "M":
		factor = 1e9
	case "Ki":
		base, factor = 1024, 1000<<10
	case "Mi":
		base, factor = 1024, 1000<<20
	case "Gi":
		base, factor = 1024, 1000<<30
	default:
		return 0, false, false
	}
	if n > 9e18/factor {
		return 0, false, false
	}
	return n * factor, n%base != 0 || text == "0", true
}

// Compare compares two quantities; ok is false where one of them is none.
func Compare(a, b tree.Node) (order int, ok bool) {
	x, _, xok := quick(a.String())
	y, _, yok := quick(b.String())
	if xok && yok {
		switch {
		case x < y:
			return -1, true
		case x > y:
			return 1, true
		}
		return 0, true
	}
	p, pok := parse(a)
	q, qok := parse(b)
	return p.Cmp(q), pok && qok
}

// Positive tells whether a value is a quantity above zero.
func Positive(n tree.Node) bool {
	if milli, _, ok := quick(n.String()); ok {
		return milli > 0
	}
	q, ok := parse(n)
	return ok && q.Sign() > 0
}

// isWhole tells whether a value is no quantity, or one without decimal places.
func isWhole(n tree.Node) bool {
	if milli, _, ok := quick(n.String()); ok {
		return milli%1000 == 0
	}
	q, ok := parse(n)
	return !ok || q.IsInteger()
}
