// Package table shows objects as rows of cells, the way kubectl prints them, and as their metadata alone.
//
// The nouns: Table (the columns of one version of a resource, compiled once), Cells (what a ConvertToTable hook
// gave), Options (what the client asked for). Objects are read as bytes; nothing is decoded for simple paths.
package table

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// Table is the columns of one version of a resource. It is immutable.
type Table struct {
	columns     []column
	definitions []byte // the columnDefinitions, as JSON
	hookColumns int
}

// New compiles the columns of a version.
//
//   - Where they say nothing of the name, a Name column comes first.
//   - Without columns the table has Name and Created At, as Kubernetes' default.
//   - A column whose path does not parse is left out; the error names all of them, and the table serves the others.
func New(columns []engine.Column) (*Table, error) {
	t := &Table{}
	if !namesObject(columns) {
		t.columns = append(t.columns, nameColumn())
	}
	if len(columns) == 0 {
		t.columns = append(t.columns, createdAtColumn())
	}
	var bad []error
	for _, c := range columns {
		compiled, err := compile(c)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		if compiled.hook {
			compiled.hookIndex = t.hookColumns
			t.hookColumns++
		}
		t.columns = append(t.columns, compiled)
	}
	t.definitions = definitionsOf(t.columns)
	return t, errors.Join(bad...)
}

// HookColumns is how many cells of each row come from the ConvertToTable hook; 0: it need not be called.
func (t *Table) HookColumns() int { return t.hookColumns }

// namesObject tells whether one of the columns is the object's name.
func namesObject(columns []engine.Column) bool {
	for _, c := range columns {
		if c.Format == "name" {
			return true
		}
		if strings.EqualFold(c.Name, "Name") && (c.JSONPath == "" || c.JSONPath == ".metadata.name") {
			return true
		}
	}
	return false
}

var objectMetaDocs = metav1.ObjectMeta{}.SwaggerDoc()

func nameColumn() column {
	return column{
		Column: engine.Column{Name: "Name", Type: "string", Format: "name", Description: objectMetaDocs["name"]},
		path:   "metadata.name",
	}
}

// createdAtColumn shows the timestamp itself, where a column of type date shows how long ago it was.
func createdAtColumn() column {
	return column{
		Column:   engine.Column{Name: "Created At", Type: "date", Description: objectMetaDocs["creationTimestamp"]},
		path:     "metadata.creationTimestamp",
		verbatim: true,
	}
}

// PathError says that a column's JSONPath is not one.
type PathError struct {
	Column string
	Path   string
	Err    error
}

func (e *PathError) Error() string {
	return fmt.Sprintf("unrecognized column definition %q of column %q: %v", e.Path, e.Column, e.Err)
}

func (e *PathError) Unwrap() error { return e.Err }
