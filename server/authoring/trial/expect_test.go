package trial

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/explain"
)

// result is what a request came to that took some fuel.
func result(object string, fuel int64) Result {
	r := Result{Explanation: &explain.Explanation{Steps: []explain.Step{{Name: explain.Server}, {Cost: &explain.Cost{Fuel: fuel}}}}}
	r.Object = engine.Object(object)
	return r
}

const stored = `{"apiVersion":"a/v1","kind":"A","metadata":{"generation":1,"name":"x","uid":"u"},"spec":{"a":1,"b":2}}`

func TestCompare(t *testing.T) {
	yes := true
	refused, failed, warned := result("", 5), result("", 5), result(stored, 5)
	refused.Err = &engine.InvalidError{Errors: field.ErrorList{field.Required(field.NewPath("spec", "a"), ""), field.Forbidden(field.NewPath("b"), "no")}}
	failed.Err = errors.New("boom")
	warned.Warnings = []string{"w"}
	for name, c := range map[string]struct {
		expect Expect
		result Result
		want   string
	}{
		"nothing is asked":    {Expect{}, result(stored, 5), ""},
		"the object":          {Expect{Object: json.RawMessage(`{"spec":{"b":2,"a":1}}`)}, result(stored, 5), ""},
		"some metadata":       {Expect{Object: json.RawMessage(`{"metadata":{"name":"x"},"spec":{"a":1,"b":2}}`)}, result(stored, 5), ""},
		"a field too many":    {Expect{Object: json.RawMessage(`{"spec":{"a":1}}`)}, result(stored, 5), "object:\n    spec:\n      a: 1\n  +   b: 2"},
		"a field is missing":  {Expect{Object: json.RawMessage(`{"spec":{"a":1,"b":2,"c":3}}`)}, result(stored, 5), "object:\n    spec:\n      a: 1\n      b: 2\n  -   c: 3"},
		"other metadata":      {Expect{Object: json.RawMessage(`{"metadata":{"name":"z"},"spec":{"a":1,"b":2}}`)}, result(stored, 5), "object:\n    metadata:\n  -   name: z\n  +   name: x\n    spec:\n      a: 1\n      b: 2"},
		"fuel":                {Expect{MaxFuel: 4}, result(stored, 5), "fuel: 5, at most 4 is expected"},
		"fuel that is enough": {Expect{MaxFuel: 5}, result(stored, 5), ""},
		"errors":              {Expect{Errors: []string{"spec.a: Required value", "b: Forbidden: no"}}, refused, ""},
		"an error too many":   {Expect{Errors: []string{"spec.a: Required value"}}, refused, "errors:\n    spec.a: Required value\n  + b: Forbidden: no"},
		"an unexpected error": {Expect{Object: json.RawMessage(`{}`)}, failed, "errors:\n  + boom"},
		"an error too few":    {Expect{Errors: []string{"x"}}, result(stored, 5), "errors:\n  - x"},
		"a warning too many":  {Expect{}, warned, "warnings:\n  + w"},
		"warnings":            {Expect{Warnings: []string{"w"}}, warned, ""},
		"it is still there":   {Expect{Deleted: &yes}, result(stored, 5), "deleted:\n  - true\n  + false"},
	} {
		got, err := c.expect.Compare(c.result)
		if err != nil || strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s (%v), want\n%s", name, strings.Join(got, "\n"), err, c.want)
		}
	}
	if _, err := (&Expect{Object: json.RawMessage(`[]`)}).Compare(result(stored, 5)); err == nil {
		t.Error("an expected object that is a list was taken")
	}
}

func TestLineDiff(t *testing.T) {
	for _, c := range []struct{ want, got, text string }{
		{"a\nb\nc", "a\nc", "    a\n  - b\n    c"},
		{"", "x", "  + x"},
		{"x", "", "  - x"},
		{"a\nb", "b\na", "  - a\n    b\n  + a"},
	} {
		if text := lineDiff(c.want, c.got); text != c.text {
			t.Errorf("%q to %q:\n%s\nwant\n%s", c.want, c.got, text, c.text)
		}
	}
}

const file = `# about the file
---
# about the case
name: first
operation: create
expect: # to be replaced
  errors:
  - no
input: {spec: {}}
---
name: second
operation: delete
old: {}
`

// What is recorded replaces the expectation and leaves the rest of the file as it was.
func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cases.yaml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil || len(f.Cases) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	gone := result(stored, 123456)
	gone.Deleted = true
	for i, r := range []Result{result(stored, 99), gone} {
		if err := f.Record(i, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	want := `# about the file
---
# about the case
name: first
operation: create
expect:
  maxFuel: 108
  object:
    apiVersion: a/v1
    kind: A
    metadata:
      generation: 1
      name: x
    spec:
      a: 1
      b: 2
input: {spec: {}}
---
name: second
operation: delete
old: {}
expect:
  deleted: true
  maxFuel: 140000
`
	if err != nil || string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if again, err := Files(filepath.Dir(path)); err != nil || len(again) != 1 || len(again[0].Cases) != 2 || again[0].Cases[1].Expect.MaxFuel != 140000 {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestReadFileRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"operation: create": "case 1: name is required",
		"name: x":           `case "x": operation is required`,
		"name: x\noperation: create\nexpects: {}":              `unknown field "expects"`,
		"name: x\noperation: create\nexpect: {maxfuels: 1}":    `unknown field "maxfuels"`,
		"name: x\noperation: create\nname: y":                  `key "name" already set`,
		"name: x\noperation: create\ntime: yesterday":          "cannot parse",
		"name: x\noperation: create\n---\nname: [":             "case 2: ",
		"name: x\noperation: create\nexpect: {errors: {a: b}}": "cannot unmarshal object",
	} {
		path := filepath.Join(t.TempDir(), "cases.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
