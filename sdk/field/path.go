// Package field holds the errors of validation: what is wrong, and where.
//
// Names and texts are those of k8s.io/apimachinery/pkg/util/validation/field.
package field

import "strconv"

// Path is the way from a root to one field. A nil Path is no field.
type Path struct {
	name   string // empty for a subscript
	index  string
	parent *Path
}

// NewPath is the path of a field of the object: NewPath("spec", "replicas").
func NewPath(name string, more ...string) *Path {
	p := &Path{name: name}
	for _, name := range more {
		p = &Path{name: name, parent: p}
	}
	return p
}

// Root is the first element of the path.
func (p *Path) Root() *Path {
	for p.parent != nil {
		p = p.parent
	}
	return p
}

// Child is the path of a field below p.
func (p *Path) Child(name string, more ...string) *Path {
	p = &Path{name: name, parent: p}
	for _, name := range more {
		p = &Path{name: name, parent: p}
	}
	return p
}

// Index is the path of an element of the list at p.
func (p *Path) Index(index int) *Path {
	return &Path{index: strconv.Itoa(index), parent: p}
}

// Key is the path of an entry of the map at p.
func (p *Path) Key(key string) *Path {
	return &Path{index: key, parent: p}
}

// String writes the path as spec.ports[0].name; a nil Path is "<nil>".
func (p *Path) String() string {
	if p == nil {
		return "<nil>"
	}
	return string(p.append(nil))
}

func (p *Path) append(dst []byte) []byte {
	if p.parent != nil {
		dst = p.parent.append(dst)
	}
	if p.name == "" {
		dst = append(dst, '[')
		dst = append(dst, p.index...)
		return append(dst, ']')
	}
	if p.parent != nil {
		dst = append(dst, '.')
	}
	return append(dst, p.name...)
}
