package table

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Options is what a client asked for.
type Options struct {
	// APIVersion of the Table and of the metadata in its rows: "meta.k8s.io/v1" (also where it is empty) or "meta.k8s.io/v1beta1".
	APIVersion string
	// Include says what of each object its row carries; empty is Metadata.
	Include metav1.IncludeObjectPolicy
	// NoHeaders leaves the column definitions out: all events of a watch but the first.
	NoHeaders bool
	// Now is what ages are counted from.
	Now time.Time
}

// ListMeta is the metadata of a list. Where a single object is shown, the object's resourceVersion is all there is.
type ListMeta struct {
	ResourceVersion    string
	Continue           string
	RemainingItemCount *int64
}

// Cells are the cells of the columns that have no JSONPath, a row an object, as the ConvertToTable hook gave them.
type Cells [][]json.RawMessage

// ParseCells reads a hook's result, which must have as many rows as there were objects and as many cells in
// each as the table has hook columns.
func (t *Table) ParseCells(result json.RawMessage, objects int) (Cells, error) {
	var cells Cells
	if err := json.Unmarshal(result, &cells); err != nil {
		return nil, fmt.Errorf("the cells of the table: %w", err)
	}
	if len(cells) != objects {
		return nil, fmt.Errorf("the cells of the table: %d rows for %d objects", len(cells), objects)
	}
	for i, row := range cells {
		if len(row) != t.hookColumns {
			return nil, fmt.Errorf("the cells of the table: row %d has %d cells for %d columns", i, len(row), t.hookColumns)
		}
	}
	return cells, nil
}

// ParseInclude reads the includeObject parameter. The error is the text of Kubernetes' 400.
func ParseInclude(includeObject string) (metav1.IncludeObjectPolicy, error) {
	switch include := metav1.IncludeObjectPolicy(includeObject); include {
	case metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject:
		return include, nil
	case "":
		return metav1.IncludeMetadata, nil
	default:
		invalid := field.Invalid(field.NewPath("includeObject"), include, "must be 'Metadata', 'Object', 'None', or empty")
		//lint:ignore ST1005 Kubernetes' text
		return "", fmt.Errorf("Unable to convert to Table as requested: %w", invalid)
	}
}

// Append appends the Table of objects. cells may be nil, or shorter than items: then hook columns show nothing.
func (t *Table) Append(buf []byte, opts Options, list ListMeta, items [][]byte, cells Cells) []byte {
	buf = t.AppendStart(buf, opts, list)
	for i, item := range items {
		if i > 0 {
			buf = append(buf, ',')
		}
		var hookCells []json.RawMessage
		if i < len(cells) {
			hookCells = cells[i]
		}
		buf = t.AppendRow(buf, opts, item, hookCells)
	}
	return t.AppendEnd(buf)
}

// AppendStart appends a Table up to its first row. Rows are parted by commas, which the caller writes.
func (t *Table) AppendStart(buf []byte, opts Options, list ListMeta) []byte {
	buf = appendListStart(buf, "Table", opts.APIVersion, list)
	buf = append(buf, `,"columnDefinitions":`...)
	if opts.NoHeaders {
		buf = append(buf, "null"...)
	} else {
		buf = append(buf, t.definitions...)
	}
	return append(buf, `,"rows":[`...)
}

// AppendRow appends the row of one object.
func (t *Table) AppendRow(buf []byte, opts Options, item []byte, hookCells []json.RawMessage) []byte {
	r := row{item: item, now: opts.Now}
	buf = append(buf, `{"cells":[`...)
	for i := range t.columns {
		if i > 0 {
			buf = append(buf, ',')
		}
		c := &t.columns[i]
		switch {
		case !c.hook:
			buf = r.appendCell(buf, c)
		case c.hookIndex < len(hookCells) && len(hookCells[c.hookIndex]) > 0:
			buf = append(buf, hookCells[c.hookIndex]...)
		default:
			buf = append(buf, "null"...)
		}
	}
	buf = append(buf, `],"object":`...)
	switch {
	case opts.Include == metav1.IncludeObject:
		buf = append(buf, item...)
	case opts.Include == metav1.IncludeNone && !endsInitialEvents(item):
		buf = append(buf, "null"...)
	default:
		buf = AppendMetadata(buf, opts.APIVersion, item)
	}
	return append(buf, '}')
}

// AppendEnd appends what follows the last row.
func (t *Table) AppendEnd(buf []byte) []byte { return append(buf, "]}"...) }

var initialEventsEnd = "metadata.annotations." + gjson.Escape(metav1.InitialEventsAnnotationKey)

// endsInitialEvents tells the bookmark that ends the initial events: clients find it by its annotation, so it is never left out.
func endsInitialEvents(item []byte) bool {
	return gjson.GetBytes(item, initialEventsEnd).Str == "true"
}

// appendListStart appends kind, apiVersion and metadata of a Table or list.
func appendListStart(buf []byte, kind, apiVersion string, list ListMeta) []byte {
	buf = appendTypeMeta(buf, kind, apiVersion)
	buf = append(buf, `,"metadata":{`...)
	separator := ""
	if list.ResourceVersion != "" {
		buf = append(buf, `"resourceVersion":`...)
		buf = gjson.AppendJSONString(buf, list.ResourceVersion)
		separator = ","
	}
	if list.Continue != "" {
		buf = append(append(buf, separator...), `"continue":`...)
		buf = gjson.AppendJSONString(buf, list.Continue)
		separator = ","
	}
	if list.RemainingItemCount != nil {
		buf = append(append(buf, separator...), `"remainingItemCount":`...)
		buf = strconv.AppendInt(buf, *list.RemainingItemCount, 10)
	}
	return append(buf, '}')
}
