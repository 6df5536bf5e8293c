package table

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"

	"github.com/stratagem-dev/stratagem/engine"
)

// column is one column with the way to its cells: a path into the bytes, a JSONPath over the decoded object, or the hook.
type column struct {
	engine.Column
	path      string             // of plain field names, in gjson's syntax
	jsonPath  *jsonpath.JSONPath // anything else
	hook      bool
	hookIndex int
	verbatim  bool // show the value as it is, whatever the type
}

func compile(c engine.Column) (column, error) {
	out := column{Column: c, hook: c.JSONPath == ""}
	if out.hook {
		return out, nil
	}
	if c.Description == "" {
		out.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
	}
	parsed, err := jsonpath.Parse(c.Name, "{"+c.JSONPath+"}")
	if err == nil {
		err = checkNodes(parsed.Root)
	}
	if err != nil {
		return column{}, &PathError{Column: c.Name, Path: c.JSONPath, Err: err}
	}
	if path, ok := fieldPath(parsed.Root); ok {
		out.path = path
		return out, nil
	}
	out.jsonPath = jsonpath.New(c.Name).AllowMissingKeys(true)
	if err := out.jsonPath.Parse("{" + c.JSONPath + "}"); err != nil {
		return column{}, &PathError{Column: c.Name, Path: c.JSONPath, Err: err}
	}
	return out, nil
}

var errRange = errors.New("range and end are for templates, not for columns")

// checkNodes refuses loops: the library runs them by changing the parsed path, which many requests share.
func checkNodes(list *jsonpath.ListNode) error {
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *jsonpath.IdentifierNode:
			return errRange
		case *jsonpath.ListNode:
			if err := checkNodes(node); err != nil {
				return err
			}
		case *jsonpath.UnionNode:
			for _, member := range node.Nodes {
				if err := checkNodes(member); err != nil {
					return err
				}
			}
		case *jsonpath.FilterNode:
			if err := errors.Join(checkNodes(node.Left), checkNodes(node.Right)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldPath turns a JSONPath that is only field names into gjson's syntax.
//
//   - A number is left to the library: gjson would take it for an index where it meets an array.
func fieldPath(root *jsonpath.ListNode) (string, bool) {
	if len(root.Nodes) != 1 {
		return "", false
	}
	list, ok := root.Nodes[0].(*jsonpath.ListNode)
	if !ok || len(list.Nodes) == 0 {
		return "", false
	}
	names := make([]string, len(list.Nodes))
	for i, node := range list.Nodes {
		field, ok := node.(*jsonpath.FieldNode)
		if !ok || field.Value == "" {
			return "", false
		}
		if _, err := strconv.ParseUint(field.Value, 10, 64); err == nil {
			return "", false
		}
		names[i] = gjson.Escape(field.Value)
	}
	return strings.Join(names, "."), true
}

// definitionsOf renders the columnDefinitions of a Table.
func definitionsOf(columns []column) []byte {
	definitions := make([]metav1.TableColumnDefinition, len(columns))
	for i, c := range columns {
		definitions[i] = metav1.TableColumnDefinition{
			Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority,
		}
	}
	out, err := json.Marshal(definitions)
	if err != nil { // strings and numbers always encode
		return []byte("[]")
	}
	return out
}
