package managed

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// item is an element of one of two lists that are compared.
type item struct {
	text  []byte // of its path element
	at    int
	right bool
}

// ElementError reports an element of a list that cannot be told from the others: Kubernetes does not track such an object.
type ElementError struct{ Reason string }

func (e *ElementError) Error() string { return e.Reason }

// list compares two lists element by element, by their keys or values. One of them may be absent.
func (w *walk) list(at int32, by *listType, i, j int) {
	base := len(w.items)
	w.gather(by, w.l, i, false)
	w.gather(by, w.r, j, true)
	items := w.items[base:]
	slices.SortFunc(items, func(a, b item) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		if a.right != b.right {
			if b.right {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.at, b.at)
	})
	kind := byte('v')
	if len(by.keys) > 0 {
		kind = 'k'
	}
	for len(items) > 0 {
		n := 1
		for n < len(items) && bytes.Equal(items[n].text, items[0].text) {
			n++
		}
		left := 0
		for left < n && !items[left].right {
			left++
		}
		child := w.push(kind, items[0].text)
		w.elements(child, by.element, items[:left], items[left:n])
		w.keep(at, child)
		items = items[n:]
	}
	w.items = w.items[:base]
}

// elements compares what two lists have under one key: an element each, usually. Elements with a key that is not theirs
// alone are compared together, as a whole.
func (w *walk) elements(at int32, by *typ, l, r []item) {
	one := func(i, j int) {
		w.value(at, by, i, j, nil)
		w.done = false
	}
	first := func(items []item) int {
		if len(items) == 0 {
			return -1
		}
		return items[0].at
	}
	switch {
	case len(l) <= 1 && len(r) <= 1:
		one(first(l), first(r))
	case len(l) >= 2 && len(r) >= 2:
		if !w.equalItems(l, r) {
			w.nodes[at].flags |= modified
		}
	case len(l) >= 2:
		if len(r) != 0 {
			one(-1, r[0].at)
		}
		w.nodes[at].flags |= removed
	default:
		if len(l) != 0 {
			one(l[0].at, -1)
		}
		w.nodes[at].flags |= added
	}
}

func (w *walk) equalItems(l, r []item) bool {
	if len(l) != len(r) {
		return false
	}
	for i := range l {
		m, n := w.ends(l[i].at, r[i].at)
		if !equal(w.l[l[i].at:m], w.r[r[i].at:n]) {
			return false
		}
	}
	return true
}

// gather lists the elements of the array at i, if there is one.
func (w *walk) gather(by *listType, in []byte, i int, right bool) {
	if i < 0 {
		return
	}
	for i++; i < len(in) && in[i] != ']'; {
		begin := len(w.texts)
		if err := w.elementText(by, in, i); err != nil {
			w.texts = w.texts[:begin]
			if w.err == nil {
				w.err = err
			}
		} else {
			w.items = append(w.items, item{w.texts[begin:len(w.texts):len(w.texts)], i, right})
		}
		end := valueEnd(in, i)
		if end == i {
			return // not JSON
		}
		i = after(in, end)
	}
}

// elementText appends the text of the path element of the array element at i to texts.
func (w *walk) elementText(by *listType, in []byte, i int) error {
	if len(by.keys) == 0 {
		if c := classOf(in, i); c != isScalar {
			return &ElementError{"a set has an element that is no scalar"}
		}
		w.texts = appendScalarText(w.texts, in[i:valueEnd(in, i)])
		return nil
	}
	if classOf(in, i) != isMap {
		return &ElementError{"an associative list with keys may not have non-map elements"}
	}
	w.texts = append(w.texts, '{')
	found, next := 0, 0
	key := func(raw []byte) {
		if raw == nil {
			return
		}
		if found++; found > 1 {
			w.texts = append(w.texts, ',')
		}
		w.texts = append(append(append(w.texts, `\"`...), by.keys[next]...), `\":`...)
		w.texts = appendScalarText(w.texts, raw)
	}
	for i++; next < len(by.keys); {
		name, value, ok := member(in, i)
		for next < len(by.keys) && (!ok || by.keys[next] < string(name)) {
			key(by.defaults[next])
			next++
		}
		if !ok {
			break
		}
		end := valueEnd(in, value)
		if next < len(by.keys) && by.keys[next] == string(name) {
			key(in[value:end])
			next++
		}
		i = after(in, end)
	}
	if found == 0 {
		return &ElementError{fmt.Sprintf("an associative list with keys has an element that omits all key fields %q", by.keys)}
	}
	w.texts = append(w.texts, '}')
	return nil
}

// appendScalarText appends a raw value as it stands in a key of FieldsV1.
func appendScalarText(out, raw []byte) []byte {
	switch {
	case isNumber(raw):
		return appendNumber(out, raw)
	case plainText(raw):
		return append(append(append(out, `\"`...), raw[1:len(raw)-1]...), `\"`...)
	}
	return appendElementText(out, raw)
}

// plainText tells whether a raw value is a string that needs no escapes of its own, be it as Kubernetes' encoder has them.
func plainText(raw []byte) bool {
	if len(raw) < 2 || raw[0] != '"' {
		return false
	}
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c == '"' || c == '<' || c == '>' || c == '&' || c >= 0x80 {
			return false
		}
	}
	return true
}
