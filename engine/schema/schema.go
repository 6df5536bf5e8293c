package schema

import (
	"encoding/json"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	root       *node
	doc        json.RawMessage
	components map[string]json.RawMessage
	patchMeta  bool
}

// OpenAPI is the document that the schema was compiled from.
func (s *Schema) OpenAPI() json.RawMessage { return s.doc }

// Components are the components that the document may refer to, by name. The map must not be changed.
func (s *Schema) Components() map[string]json.RawMessage { return s.components }

// HasDefaults tells whether Default can change anything.
func (s *Schema) HasDefaults() bool { return s.root.hasDefaults }

// HasRules tells whether Validate can find anything.
func (s *Schema) HasRules() bool { return s.root.hasRules }

// Field describes the type at a path.
type Field struct {
	Type   string // OpenAPI's name; empty where several or any are taken
	Format string
}

// Field looks up what stands at a path of keys, those of maps included. Arrays have no keys.
func (s *Schema) Field(path ...string) (Field, bool) {
	n := s.root
	for _, key := range path {
		u := n.child(key)
		if u == nil {
			return Field{}, false
		}
		n = u.node
	}
	field := Field{Format: n.format}
	for name, kind := range kindNames {
		if n.kinds == kind {
			field.Type = name
		}
	}
	return field, true
}

// child is what stands under a key, given as text, or nil.
func (n *node) child(key string) *use {
	if p := n.property(jsontext.Inner(key)); p != nil {
		return p.use
	}
	return n.additional
}
