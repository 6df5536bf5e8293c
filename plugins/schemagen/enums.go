package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// enum is the constants of a string type that is marked with +enum, sorted by value.
type enum []constant

func (g *Generator) enum(t reflect.Type) (enum, error) {
	if t.Kind() != reflect.String || t.PkgPath() == "" {
		return nil, nil
	}
	source, err := g.sources.Package(t.PkgPath())
	if err != nil || !source.types[t.Name()].Has("enum") {
		return nil, err
	}
	var values enum
	for _, c := range source.constants {
		if c.typeName == t.Name() {
			values = append(values, c)
		}
	}
	slices.SortFunc(values, func(a, b constant) int { return strings.Compare(a.value, b.value) })
	return values, nil
}

func (e enum) values() []string {
	var values []string
	for _, c := range e {
		values = append(values, c.value)
	}
	return values
}

// lines are the paragraph that explains the values behind a field's description.
func (e enum) lines() []string {
	if len(e) == 0 {
		return nil
	}
	lines := []string{"", "Possible enum values:"}
	for _, c := range e {
		text := strings.TrimPrefix(strings.TrimSpace(strings.Join(c.doc, " ")), c.name)
		lines = append(lines, fmt.Sprintf(" - `%q` %s", c.value, strings.Join(strings.Fields(text), " ")))
	}
	slices.Sort(lines[2:])
	return lines
}
