package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tidwall/gjson"
)

// printTable prints a meta.k8s.io Table as kubectl does.
func printTable(out io.Writer, table []byte) error {
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	var shown []int
	var names []string
	for i, column := range gjson.GetBytes(table, "columnDefinitions").Array() {
		if column.Get("priority").Int() == 0 {
			shown = append(shown, i)
			names = append(names, strings.ToUpper(column.Get("name").String()))
		}
	}
	fmt.Fprintln(w, strings.Join(names, "\t"))
	for _, row := range gjson.GetBytes(table, "rows").Array() {
		cells := row.Get("cells").Array()
		var line []string
		for _, i := range shown {
			line = append(line, cells[i].String())
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	return w.Flush()
}
