package managed

import (
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// Scope says which part of an object a write can change. The zero value is all of it.
type Scope struct {
	excluded *paths
	only     string
	list     []string
}

// Excluding is the scope of a write that cannot change what stands at some paths (".status", ".spec.nodeName").
func Excluding(list ...string) Scope {
	root := &paths{}
	root.add([]string{"metadata", "managedFields"}) // nobody owns them
	for _, path := range list {
		if at := split(path); len(at) > 0 {
			root.add(at)
		}
	}
	return Scope{excluded: root, list: list}
}

// Only is the scope of a write that changes nothing but one top-level field.
func Only(field string) Scope { return Scope{only: field} }

// split takes a path of field names apart.
func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' })
}

// filter is the scope as structured-merge-diff wants it; nil for everything.
func (s Scope) filter() fieldpath.Filter {
	switch {
	case s.only != "":
		return fieldpath.NewIncludeMatcherFilter(fieldpath.MakePrefixMatcherOrDie(s.only))
	case len(s.list) == 0:
		return nil
	}
	set := fieldpath.NewSet()
	for _, path := range s.list {
		var at fieldpath.Path
		for _, name := range split(path) {
			at = append(at, fieldpath.FieldNameElement(name))
		}
		set.Insert(at)
	}
	return fieldpath.NewExcludeSetFilter(set)
}

// walked is what a walk leaves out.
func (s Scope) walked() *paths {
	if s.excluded == nil {
		return unowned
	}
	return s.excluded
}

var unowned = Excluding().excluded

// paths is a set of paths of field names, with all that is below them.
type paths struct {
	all   bool
	below map[string]*paths // by name, as it stands between the quotes
}

func (p *paths) add(path []string) {
	for _, name := range path {
		if p.below == nil {
			p.below = map[string]*paths{}
		}
		next := p.below[jsontext.Inner(name)]
		if next == nil {
			next = &paths{}
			p.below[jsontext.Inner(name)] = next
		}
		p = next
	}
	p.all = true
}

// child is what is left out below a key, nil for nothing.
func (p *paths) child(key []byte) *paths {
	if p == nil {
		return nil
	}
	return p.below[string(key)]
}
