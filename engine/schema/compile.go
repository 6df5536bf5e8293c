package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds on what Compile takes; the largest built-in kinds need a tenth of each.
const (
	maxDocBytes     = 16 << 20
	maxNodes        = 50_000
	maxNesting      = 128
	maxDefaultBytes = 4 << 20 // of all defaults, those inside them included
)

// refPrefix begins the references that are understood.
const refPrefix = "#/components/schemas/"

// Compile compiles an OpenAPI v3 schema object whose references point to components.
//
//   - Components that nothing refers to are not looked at.
//   - A keyword that is not understood is an error, not ignored; see keywords. Extensions other than x-kubernetes-* are ignored.
//   - Any error is a *CompileError.
func Compile(doc json.RawMessage, components map[string]json.RawMessage) (*Schema, error) {
	meta, err := objectMeta()
	if err != nil {
		return nil, err
	}
	c := newCompiler(components)
	c.meta = meta
	root, err := c.root(doc)
	if err != nil {
		return nil, err
	}
	return &Schema{root: root, doc: doc, components: components, patchMeta: root.hasPatchMeta()}, nil
}

// compiler is one Compile under way.
type compiler struct {
	meta       *node // the type of metadata
	components map[string]json.RawMessage
	named      map[string]*use // components by name, while they are being compiled too
	nodes      []*node
	uses       []*use
	paths      map[*use]string
	bytes      int
	nesting    int
	logic      int  // how many allOf, anyOf, oneOf, not are around what is being compiled
	strictTime bool // date-time is checked by Decode
	custom     bool // rules in CEL are somebody else's

	expanding    map[*use]bool
	defaultBytes int
}

func newCompiler(components map[string]json.RawMessage) *compiler {
	return &compiler{components: components, named: map[string]*use{}, paths: map[*use]string{}, expanding: map[*use]bool{}}
}

func fail(path, format string, args ...any) error {
	return &CompileError{Path: path, Reason: fmt.Sprintf(format, args...)}
}

func (c *compiler) root(doc json.RawMessage) (*node, error) {
	tree, err := c.parse(doc, "#")
	if err != nil {
		return nil, err
	}
	u, err := c.use(tree, "#")
	if err != nil {
		return nil, err
	}
	root := *u.node // a copy: a component that refers to itself does not become an object with metadata inside
	root.props = slices.Clone(root.props)
	if root.kinds == anyKind {
		root.kinds = objectKind
	}
	if root.kinds != objectKind {
		return nil, fail("#/type", "must be object at the root")
	}
	if c.meta != nil {
		if err := root.addMeta(c.meta); err != nil {
			return nil, err
		}
	}
	c.nodes = append(c.nodes, &root)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return &root, nil
}

// addMeta makes apiVersion, kind and metadata known.
func (n *node) addMeta(meta *node) error {
	for key, builtin := range map[string]*node{"apiVersion": plainString, "kind": plainString, "metadata": meta} {
		p := property{key: key, use: &use{node: builtin}}
		if own := n.property(key); own != nil {
			p.own = own.own
			if own.own != nil && own.own.node.kinds&builtin.kinds == 0 {
				return fail("#/properties/"+key+"/type", "must be %s", builtin)
			}
		}
		n.put(p)
	}
	n.opaque = false
	return nil
}

// plainString is the type of apiVersion and kind.
var plainString = &node{kinds: stringKind}

// parse decodes a document into a tree.
func (c *compiler) parse(doc json.RawMessage, path string) (any, error) {
	if c.bytes += len(doc); c.bytes > maxDocBytes {
		return nil, fail(path, "the schema is larger than %d bytes", maxDocBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fail(path, "%v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fail(path, "something follows the schema")
	}
	return tree, nil
}

// use compiles what stands at one place of the document.
func (c *compiler) use(tree any, path string) (*use, error) {
	if c.nesting++; c.nesting > maxNesting {
		return nil, fail(path, "is nested more than %d levels deep", maxNesting)
	}
	defer func() { c.nesting-- }()
	doc, err := c.object(tree, path)
	if err != nil {
		return nil, err
	}
	u := &use{}
	ref, err := doc.reference()
	switch {
	case err != nil:
		return nil, err
	case c.logic > 0 && (ref != "" || doc.members["default"] != nil):
		err = fail(path, "neither $ref nor default is supported inside allOf, anyOf, oneOf and not")
	case ref == "":
		u.node = &node{}
		if err = doc.attributes(u); err == nil {
			err = c.fill(u.node, doc)
		}
	default:
		err = c.refer(u, ref, doc)
	}
	if err != nil {
		return nil, err
	}
	c.uses = append(c.uses, u)
	c.paths[u] = path
	return u, nil
}

// refer makes u a place where a component stands. What is said beside the reference overrides what the component says.
func (c *compiler) refer(u *use, ref string, doc keywordDoc) error {
	target, err := c.component(ref, doc.path)
	if err != nil {
		return err
	}
	*u = use{node: target.node, nullable: target.nullable, raw: target.raw}
	return doc.attributes(u)
}

// component compiles a component once. One that is being compiled is returned as it is: its node will be filled.
func (c *compiler) component(ref, path string) (*use, error) {
	name, ok := strings.CutPrefix(ref, refPrefix)
	if !ok {
		return nil, fail(path, "$ref %q does not begin with %q", ref, refPrefix)
	}
	if u, ok := c.named[name]; ok {
		if u.node == nil {
			return nil, fail(path, "$ref %q refers to itself", ref)
		}
		return u, nil
	}
	raw, ok := c.components[name]
	if !ok {
		return nil, fail(path, "$ref %q is unknown", ref)
	}
	path = refPrefix + name
	tree, err := c.parse(raw, path)
	if err != nil {
		return nil, err
	}
	doc, err := c.object(tree, path)
	if err != nil {
		return nil, err
	}
	u := &use{}
	c.named[name] = u
	next, err := doc.reference()
	if err != nil {
		return nil, err
	}
	if next != "" {
		return u, c.refer(u, next, doc)
	}
	u.node = &node{name: shortName(name)}
	if err := doc.attributes(u); err != nil {
		return nil, err
	}
	return u, c.fill(u.node, doc)
}

// shortName is package and type of a Go type that a component is named after, "v1.PodSpec" of "io.k8s.api.core.v1.PodSpec".
func shortName(name string) string {
	parts := strings.Split(name, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// CompileCustom compiles a version's schema of a CustomResourceDefinition. Its rules in CEL are not for this package: who serves
// custom resources has to enforce them.
func CompileCustom(doc json.RawMessage) (*Schema, error) {
	meta, err := objectMeta()
	if err != nil {
		return nil, err
	}
	c := newCompiler(nil)
	c.meta, c.custom = meta, true
	root, err := c.root(doc)
	if err != nil {
		return nil, err
	}
	return &Schema{root: root, doc: doc, patchMeta: root.hasPatchMeta()}, nil
}
