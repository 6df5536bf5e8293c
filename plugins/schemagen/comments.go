package main

import (
	"go/ast"
	"strings"
)

// comment is the text of a doc comment, line by line, without the slashes.
type comment []string

func parseComment(group *ast.CommentGroup) comment {
	if group == nil {
		return nil
	}
	return strings.Split(strings.TrimRight(group.Text(), "\n"), "\n")
}

// Markers are the values of the lines "+name=value", in order. A bare "+name" has the value "".
func (c comment) Markers(name string) []string {
	var values []string
	for _, line := range c {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "+"+name)
		if !ok {
			continue
		}
		if value, ok := strings.CutPrefix(rest, "="); ok {
			values = append(values, value)
		} else if rest == "" {
			values = append(values, "")
		}
	}
	return values
}

// Has tells whether the marker is there.
func (c comment) Has(name string) bool { return c.Markers(name) != nil }

// Description is the comment as kube-apiserver publishes it.
//
//   - A paragraph becomes one line; an indented line keeps its own.
//   - Markers, TODO lines and everything behind "---" are left out.
func (c comment) Description() string {
	var text strings.Builder
	space := "" // owed before the next word
	for _, line := range c {
		if line == "---" {
			break
		}
		line = strings.TrimRight(line, " ")
		start := strings.TrimLeft(line, " ")
		switch {
		case line == "":
			space = strings.TrimSuffix(space, " ")
			space = strings.TrimSuffix(space, "\n") + "\n\n"
		case strings.HasPrefix(start, "TODO"), strings.HasPrefix(start, "+"):
		case line[0] == ' ' || line[0] == '\t':
			text.WriteString(shorten(space) + "\n" + line)
			space = "\n"
		default:
			text.WriteString(space + line)
			space = " "
		}
	}
	return strings.TrimSpace(text.String())
}

// shorten takes the last character from s: an indented line brings its own separator.
func shorten(s string) string {
	if s == "" {
		return ""
	}
	return s[:len(s)-1]
}

// extensions are the markers that are published as x-kubernetes-*.
var extensions = []struct{ marker, name string }{
	{"listMapKey", "x-kubernetes-list-map-keys"},
	{"listType", "x-kubernetes-list-type"},
	{"mapType", "x-kubernetes-map-type"},
	{"patchMergeKey", "x-kubernetes-patch-merge-key"},
	{"patchStrategy", "x-kubernetes-patch-strategy"},
	{"structType", "x-kubernetes-map-type"},
}

// Extend adds the extensions that the comment declares to a schema.
func (c comment) Extend(schema Schema) {
	for _, extension := range extensions {
		values := c.Markers(extension.marker)
		switch {
		case len(values) == 0:
		case extension.marker == "listMapKey":
			schema[extension.name] = values
		default:
			schema[extension.name] = values[len(values)-1]
		}
	}
}
