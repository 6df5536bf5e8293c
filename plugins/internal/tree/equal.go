package tree

import (
	"strconv"
	"strings"
)

// Zero tells whether a field's value means the same as its absence.
type Zero func(key string, value Node) bool

// Equal compares two values, whatever the order of fields.
func Equal(a, b Node, zero Zero) bool {
	same := true
	compare(a, b, "", "", zero, func(string, Node, Node) bool {
		same = false
		return false
	})
	return same
}

// Diff lists the differences, a line for what was and one for what is, each with its path. It is empty where
// there are none.
func Diff(was, is Node, name string, zero Zero) string {
	var out strings.Builder
	compare(was, is, name, name, zero, func(path string, was, is Node) bool {
		if was.Exists() {
			out.WriteString("- " + path + ": " + was.Raw() + "\n")
		}
		if is.Exists() {
			out.WriteString("+ " + path + ": " + is.Raw() + "\n")
		}
		return true
	})
	return out.String()
}

// differ is told of each smallest difference; false stops the comparison.
type differ func(path string, a, b Node) bool

// compare is false once it was stopped. path is where the values are, key the field they are under.
func compare(a, b Node, path, key string, zero Zero, differ differ) bool {
	switch {
	case !a.Exists() && !b.Exists():
		return true
	case !a.Exists():
		return zero(key, b) || differ(path, a, b)
	case !b.Exists():
		return zero(key, a) || differ(path, a, b)
	case a.IsObject() && b.IsObject():
		return compareFields(a, b, path, zero, differ)
	case a.IsArray() && b.IsArray():
		return compareItems(a, b, path, zero, differ)
	case a.doc.entries[a.i].kind == b.doc.entries[b.i].kind && !a.IsObject() && !a.IsArray() && a.String() == b.String():
		return true
	}
	return differ(path, a, b)
}

func compareFields(a, b Node, path string, zero Zero, differ differ) bool {
	if a.Raw() == b.Raw() {
		return true
	}
	for key, value := range a.Fields() {
		if !compare(value, b.Get(key), path+"."+key, key, zero, differ) {
			return false
		}
	}
	for key, value := range b.Fields() {
		if !a.Has(key) && !compare(Node{}, value, path+"."+key, key, zero, differ) {
			return false
		}
	}
	return true
}

func compareItems(a, b Node, path string, zero Zero, differ differ) bool {
	if a.Raw() == b.Raw() {
		return true
	}
	if a.Len() != b.Len() {
		return differ(path, a, b)
	}
	ai, bi := a.i+1, b.i+1
	for i := 0; ai < a.doc.entries[a.i].next; i++ {
		if !compare(Node{a.doc, ai}, Node{b.doc, bi}, path+"["+strconv.Itoa(i)+"]", "", zero, differ) {
			return false
		}
		ai, bi = a.doc.entries[ai].next, b.doc.entries[bi].next
	}
	return true
}
