package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// generator makes random structural schemas and random objects that nearly fit them.
type generator struct {
	*rand.Rand
	rules bool // with value rules
}

func newGenerator(seed uint64, rules bool) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 17)), rules}
}

type tree = map[string]any

var names = []string{"a", "b", "c", "dd", "e\"f", "é", "z"}

func (g *generator) one(in, of int) bool { return g.IntN(of) < in }

func (g *generator) root() tree {
	s := tree{"type": "object"}
	g.fields(s, 4)
	return s
}

func (g *generator) schema(depth int) tree {
	s := tree{}
	if g.one(1, 4) {
		s["nullable"] = true
	}
	kind := g.IntN(9)
	if depth == 0 {
		kind = g.IntN(6)
	}
	switch kind {
	case 0, 1:
		s["type"] = "string"
		g.textRules(s)
	case 2:
		s["type"] = "integer"
		if g.one(1, 2) {
			s["format"] = "int32"
		}
		g.numberRules(s)
	case 3:
		s["type"] = "number"
		g.numberRules(s)
	case 4:
		s["type"] = "boolean"
	case 5:
		s["x-kubernetes-int-or-string"] = true
	case 6:
		s["type"] = "array"
		s["items"] = g.schema(depth - 1)
		g.listRules(s)
	case 7:
		s["type"] = "object"
		s["additionalProperties"] = g.schema(depth - 1)
		if g.rules && g.one(1, 4) {
			s["maxProperties"] = 2
		}
	default:
		s["type"] = "object"
		g.fields(s, depth)
	}
	if g.one(1, 3) {
		if def, ok := g.fitting(s, depth); ok {
			s["default"] = def
		}
	}
	return s
}

func (g *generator) fields(s tree, depth int) {
	fields := tree{}
	for _, name := range names {
		if g.one(1, 2) {
			fields[name] = g.schema(depth - 1)
		}
	}
	s["properties"] = fields
	if g.one(1, 5) {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if !g.rules {
		return
	}
	if g.one(1, 3) {
		s["required"] = []any{names[g.IntN(len(names))]}
	}
	if g.one(1, 5) {
		s["minProperties"] = 2
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if g.one(1, 6) {
			s[keyword] = []any{tree{"required": []any{"a"}}, tree{"required": []any{"b"}}}
		}
	}
}

func (g *generator) textRules(s tree) {
	switch g.IntN(12) * map[bool]int{true: 1}[g.rules] {
	case 1:
		s["minLength"] = 2
	case 2:
		s["maxLength"] = 1
	case 3:
		s["pattern"] = "^[a-z]*$"
	case 4:
		s["enum"] = []any{"a", "é"}
	case 5:
		s["not"] = tree{"enum": []any{"a"}}
	case 6:
		s["allOf"] = []any{tree{"minLength": 1}, tree{"pattern": "a"}}
	}
}

func (g *generator) numberRules(s tree) {
	switch g.IntN(10) * map[bool]int{true: 1}[g.rules] {
	case 1:
		s["minimum"] = 0
	case 2:
		s["maximum"], s["exclusiveMaximum"] = 3, g.one(1, 2)
	case 3:
		s["multipleOf"] = 2
	case 4:
		s["enum"] = []any{1, 3}
	}
}

func (g *generator) listRules(s tree) {
	items, _ := s["items"].(tree)
	switch g.IntN(8) * map[bool]int{true: 1}[g.rules] {
	case 1:
		s["minItems"] = 1
	case 2:
		s["maxItems"] = 2
	case 3:
		if items["type"] != "object" && items["type"] != "array" {
			s["x-kubernetes-list-type"] = "set"
		}
	case 4, 5:
		if fields, ok := items["properties"].(tree); ok {
			delete(items, "default") // it may not fit any more
			fields["a"], fields["b"] = tree{"type": "string"}, tree{"type": "integer"}
			s["x-kubernetes-list-type"] = "map"
			s["x-kubernetes-list-map-keys"] = []any{[]any{"a"}, []any{"a", "b"}}[g.IntN(2)]
		}
	}
}

// fitting makes a value for a default. It fits the types and knows no other fields, but may offend rules.
func (g *generator) fitting(s tree, depth int) (any, bool) {
	switch s["type"] {
	case "object":
		value := tree{}
		fields, _ := s["properties"].(tree)
		for name, field := range fields {
			if v, ok := g.fitting(field.(tree), depth-1); ok && g.one(1, 3) {
				value[name] = v
			}
		}
		return value, true
	case "array":
		return []any{}, true
	case nil:
		return "http", true
	}
	return g.scalar(s["type"].(string)), true
}

func (g *generator) scalar(kind string) any {
	switch kind {
	case "string":
		return []string{"", "a", "bb", "é", "x\"\\y", "\u2028<"}[g.IntN(6)]
	case "integer":
		return g.IntN(6) - 1
	case "number":
		return []any{0.5, 1, 2.25, -3}[g.IntN(4)]
	}
	return g.one(1, 2)
}

// value makes a value that fits a schema but for unknown fields, nulls and, rarely, wrong types.
func (g *generator) value(s tree, depth int) any {
	switch {
	case g.one(1, 12):
		return nil
	case g.one(1, 60):
		return []any{"text", 1, 0.5, true, tree{"a": 1}, []any{1}}[g.IntN(6)]
	}
	switch s["type"] {
	case "object":
		return g.object(s, depth)
	case "array":
		list := []any{}
		for range g.IntN(5) {
			list = append(list, g.value(s["items"].(tree), depth-1))
		}
		return list
	case nil:
		return []any{1, "http"}[g.IntN(2)]
	}
	return g.scalar(s["type"].(string))
}

func (g *generator) object(s tree, depth int) tree {
	object := tree{}
	fields, _ := s["properties"].(tree)
	additional, _ := s["additionalProperties"].(tree)
	for _, name := range names {
		switch field, known := fields[name]; {
		case g.one(2, 5):
		case known:
			object[name] = g.value(field.(tree), depth-1)
		case additional != nil:
			object[name] = g.value(additional, depth-1)
		case g.one(1, 2):
			object[name] = []any{1, nil, tree{"a": nil}, []any{tree{"b": 1}}}[g.IntN(4)]
		}
	}
	return object
}

// canonical writes a tree as the engine would.
func canonical(t testing.TB, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out, err := recanonical(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// recanonical brings JSON into canonical form by way of a tree.
func recanonical(data []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return jsontext.AppendTree(nil, value)
}
