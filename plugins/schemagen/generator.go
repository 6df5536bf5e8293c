package main

import (
	"fmt"
	"reflect"
)

// Schema is an OpenAPI v3 schema object.
type Schema map[string]any

// Generator turns Go types into named schemas, as kube-apiserver publishes them.
type Generator struct {
	sources Sources
	kinds   *Kinds
	schemas map[string]Schema
	queue   []reflect.Type
}

// named is a type that knows its name in OpenAPI documents.
type named interface{ OpenAPIModelName() string }

// scalar is a struct that is not an object in JSON.
type scalar interface {
	OpenAPISchemaType() []string
	OpenAPISchemaFormat() string
}

// oneOf is a scalar that takes several types.
type oneOf interface{ OpenAPIV3OneOfTypes() []string }

// Generate writes the document for the kinds named, like v1/Pod, and all that they refer to.
func Generate(names []string) ([]byte, error) {
	kinds, err := ParseKinds(names)
	if err != nil {
		return nil, err
	}
	g := &Generator{sources: Sources{}, kinds: kinds, schemas: map[string]Schema{}}
	for _, root := range kinds.Roots {
		if _, err := g.refer(root); err != nil {
			return nil, err
		}
	}
	for len(g.queue) > 0 {
		t := g.queue[0]
		g.queue = g.queue[1:]
		schema, err := g.object(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		g.schemas[modelName(t)] = schema
	}
	return marshal(g.schemas)
}

// refer returns the reference to t's schema and sees to it that the schema is made.
func (g *Generator) refer(t reflect.Type) (Schema, error) {
	name := modelName(t)
	if name == "" {
		return nil, fmt.Errorf("type %s has no OpenAPIModelName", t)
	}
	if _, ok := g.schemas[name]; !ok {
		g.schemas[name] = nil
		g.queue = append(g.queue, t)
	}
	return Schema{"$ref": "#/components/schemas/" + name}, nil
}

func modelName(t reflect.Type) string {
	if n, ok := reflect.Zero(t).Interface().(named); ok {
		return n.OpenAPIModelName()
	}
	return ""
}

// object is the schema of a struct type.
func (g *Generator) object(t reflect.Type) (Schema, error) {
	source, err := g.sources.Package(t.PkgPath())
	if err != nil {
		return nil, err
	}
	doc := source.types[t.Name()]
	schema := Schema{}
	describe(schema, doc)
	doc.Extend(schema)
	if s, ok := reflect.Zero(t).Interface().(scalar); ok {
		scalarTypes(schema, s)
		return schema, nil
	}
	schema["type"] = "object"
	members := &members{properties: map[string]Schema{}}
	if err := g.members(t, members); err != nil {
		return nil, err
	}
	if len(members.properties) > 0 {
		schema["properties"] = members.properties
	}
	if len(members.required) > 0 {
		schema["required"] = members.required
	}
	if len(members.unions) > 0 {
		schema["x-kubernetes-unions"] = members.unions
	}
	if names := g.kinds.Names(t); len(names) > 0 {
		schema["x-kubernetes-group-version-kind"] = names
	}
	return schema, nil
}

func scalarTypes(schema Schema, s scalar) {
	if several, ok := s.(oneOf); ok {
		var types []Schema
		for _, name := range several.OpenAPIV3OneOfTypes() {
			types = append(types, Schema{"type": name})
		}
		schema["oneOf"] = types
	} else if types := s.OpenAPISchemaType(); len(types) == 1 {
		schema["type"] = types[0]
	}
	if format := s.OpenAPISchemaFormat(); format != "" {
		schema["format"] = format
	}
}

func describe(schema Schema, doc comment) {
	if text := doc.Description(); text != "" {
		schema["description"] = text
	}
}
