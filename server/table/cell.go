package table

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// row is one object while its cells are read. The tree is decoded when the first column needs it.
type row struct {
	item    []byte
	decoded bool
	tree    map[string]any
	now     time.Time
}

// appendCell appends the JSON of the cell that a column shows of the row's object: null where there is nothing to show.
func (r *row) appendCell(buf []byte, c *column) []byte {
	if c.jsonPath != nil {
		return r.appendResult(buf, c)
	}
	found := gjson.GetBytes(r.item, c.path)
	switch found.Type {
	case gjson.String:
		return appendText(buf, c, found.String(), r.now)
	case gjson.Number:
		return appendNumber(buf, c.Type, found.Raw)
	case gjson.JSON:
		var tree any
		if c.Type != "string" || utiljson.Unmarshal([]byte(found.Raw), &tree) != nil {
			return append(buf, "null"...)
		}
		return appendTree(buf, tree)
	case gjson.True, gjson.False:
		return appendBool(buf, c.Type, found.Type == gjson.True)
	default:
		if found.Exists() && c.Type == "string" {
			return gjson.AppendJSONString(buf, "<no value>")
		}
		return append(buf, "null"...)
	}
}

// appendResult is appendCell for a path that only the JSONPath library can follow.
func (r *row) appendResult(buf []byte, c *column) []byte {
	if !r.decoded {
		r.decoded = true
		if utiljson.Unmarshal(r.item, &r.tree) != nil {
			r.tree = nil
		}
	}
	results, err := c.jsonPath.FindResults(r.tree)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return append(buf, "null"...)
	}
	// Kubernetes shows the first result and no other.
	value := results[0][0].Interface()
	switch value := value.(type) {
	case string:
		return appendText(buf, c, value, r.now)
	case bool:
		return appendBool(buf, c.Type, value)
	case int64:
		return appendNumber(buf, c.Type, strconv.FormatInt(value, 10))
	case float64:
		return appendNumber(buf, c.Type, strconv.FormatFloat(value, 'g', -1, 64))
	}
	if c.Type != "string" {
		return append(buf, "null"...)
	}
	var printed strings.Builder
	if err := c.jsonPath.PrintResults(&printed, []reflect.Value{reflect.ValueOf(value)}); err != nil {
		return append(buf, "null"...)
	}
	return gjson.AppendJSONString(buf, printed.String())
}

func appendText(buf []byte, c *column, text string, now time.Time) []byte {
	switch {
	case c.Type == "string" || c.verbatim:
		return gjson.AppendJSONString(buf, text)
	case c.Type == "date":
		return gjson.AppendJSONString(buf, age(text, now))
	default:
		return append(buf, "null"...)
	}
}

// age is how long ago a timestamp was: "5m", "<unknown>" without one, "<invalid>" where it is none.
func age(text string, now time.Time) string {
	var timestamp metav1.Time
	if err := timestamp.UnmarshalQueryParameter(text); err != nil {
		return "<invalid>"
	}
	if timestamp.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(timestamp.Time))
}

func appendBool(buf []byte, columnType string, value bool) []byte {
	switch columnType {
	case "boolean":
		return strconv.AppendBool(buf, value)
	case "string":
		return append(strconv.AppendBool(append(buf, '"'), value), '"')
	default:
		return append(buf, "null"...)
	}
}

// appendNumber takes integers as they are and everything else as a float64, as Kubernetes decodes numbers.
func appendNumber(buf []byte, columnType, raw string) []byte {
	if _, err := strconv.ParseInt(raw, 10, 64); err == nil {
		switch columnType {
		case "integer", "number":
			return append(buf, raw...)
		case "string":
			return append(append(append(buf, '"'), raw...), '"')
		}
		return append(buf, "null"...)
	}
	value, err := strconv.ParseFloat(raw, 64)
	switch {
	case err != nil:
	case columnType == "integer" && math.Abs(value) < 1<<63:
		return strconv.AppendInt(buf, int64(value), 10)
	case columnType == "number":
		if text, err := json.Marshal(value); err == nil {
			return append(buf, text...)
		}
	case columnType == "string":
		return gjson.AppendJSONString(buf, fmt.Sprint(value))
	}
	return append(buf, "null"...)
}

// appendTree shows an object or array in a column of strings: its JSON.
func appendTree(buf []byte, tree any) []byte {
	text, err := json.Marshal(tree)
	if err != nil {
		return append(buf, "null"...)
	}
	return gjson.AppendJSONString(buf, string(text))
}
