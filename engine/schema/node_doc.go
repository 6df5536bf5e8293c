package schema

import (
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// fill compiles the structure that a schema object describes.
func (c *compiler) fill(n *node, doc keywordDoc) error {
	if c.nodes = append(c.nodes, n); len(c.nodes) > maxNodes {
		return fail(doc.path, "the schema has more than %d parts", maxNodes)
	}
	for _, step := range []func(*node, keywordDoc) error{c.types, c.properties, c.elements, c.addRules} {
		if err := step(n, doc); err != nil {
			return err
		}
	}
	n.opaque = len(n.props) == 0 && n.additional == nil && !n.embedded && (n.preserve || n.kinds == anyKind)
	return nil
}

// types compiles which JSON types are taken.
func (c *compiler) types(n *node, doc keywordDoc) error {
	name, err := doc.text("type")
	if err != nil {
		return err
	}
	if n.format, err = doc.text("format"); err != nil {
		return err
	}
	intOrString, err := doc.flag("x-kubernetes-int-or-string")
	if err != nil {
		return err
	}
	if n.preserve, err = doc.flag("x-kubernetes-preserve-unknown-fields"); err != nil {
		return err
	}
	switch kind, known := kindNames[name]; {
	case name == "" && intOrString:
		n.kinds = integerKind | stringKind
		doc.dropUnion("anyOf")
	case intOrString:
		return fail(doc.path+"/type", "must be empty if x-kubernetes-int-or-string is true")
	case name == "":
		n.kinds = anyKind
		if union := doc.dropUnion("oneOf"); union != 0 {
			n.kinds = union
		} else if union := doc.dropUnion("anyOf"); union != 0 {
			n.kinds = union
		}
	case !known:
		return fail(doc.path+"/type", "%q is not one of array, boolean, integer, number, object, string", name)
	default:
		n.kinds = kind
	}
	switch {
	case n.kinds&integerKind != 0 && (n.format == "int32" || n.format == "int-or-string"):
		n.width = 32
	case n.kinds&integerKind != 0 && n.format == "int64":
		n.width = 64
	}
	n.time = c.strictTime && n.kinds == stringKind && n.format == "date-time"
	return nil
}

// dropUnion takes a keyword away that lists nothing but types, as Kubernetes writes a union of types, and returns these types.
func (doc keywordDoc) dropUnion(keyword string) (union kinds) {
	branches, _ := doc.members[keyword].([]any)
	for _, branch := range branches {
		b, _ := branch.(map[string]any)
		name, _ := b["type"].(string)
		kind := kindNames[name]
		if len(b) != 1 || kind == 0 || union&kind != 0 || (union|kind)&(integerKind|numberKind) == integerKind|numberKind {
			return 0
		}
		union |= kind
	}
	if union != 0 {
		delete(doc.members, keyword)
	}
	return union
}

// properties compiles what is known of the fields of an object.
func (c *compiler) properties(n *node, doc keywordDoc) (err error) {
	if n.embedded, err = doc.flag("x-kubernetes-embedded-resource"); err != nil {
		return err
	}
	if n.embedded && n.kinds != objectKind {
		return fail(doc.path+"/type", "must be object if x-kubernetes-embedded-resource is true")
	}
	fields, err := doc.schemas("properties")
	if err != nil {
		return err
	}
	n.props = make([]property, 0, len(fields))
	for name, tree := range fields {
		u, err := c.use(tree, doc.path+"/properties/"+pointer(name))
		if err != nil {
			return err
		}
		key := jsontext.Inner(name)
		u.prefix = []byte(`,"` + key + `":`)
		n.props = append(n.props, property{key: key, use: u, own: u})
	}
	slices.SortFunc(n.props, func(a, b property) int { return strings.Compare(a.key, b.key) })
	switch additional := doc.members["additionalProperties"].(type) {
	case nil, bool:
		if additional == true {
			n.additional = &use{node: anything, nullable: true}
		}
	default:
		if n.additional, err = c.use(additional, doc.path+"/additionalProperties"); err != nil {
			return err
		}
	}
	if n.embedded {
		return n.addMeta(c.meta)
	}
	return nil
}

// anything is the type of what nothing is said about.
var anything = &node{kinds: anyKind, opaque: true}

// elements compiles what is known of the elements of an array.
func (c *compiler) elements(n *node, doc keywordDoc) (err error) {
	if items, ok := doc.members["items"]; ok {
		n.items, err = c.use(items, doc.path+"/items")
	}
	return err
}

// pointer escapes a name for a JSON pointer.
func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
