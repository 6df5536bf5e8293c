package main

import (
	"fmt"
	"reflect"

	"k8s.io/kube-openapi/pkg/common"
)

// value is the schema of a value of type t: a reference for structs, otherwise the schema itself.
func (g *Generator) value(t reflect.Type) (Schema, error) {
	t = deref(t)
	switch t.Kind() {
	case reflect.Struct:
		return g.refer(t)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("a map in JSON cannot have the keys of %s", t)
		}
		elem, err := g.value(t.Elem())
		return Schema{"type": "object", "additionalProperties": elem}, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Schema{"type": "string", "format": "byte"}, nil
		}
		elem, err := g.value(t.Elem())
		return Schema{"type": "array", "items": elem}, err
	}
	return g.basic(t)
}

func (g *Generator) basic(t reflect.Type) (Schema, error) {
	name, format := common.OpenAPITypeFormat(t.Kind().String())
	if name == "" {
		return nil, fmt.Errorf("type %s has no place in a schema", t)
	}
	schema := Schema{"type": name}
	if format != "" {
		schema["format"] = format
	}
	values, err := g.enum(t)
	if len(values) > 0 {
		schema["enum"] = values.values()
	}
	return schema, err
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
