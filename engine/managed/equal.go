package managed

import (
	"bytes"
	"strconv"
)

// equal tells whether two raw values are the same to Kubernetes: floats may be written in several ways.
func equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	kind := classOf(a, 0)
	if kind != classOf(b, 0) {
		return false
	}
	switch kind {
	case isScalar:
		return equalNumbers(a, b)
	case isMap, isList:
		_, _, same := equalAt(a, b, 0, 0)
		return same
	}
	return false
}

// equalAt compares the values at i and j and returns where they end.
func equalAt(a, b []byte, i, j int) (int, int, bool) {
	kind := classOf(a, i)
	if kind != classOf(b, j) {
		return 0, 0, false
	}
	if kind != isMap && kind != isList {
		m, n := valueEnd(a, i), valueEnd(b, j)
		return m, n, bytes.Equal(a[i:m], b[j:n]) || kind == isScalar && equalNumbers(a[i:m], b[j:n])
	}
	i, j = i+1, j+1
	for i < len(a) && j < len(b) && a[i] != '}' && a[i] != ']' && b[j] != '}' && b[j] != ']' {
		if kind == isMap {
			ak, av, aok := member(a, i)
			bk, bv, bok := member(b, j)
			if !aok || !bok || !bytes.Equal(ak, bk) {
				return 0, 0, false
			}
			i, j = av, bv
		}
		m, n, same := equalAt(a, b, i, j)
		if !same || m <= i || n <= j {
			return 0, 0, false
		}
		i, j = after(a, m), after(b, n)
	}
	if i >= len(a) || j >= len(b) || a[i] != b[j] {
		return 0, 0, false
	}
	return i + 1, j + 1, true
}

// equalNumbers compares numbers of which at least one is no integer in its plain form.
func equalNumbers(a, b []byte) bool {
	if !isNumber(a) || !isNumber(b) {
		return false
	}
	x, errX := strconv.ParseInt(string(a), 10, 64)
	y, errY := strconv.ParseInt(string(b), 10, 64)
	if errX == nil && errY == nil {
		return x == y
	}
	f, errF := strconv.ParseFloat(string(a), 64)
	g, errG := strconv.ParseFloat(string(b), 64)
	return errF == nil && errG == nil && f == g
}

func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// graft is the new value with every part that equals the old one written as the old one is.
func graft(out, value, old []byte) []byte {
	if equal(value, old) {
		return append(out, old...)
	}
	if classOf(value, 0) != isMap || classOf(old, 0) != isMap {
		return append(out, value...)
	}
	out = append(out, '{')
	for i := 1; ; {
		key, at, ok := member(value, i)
		if !ok {
			return append(out, '}')
		}
		end := valueEnd(value, at)
		if i > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), key...), `":`...)
		out = graft(out, value[at:end], lookup(old, string(key)))
		i = after(value, end)
	}
}
