package managed

import "bytes"

// tree holds sets of fields: nodes, all of one write in one slice, that refer to each other by their index. Node 0 is none.
type tree struct{ nodes []node }

// node is one step of a path. The nodes below one are a list in the order of kind and key.
type node struct {
	key   []byte // what follows the colon in FieldsV1, as it stands between the quotes
	kind  byte   // f: a field; k, v: an element by its keys or value; i: one by its index
	flags flags
	first int32
	last  int32 // only while nodes are appended
	next  int32
}

// flags say what of a path itself, not of what is below it.
type flags uint8

const (
	owned    flags = 1 << iota // it is in the set
	added                      // the new object has it, the old one has not
	removed                    // the old object has it, the new one has not
	modified                   // both have it, and differ

	changed = added | removed | modified
)

// push makes a node that is not yet below another.
func (t *tree) push(kind byte, key []byte) int32 {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, node{})
	}
	t.nodes = append(t.nodes, node{key: key, kind: kind})
	return int32(len(t.nodes) - 1)
}

// link puts a node behind the last one below another.
func (t *tree) link(above, child int32) {
	if last := t.nodes[above].last; last != 0 {
		t.nodes[last].next = child
	} else {
		t.nodes[above].first = child
	}
	t.nodes[above].last = child
}

// keep links the newest node where it or something below it says something, and drops it otherwise.
func (t *tree) keep(above, child int32) {
	if n := &t.nodes[child]; n.flags != 0 || n.first != 0 {
		t.link(above, child)
		return
	}
	t.nodes[child] = node{}
	t.nodes = t.nodes[:child]
}

// empty tells whether nothing is said of a path or below it.
func (t *tree) empty(at int32) bool { return t.nodes[at].flags == 0 && t.nodes[at].first == 0 }

// compare orders nodes.
func compare(a, b *node) int {
	if a.kind != b.kind {
		return int(a.kind) - int(b.kind)
	}
	return bytes.Compare(a.key, b.key)
}

// subtract takes out of a set what a comparison says has changed, and tells whether it took anything.
func (t *tree) subtract(set, diff int32) (took bool) {
	d, before := t.nodes[diff].first, int32(0)
	for c := t.nodes[set].first; c != 0 && d != 0; c = t.nodes[c].next {
		for d != 0 && compare(&t.nodes[d], &t.nodes[c]) < 0 {
			d = t.nodes[d].next
		}
		if d == 0 || compare(&t.nodes[d], &t.nodes[c]) > 0 {
			before = c
			continue
		}
		if t.nodes[d].flags&changed != 0 && t.nodes[c].flags&owned != 0 {
			t.nodes[c].flags &^= owned
			took = true
		}
		took = t.subtract(c, d) || took
		if t.empty(c) {
			t.unlink(set, before, c)
		} else {
			before = c
		}
	}
	return took
}

// unlink takes the child that follows before out of a list.
func (t *tree) unlink(above, before, child int32) {
	if before == 0 {
		t.nodes[above].first = t.nodes[child].next
	} else {
		t.nodes[before].next = t.nodes[child].next
	}
}

// union puts into a set what another one has, or what a comparison says is new or modified. The other one is not changed.
func (t *tree) union(set, other int32, which flags) {
	c, before := t.nodes[set].first, int32(0)
	for o := t.nodes[other].first; o != 0; o = t.nodes[o].next {
		if !t.has(o, which) {
			continue
		}
		for c != 0 && compare(&t.nodes[c], &t.nodes[o]) < 0 {
			before, c = c, t.nodes[c].next
		}
		if c == 0 || compare(&t.nodes[c], &t.nodes[o]) > 0 {
			fresh := t.push(t.nodes[o].kind, t.nodes[o].key)
			t.nodes[fresh].next = c
			if before == 0 {
				t.nodes[set].first = fresh
			} else {
				t.nodes[before].next = fresh
			}
			c = fresh
		}
		if t.nodes[o].flags&which != 0 {
			t.nodes[c].flags |= owned
		}
		t.union(c, o, which)
	}
}

// has tells whether any of the flags is set here or below.
func (t *tree) has(at int32, which flags) bool {
	if t.nodes[at].flags&which != 0 {
		return true
	}
	for c := t.nodes[at].first; c != 0; c = t.nodes[c].next {
		if t.has(c, which) {
			return true
		}
	}
	return false
}

// child finds a field below a node, or returns 0.
func (t *tree) child(above int32, field string) int32 {
	for c := t.nodes[above].first; c != 0; c = t.nodes[c].next {
		if t.nodes[c].kind == 'f' && string(t.nodes[c].key) == field {
			return c
		}
	}
	return 0
}

// reconcile follows a change of the schema: where a set has parts of what is now owned as a whole, it gets the whole. It tells
// whether anything changed.
func (t *tree) reconcile(at int32, by *typ, root bool) (changed bool) {
	parts := t.nodes[at].first != 0
	switch {
	case !parts || by.fields != nil && by.fields.untyped:
		return false
	case by.fields != nil && by.fields.atomic, by.fields == nil && !by.scalar && by.list != nil && by.list.atomic:
		if root {
			return false
		}
		t.nodes[at].first, t.nodes[at].flags = 0, owned
		return true
	case by.fields == nil && (by.scalar || by.list == nil):
		return false
	}
	hint := 0
	for c := t.nodes[at].first; c != 0; c = t.nodes[c].next {
		below := by.list.of()
		if by.fields != nil {
			below = by.fields.other
			if t.nodes[c].kind == 'f' {
				below = by.fields.child(t.nodes[c].key, &hint)
			}
		}
		changed = t.reconcile(c, below, false) || changed
	}
	return changed
}

// of is the type of the elements.
func (l *listType) of() *typ {
	if l == nil {
		return nil
	}
	return l.element
}
