// Package tree reads a JSON text once and walks it many times.
//
// Validation looks at nearly every field of an object, from many sides. A lookup that scans the text
// each time is too slow for that, so Parse lays the text out flat, one entry a value, and a Node is
// a place in it.
//
// The nouns, one file each:
//
//   - Node (tree.go): a value, and what is in it.
//   - Parse (parse.go): the text laid out.
//   - Edits (edits.go): changes to the text, applied all at once.
//   - Equal and Diff (equal.go): two values compared as Kubernetes compares them.
package tree

import "github.com/stratagem-dev/stratagem/sdk"

// Node is one value of a parsed text. The zero Node is a value that is absent.
//
//   - Null is absent, as Kubernetes has it: Get and Fields pass over it.
//   - It costs nothing to copy and stays as it was when edits are made.
type Node struct {
	doc *doc
	i   int32
}

// Exists tells whether there is a value.
func (n Node) Exists() bool { return n.doc != nil }

// IsObject tells whether the value is an object.
func (n Node) IsObject() bool { return n.is(kindObject) }

// IsArray tells whether the value is an array.
func (n Node) IsArray() bool { return n.is(kindArray) }

// IsString tells whether the value is a string.
func (n Node) IsString() bool { return n.is(kindString) }

// IsNumber tells whether the value is a number.
func (n Node) IsNumber() bool { return n.is(kindNumber) }

func (n Node) is(k kind) bool { return n.doc != nil && n.doc.entries[n.i].kind == k }

// Raw is the value's text; empty when absent.
func (n Node) Raw() string {
	if n.doc == nil {
		return ""
	}
	e := &n.doc.entries[n.i]
	return n.doc.text[e.start:e.end]
}

// Value is the value as the SDK has it.
func (n Node) Value() sdk.Value {
	if n.doc == nil {
		return sdk.Value{}
	}
	return sdk.ParseValue(n.Raw())
}

// String is a string's text, any other value's JSON, and empty when absent.
func (n Node) String() string {
	if n.doc == nil {
		return ""
	}
	e := &n.doc.entries[n.i]
	switch {
	case e.kind != kindString:
		return n.doc.text[e.start:e.end]
	case e.escaped:
		return sdk.ParseValue(n.doc.text[e.start:e.end]).String()
	}
	return n.doc.text[e.start+1 : e.end-1]
}

// Int is a number's integer part, and 0 for everything else.
func (n Node) Int() int64 {
	if !n.IsNumber() {
		return 0
	}
	raw := n.Raw()
	if len(raw) > 18 {
		return n.Value().Int()
	}
	total := int64(0)
	for i := 0; i < len(raw); i++ {
		digit := raw[i] - '0'
		if digit > 9 { // a sign, a point or an exponent
			return n.Value().Int()
		}
		total = total*10 + int64(digit)
	}
	return total
}

// True is true for true alone.
func (n Node) True() bool { return n.is(kindTrue) }

// Get is the value of an object's field.
func (n Node) Get(key string) Node {
	if i := n.find(key); i >= 0 && n.doc.entries[i].kind != kindNull {
		return Node{n.doc, i}
	}
	return Node{}
}

// Has tells whether an object has a field that is not null.
func (n Node) Has(key string) bool { return n.Get(key).Exists() }

// At is Get, field after field.
func (n Node) At(path ...string) Node {
	for _, key := range path {
		n = n.Get(key)
	}
	return n
}

// find is the place of a field, null or not; -1 when there is none. The server sends no key twice.
func (n Node) find(key string) int32 {
	if n.doc == nil {
		return -1
	}
	entries, hash := n.doc.entries, hashOf(key)
	if entries[n.i].keys&(1<<hash) == 0 {
		return -1
	}
	for i, end := n.i+1, entries[n.i].next; i < end; {
		e := &entries[i]
		if e.hash == hash && n.doc.key(i) == key {
			return i
		}
		i = e.next
	}
	return -1
}

// Len is the number of an array's items or an object's fields that are not null.
func (n Node) Len() int {
	count := 0
	if n.IsArray() || n.IsObject() {
		for i := n.i + 1; i < n.doc.entries[n.i].next; i = n.doc.entries[i].next {
			if n.doc.entries[i].kind != kindNull || n.IsArray() {
				count++
			}
		}
	}
	return count
}

// Empty tells whether there is nothing in the value: it is absent, or has no fields or items.
func (n Node) Empty() bool {
	return n.doc == nil || (n.IsArray() || n.IsObject()) && n.doc.entries[n.i].next == n.i+1
}

// Items ranges over an array; over nothing for any other value.
func (n Node) Items() func(yield func(int, Node) bool) {
	return func(yield func(int, Node) bool) {
		if !n.IsArray() {
			return
		}
		count := 0
		for i := n.i + 1; i < n.doc.entries[n.i].next; i = n.doc.entries[i].next {
			if !yield(count, Node{n.doc, i}) {
				return
			}
			count++
		}
	}
}

// Fields ranges over an object in the order of its text; over nothing for any other value.
func (n Node) Fields() func(yield func(string, Node) bool) {
	return func(yield func(string, Node) bool) {
		if !n.IsObject() {
			return
		}
		for i := n.i + 1; i < n.doc.entries[n.i].next; i = n.doc.entries[i].next {
			if n.doc.entries[i].kind == kindNull {
				continue
			}
			if !yield(n.doc.key(i), Node{n.doc, i}) {
				return
			}
		}
	}
}

// StringMap is an object with its values as strings; nil for any other value.
func (n Node) StringMap() map[string]string {
	if !n.IsObject() {
		return nil
	}
	m := make(map[string]string, n.Len())
	for key, value := range n.Fields() {
		m[key] = value.String()
	}
	return m
}
