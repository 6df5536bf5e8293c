package trial

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// Compare tells how a result differs from what is expected, a text for each difference.
func (e *Expect) Compare(r Result) (differences []string, err error) {
	note := func(what, want, got string) {
		if want != got {
			differences = append(differences, what+":\n"+lineDiff(want, got))
		}
	}
	note("errors", lines(e.Errors), lines(Errors(r.Err)))
	note("warnings", lines(e.Warnings), lines(r.Warnings))
	if e.Message != nil {
		note("message", *e.Message, r.Message)
	}
	if e.Deleted != nil && *e.Deleted != r.Deleted {
		note("deleted", fmt.Sprint(*e.Deleted), fmt.Sprint(r.Deleted))
	}
	if fuel := r.Explanation.Fuel(); e.MaxFuel > 0 && fuel > e.MaxFuel {
		differences = append(differences, fmt.Sprintf("fuel: %d, at most %d is expected", fuel, e.MaxFuel))
	}
	if len(e.Object) == 0 || r.Err != nil {
		return differences, nil
	}
	want, _, err := engine.ParseObject(e.Object)
	if err != nil {
		return nil, fmt.Errorf("expect.object: %w", err)
	}
	wantText, err := yaml.JSONToYAML(want)
	if err != nil {
		return nil, err
	}
	gotText, err := yaml.JSONToYAML(compared(r.Object, want))
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(wantText, gotText) {
		note("object", string(wantText), string(gotText))
	}
	return differences, nil
}

// compared leaves of an object what an expected one is compared with.
func compared(obj, want engine.Object) engine.Object {
	fields, named := obj.Fields(), want.Fields()
	for _, key := range []string{"apiVersion", "kind"} {
		if !named.Has(key) {
			fields.Set(key, nil)
		}
	}
	if !named.Has("metadata") {
		fields.Set("metadata", nil)
		return fields.Raw()
	}
	meta, wanted := obj.Meta(), want.Meta()
	for _, f := range obj.Meta() {
		if !wanted.Has(f.Key) {
			meta.Set(f.Key, nil)
		}
	}
	fields.Set("metadata", meta.Raw())
	return fields.Raw()
}

// Errors are the texts of what a request was refused with: the field errors of an invalid object, or else the one that there is.
func Errors(err error) (texts []string) {
	if err == nil {
		return nil
	}
	var invalid *engine.InvalidError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	for _, e := range invalid.Errors {
		texts = append(texts, e.Error())
	}
	return texts
}

func lines(texts []string) string { return strings.Join(texts, "\n") }

// lineDiff shows what of a text is missing (-) and what came in its place (+).
func lineDiff(want, got string) string {
	a, b := split(want), split(got)
	// common[i][j] is how many lines a[i:] and b[j:] have in common, in their order.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, j := range pairs(len(a), len(b)) {
		if a[i] == b[j] {
			common[i][j] = common[i+1][j+1] + 1
		} else {
			common[i][j] = max(common[i+1][j], common[i][j+1])
		}
	}
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out, i, j = append(out, "    "+a[i]), i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			out, i = append(out, "  - "+a[i]), i+1
		default:
			out, j = append(out, "  + "+b[j]), j+1
		}
	}
	return strings.Join(out, "\n")
}

// pairs goes through all pairs of indices from the last to the first.
func pairs(n, m int) func(func(int, int) bool) {
	return func(yield func(int, int) bool) {
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				if !yield(i, j) {
					return
				}
			}
		}
	}
}

func split(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return line == "" })
}
