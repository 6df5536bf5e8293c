package managed

import "bytes"

// walk compares two objects, old on the left and new on the right, and collects in a tree what differs.
type walk struct {
	*tree
	l, r   []byte
	lf, rf span   // their managedFields, whose ends are known
	same   int    // how many bytes at the end the two have in common
	done   bool   // what is yet to come is the same on both sides
	items  []item // of all lists that are being compared, a stack
	texts  []byte // the text of their path elements
	only   string // the one top-level field that is looked at; "": all
	err    error  // the first element that has no key
}

// compareObjects returns the root of the differences.
func (w *walk) compareObjects(by *typ, scope Scope) (int32, error) {
	root := w.push(0, nil)
	w.same, w.done, w.only, w.err = commonSuffix(w.l, w.r), false, scope.only, nil
	w.value(root, by, 0, 0, scope.walked())
	w.nodes[root].flags = 0
	return root, w.err
}

func commonSuffix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+64 <= most && bytes.Equal(a[len(a)-n-64:len(a)-n], b[len(b)-n-64:len(b)-n]) {
		n += 64
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// identical tells whether everything from i and j on is the same.
func (w *walk) identical(i, j int) bool {
	return len(w.l)-i == len(w.r)-j && len(w.l)-i <= w.same
}

// forms are the parts of a type.
type forms uint8

const (
	scalarForm forms = 1 << iota
	listForm
	mapForm
)

func (t *typ) forms() (f forms) {
	if t.scalar {
		f |= scalarForm
	}
	if t.list != nil {
		f |= listForm
	}
	if t.fields != nil {
		f |= mapForm
	}
	return f
}

// formsFor are the parts of a type that apply to a value: one, where the value says which.
func (t *typ) formsFor(c class) forms {
	all := t.forms()
	one := formOf[c]
	if one&all != 0 {
		return one
	}
	return all
}

var formOf = [...]forms{none: 0, isNull: 0, isScalar: scalarForm, isList: listForm, isMap: mapForm}

// value compares the values at i and j, a negative one being absent, and returns where they end. The ends mean nothing once the
// walk is done.
func (w *walk) value(at int32, by *typ, i, j int, skip *paths) (int, int) {
	lc, rc := classOf(w.l, i), classOf(w.r, j)
	lf, rf := by.formsFor(lc), by.formsFor(rc)
	form := rf
	switch {
	case j < 0:
		form = lf
	case i >= 0 && lf != rf:
		// The two are of different types: what each of them has is told apart by its own.
		w.form(at, by, lf, i, j, skip)
		w.form(at, by, rf, i, j, skip)
		return w.ends(i, j)
	}
	leaf, m, n := w.form(at, by, form, i, j, skip)
	if !leaf {
		w.presence(at, i, j)
	}
	return m, n
}

// presence marks what is on one side only.
func (w *walk) presence(at int32, i, j int) {
	switch {
	case i < 0:
		w.nodes[at].flags |= added
	case j < 0:
		w.nodes[at].flags |= removed
	}
}

func (w *walk) ends(i, j int) (m, n int) {
	m, n = -1, -1
	switch {
	case i < 0:
	case i == w.lf.begin:
		m = w.lf.end
	default:
		m = valueEnd(w.l, i)
	}
	switch {
	case j < 0:
	case j == w.rf.begin:
		n = w.rf.end
	default:
		n = valueEnd(w.r, j)
	}
	return m, n
}

// form compares two values by one part of their type. leaf tells whether they were compared as a whole.
func (w *walk) form(at int32, by *typ, form forms, i, j int, skip *paths) (leaf bool, m, n int) {
	switch {
	case form&mapForm != 0:
		li, rj := filled(w.l, i, isMap), filled(w.r, j, isMap)
		if by.fields.atomic || li < 0 && rj < 0 {
			break
		}
		m, n = w.members(at, by.fields, i, j, skip)
		return false, m, n
	case form&scalarForm != 0:
	case form&listForm != 0:
		li, rj := filled(w.l, i, isList), filled(w.r, j, isList)
		if by.list.atomic || li < 0 && rj < 0 {
			break
		}
		m, n = w.ends(i, j)
		if li < 0 || rj < 0 || !bytes.Equal(w.l[i:m], w.r[j:n]) {
			w.list(at, by.list, li, rj)
		}
		return false, m, n
	}
	m, n = w.ends(i, j)
	w.presence(at, i, j)
	if i >= 0 && j >= 0 && !equal(w.l[i:m], w.r[j:n]) {
		w.nodes[at].flags |= modified
	}
	return true, m, n
}

// filled is i where an object or array stands there that is not empty, and -1 otherwise.
func filled(b []byte, i int, c class) int {
	if classOf(b, i) != c || isEmpty(b, i) {
		return -1
	}
	return i
}

// side is one of two objects whose members are walked together.
type side struct {
	in    []byte
	at    int // where the member begins; where the object ends after the last one
	key   []byte
	value int
	more  bool
}

func (w *walk) side(in []byte, i int) (s side) {
	s.in = in
	if filled(in, i, isMap) >= 0 {
		s.at = i + 1
		s.key, s.value, s.more = member(in, s.at)
	}
	return s
}

// next goes on behind a value that ends at end.
func (s *side) next(end int) {
	s.at = after(s.in, end)
	s.key, s.value, s.more = member(s.in, s.at)
}

// members compares objects member by member. One of them may be absent, or no object.
func (w *walk) members(at int32, by *mapType, i, j int, skip *paths) (int, int) {
	l, r := w.side(w.l, i), w.side(w.r, j)
	both, hint, root := l.more && r.more, 0, i == 0 && j == 0
	for l.more || r.more {
		if both && w.identical(l.at, r.at) {
			w.done = true
			return 0, 0
		}
		order := 0
		switch {
		case !r.more:
			order = -1
		case !l.more:
			order = 1
		default:
			order = bytes.Compare(l.key, r.key)
		}
		key, li, rj := l.key, l.value, r.value
		switch {
		case order < 0:
			rj = -1
		case order > 0:
			key, li = r.key, -1
		}
		below := skip.child(key)
		var m, n int
		if below != nil && below.all || root && w.only != "" && string(key) != w.only {
			m, n = w.ends(li, rj)
		} else {
			child := w.push('f', key)
			m, n = w.value(child, by.child(key, &hint), li, rj, below)
			w.keep(at, child)
			if w.done {
				return 0, 0
			}
		}
		if order <= 0 {
			l.next(m)
		}
		if order >= 0 {
			r.next(n)
		}
	}
	return w.endOf(l, i), w.endOf(r, j)
}

// endOf is where the object of a side ends, or whatever stands there in its place.
func (w *walk) endOf(s side, i int) int {
	switch {
	case i < 0:
		return -1
	case s.at == 0:
		return valueEnd(s.in, i)
	}
	return pastClose(s.in, s.at)
}
