package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// members collects what the fields of a struct, inlined ones included, give to its schema.
type members struct {
	properties map[string]Schema
	required   []string
	unions     []any
}

func (g *Generator) members(t reflect.Type, into *members) error {
	source, err := g.sources.Package(t.PkgPath())
	if err != nil {
		return err
	}
	into.unions = append(into.unions, unions(t, source)...)
	for i := range t.NumField() {
		field := t.Field(i)
		tag := parseTag(field)
		if tag.inline {
			if err := g.members(deref(field.Type), into); err != nil {
				return err
			}
			continue
		}
		if tag.name == "" {
			continue
		}
		doc := source.fields[t.Name()][field.Name]
		if into.properties[tag.name], err = g.property(field, tag, doc, source); err != nil {
			return fmt.Errorf("field %s: %w", tag.name, err)
		}
		if !optional(tag, doc) {
			into.required = append(into.required, tag.name)
		}
	}
	return nil
}

// property is the schema of one field: what its type says, then what its own comment adds.
func (g *Generator) property(field reflect.StructField, tag tag, doc comment, source *Source) (Schema, error) {
	schema, err := g.value(field.Type)
	if err != nil {
		return nil, err
	}
	extra, err := g.siblings(field, tag, doc, source)
	if err != nil {
		return nil, err
	}
	if _, isRef := schema["$ref"]; isRef && len(extra) > 0 {
		schema = Schema{"allOf": []Schema{schema}}
	}
	for key, value := range extra {
		schema[key] = value
	}
	return schema, nil
}

func (g *Generator) siblings(field reflect.StructField, tag tag, doc comment, source *Source) (Schema, error) {
	extra := Schema{}
	doc.Extend(extra)
	values, err := g.enum(deref(field.Type))
	if err != nil {
		return nil, err
	}
	describe(extra, append(doc[:len(doc):len(doc)], values.lines()...))
	value, err := defaultOf(field, tag, doc, source)
	if err != nil {
		return nil, err
	}
	if value != nil {
		extra["default"] = value
	}
	return extra, nil
}

// defaultOf is the value of the +default marker, or nil. Zero values that Go leaves out again when
// it encodes the object are no defaults: the object would be stored without them.
func defaultOf(field reflect.StructField, tag tag, doc comment, source *Source) (value any, err error) {
	markers := doc.Markers("default")
	if len(markers) == 0 {
		return nil, nil
	}
	if constant, ok := strings.CutPrefix(markers[0], "ref("); ok {
		return source.constant(strings.TrimSuffix(constant, ")"))
	}
	if err := json.Unmarshal([]byte(markers[0]), &value); err != nil {
		return nil, fmt.Errorf("marker +default=%s: %w", markers[0], err)
	}
	if decoded := reflect.New(field.Type); json.Unmarshal([]byte(markers[0]), decoded.Interface()) != nil {
		return nil, fmt.Errorf("marker +default=%s is not a %s", markers[0], field.Type)
	} else if tag.omitempty && decoded.Elem().IsZero() {
		return nil, nil
	}
	return value, nil
}

// constant is the value of the named constant of the package.
func (s *Source) constant(name string) (string, error) {
	for _, c := range s.constants {
		if c.name == name {
			return c.value, nil
		}
	}
	return "", fmt.Errorf("constant %s: not found", name)
}

func optional(tag tag, doc comment) bool {
	switch {
	case doc.Has("required"):
		return false
	case doc.Has("optional"):
		return true
	}
	return tag.omitempty
}

// tag is a field's json tag.
type tag struct {
	name      string // empty for fields that JSON does not show
	inline    bool
	omitempty bool
}

func parseTag(field reflect.StructField) tag {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	switch {
	case name == "-" || !field.IsExported():
		return tag{}
	case name == "" && field.Anonymous:
		return tag{inline: true}
	case name == "":
		name = field.Name
	}
	return tag{name: name, omitempty: strings.Contains(","+options+",", ",omitempty,")}
}
