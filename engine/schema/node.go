package schema

import (
	"slices"
	"strings"
)

// kinds is a set of JSON types.
type kinds uint8

const (
	stringKind kinds = 1 << iota
	integerKind
	numberKind // integers too
	booleanKind
	objectKind
	arrayKind

	anyKind = stringKind | integerKind | numberKind | booleanKind | objectKind | arrayKind
)

// kindNames are OpenAPI's names of the types.
var kindNames = map[string]kinds{
	"string": stringKind, "integer": integerKind, "number": numberKind,
	"boolean": booleanKind, "object": objectKind, "array": arrayKind,
}

// node is a type: one schema object of the document. Components are one node, however often they are referred to, so nodes
// form a graph that may have cycles. It is immutable once compiled.
type node struct {
	name   string // of a component, shortened: "v1.PodSpec"; empty for others
	kinds  kinds
	format string
	width  int  // of integers: 32, 64, or 0 for any that JSON can name
	time   bool // Decode demands RFC 3339

	props      []property // sorted by key
	additional *use       // of the values under other keys; nil: there are no other keys
	items      *use       // nil: anything
	preserve   bool       // unknown fields stay
	embedded   bool       // a resource inside the object

	rules    *rules // nil: none
	defaults []int  // the props that have a default

	opaque      bool // nothing is known about what is inside
	hasDefaults bool // here or below
	hasRules    bool // here or below
}

// property is a field of an object.
type property struct {
	key string // as it stands between the quotes in canonical JSON
	use *use   // what Decode and PatchMeta go by
	own *use   // what Default and Validate go by: the same, but for metadata; nil: nothing
}

// use is one place where a node stands, with all that is said about the place rather than the type.
type use struct {
	node     *node
	nullable bool

	raw    []byte // the default as it was given; nil: none
	def    []byte // the default with the defaults inside it
	prefix []byte // a property's `,"key":`
	member []byte // a property's `,"key":default,`

	patchStrategy string
	patchMergeKey string
}

// find looks up a key among the properties, then among all keys. hint is where the last search ended; as the keys of an
// object are sorted, searches go on from there.
func (n *node) find(key []byte, hint *int) *property {
	i := *hint
	for i < len(n.props) && n.props[i].key < string(key) {
		i++
	}
	*hint = i
	if i < len(n.props) && n.props[i].key == string(key) {
		return &n.props[i]
	}
	if i > 0 && string(key) <= n.props[i-1].key { // the keys are not sorted
		return n.property(string(key))
	}
	return nil
}

// property is the property of that key, or nil.
func (n *node) property(key string) *property {
	i, ok := slices.BinarySearchFunc(n.props, key, func(p property, key string) int { return strings.Compare(p.key, key) })
	if !ok {
		return nil
	}
	return &n.props[i]
}

// put adds or replaces a property.
func (n *node) put(p property) {
	i, ok := slices.BinarySearchFunc(n.props, p.key, func(p property, key string) int { return strings.Compare(p.key, key) })
	if ok {
		n.props[i] = p
		return
	}
	n.props = slices.Insert(n.props, i, p)
}

// children calls fn for every use below the node, as Default and Validate see them.
func (n *node) children(fn func(*use)) {
	for i := range n.props {
		if own := n.props[i].own; own != nil {
			fn(own)
		}
	}
	if n.additional != nil {
		fn(n.additional)
	}
	if n.items != nil {
		fn(n.items)
	}
}

// String names the type as Go does, for messages.
func (n *node) String() string {
	switch {
	case n.name != "":
		return n.name
	case n.kinds == arrayKind && n.items != nil:
		return "[]" + n.items.node.String()
	case n.kinds == objectKind && n.additional != nil && len(n.props) == 0:
		return "map[string]" + n.additional.node.String()
	}
	if name := n.scalar(); name != "" {
		return name
	}
	var names []string
	for _, name := range [...]string{"integer", "number", "string", "boolean", "object", "array"} {
		if n.kinds&kindNames[name] != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

func (n *node) scalar() string {
	switch n.kinds {
	case integerKind:
		if n.width == 32 {
			return "int32"
		}
		return "int64"
	case numberKind:
		return "float64"
	case booleanKind:
		return "bool"
	case stringKind:
		return "string"
	}
	return ""
}
