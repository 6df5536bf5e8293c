package managed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

// Types is one version of a resource as ownership looks at it. It is immutable and safe for concurrent use.
type Types struct {
	apiVersion  string
	versionText []byte // the same, as it stands between the quotes
	kind        string
	root        *typ
	parser      typed.ParseableType
}

// Compile makes the types of one version. Without a schema every field is owned by itself and every array as a whole.
func Compile(s *schema.Schema, apiVersion, kind string) (*Types, error) {
	t := &Types{apiVersion: apiVersion, versionText: jsontext.AppendInner(nil, apiVersion), kind: kind, root: deduced, parser: typed.DeducedParseableType}
	if s == nil {
		return t, nil
	}
	converted, err := model(s)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s %s says of ownership what cannot be: %w", apiVersion, kind, err)
	}
	t.use(converted)
	return t, nil
}

// Scale are the types of autoscaling/v1 Scale.
var Scale = sync.OnceValues(func() (*Types, error) {
	types, err := builtin()
	if err != nil {
		return nil, err
	}
	scale := *types["Scale"]
	addIdentity(&scale)
	converted, err := schemaconv.ToSchemaFromOpenAPI(map[string]*spec.Schema{rootName: &scale, metaName: types["ObjectMeta"]}, false)
	if err != nil {
		return nil, err
	}
	t := &Types{apiVersion: "autoscaling/v1", versionText: []byte("autoscaling/v1"), kind: "Scale"}
	t.use(converted)
	return t, nil
})

func (t *Types) use(s *smd.Schema) {
	parser := &typed.Parser{Schema: smd.Schema{Types: s.Types}}
	t.parser = parser.Type(rootName)
	c := compiler{schema: t.parser.Schema, named: map[string]*typ{}}
	t.root = c.compile(t.parser.TypeRef)
}

// typ is a type: what a value may be, each nil or false where it may not. Named types form a graph that may have cycles.
type typ struct {
	scalar bool
	list   *listType
	fields *mapType
}

// listType says how the elements of an array are owned.
type listType struct {
	atomic   bool
	keys     []string // sorted; none: a set
	defaults [][]byte // of the keys, raw; nil: none
	element  *typ
}

// mapType says how the members of an object are owned.
type mapType struct {
	atomic  bool
	named   []namedType // sorted by key
	other   *typ        // of members with other keys
	untyped bool        // nothing is known of what is inside
}

type namedType struct {
	key string // as it stands between the quotes
	typ *typ
}

// deduced is the type of what nothing is said about.
var deduced = func() *typ {
	t := &typ{scalar: true, list: &listType{atomic: true}, fields: &mapType{untyped: true}}
	t.fields.other = t
	t.list.element = &typ{scalar: true, list: t.list, fields: &mapType{atomic: true}}
	t.list.element.fields.other = t.list.element
	return t
}()

// child is the type under a key. hint is where the last search ended: as the keys of an object are sorted, searches go on
// from there.
func (m *mapType) child(key []byte, hint *int) *typ {
	i := *hint
	for i < len(m.named) && m.named[i].key < string(key) {
		i++
	}
	*hint = i
	if i < len(m.named) && m.named[i].key == string(key) {
		return m.named[i].typ
	}
	return m.other
}

// compiler turns the types of structured-merge-diff into ours.
type compiler struct {
	schema *smd.Schema
	named  map[string]*typ
}

func (c *compiler) compile(ref smd.TypeRef) *typ {
	name := ""
	if ref.NamedType != nil {
		name = *ref.NamedType
		if ref.ElementRelationship != nil {
			name += " " + string(*ref.ElementRelationship)
		}
		if t := c.named[name]; t != nil {
			return t
		}
	}
	atom, ok := c.schema.Resolve(ref)
	if !ok || atom == (smd.Atom{}) {
		return deduced
	}
	t := &typ{scalar: atom.Scalar != nil}
	if name != "" {
		c.named[name] = t
	}
	if atom.List != nil {
		t.list = c.compileList(atom.List)
	}
	if atom.Map != nil {
		t.fields = c.compileMap(atom.Map)
	}
	return t
}

func (c *compiler) compileList(l *smd.List) *listType {
	out := &listType{atomic: l.ElementRelationship != smd.Associative, element: c.compile(l.ElementType)}
	element, _ := c.schema.Resolve(l.ElementType)
	names := slices.Sorted(slices.Values(l.Keys))
	for _, name := range slices.Compact(names) {
		var raw []byte
		if element.Map != nil {
			if field, ok := element.Map.FindField(name); ok && field.Default != nil {
				raw = defaultText(field.Default)
			}
		}
		out.keys = append(out.keys, jsontext.Inner(name))
		out.defaults = append(out.defaults, raw)
	}
	return out
}

func (c *compiler) compileMap(m *smd.Map) *mapType {
	out := &mapType{atomic: m.ElementRelationship == smd.Atomic, other: c.compile(m.ElementType)}
	out.untyped = m.Fields == nil && isUntyped(m.ElementType)
	for i := range m.Fields {
		out.named = append(out.named, namedType{jsontext.Inner(m.Fields[i].Name), c.compile(m.Fields[i].Type)})
	}
	slices.SortFunc(out.named, func(a, b namedType) int { return strings.Compare(a.key, b.key) })
	return out
}

// isUntyped tells whether a type says nothing.
func isUntyped(ref smd.TypeRef) bool {
	if ref.NamedType != nil {
		return *ref.NamedType == "__untyped_deduced_"
	}
	return ref.Inlined.Scalar != nil && *ref.Inlined.Scalar == smd.Untyped
}

// defaultText is a default in canonical form; nil for what is no scalar.
func defaultText(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil || classOf(raw, 0) != isScalar {
		return nil
	}
	if s, ok := value.(string); ok {
		return append(jsontext.AppendInner([]byte{'"'}, s), '"')
	}
	return raw
}
