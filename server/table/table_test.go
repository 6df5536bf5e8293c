package table

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/util/jsonpath"

	"github.com/stratagem-dev/stratagem/engine"
)

var now = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

const cron = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"annotations":{"a.b/c":"x"},"creationTimestamp":"2026-08-01T11:55:00Z","name":"nightly","namespace":"default","resourceVersion":"12"},` +
	`"spec":{"big":9007199254740993,"containers":[{"image":"one","name":"a"},{"image":"two","name":"b"}],"empty":"","html":"<a&b>","huge":1e300,"none":null,"ratio":1.5,"replicas":3,"schedule":"* * * * *","suspend":true,"whole":4.0,"0":"zero"}}`

func compileOne(t *testing.T, columns ...engine.Column) *Table {
	t.Helper()
	table, err := New(columns)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// cells renders one row and returns its cells behind the name.
func cells(t *testing.T, table *Table, item string, hookCells ...json.RawMessage) []string {
	t.Helper()
	row := table.AppendRow(nil, Options{Now: now}, []byte(item), hookCells)
	var got struct{ Cells []json.RawMessage }
	if err := json.Unmarshal(row, &got); err != nil {
		t.Fatalf("%v in %s", err, row)
	}
	var out []string
	for _, cell := range got.Cells[1:] {
		out = append(out, string(cell))
	}
	return out
}

func TestCells(t *testing.T) {
	tests := []struct{ columnType, path, want string }{
		{"string", ".spec.schedule", `"* * * * *"`},
		{"string", ".spec.empty", `""`},
		{"string", ".spec.missing", `null`},
		{"string", ".missing.deeper.still", `null`},
		{"string", ".spec.schedule.deeper", `null`},
		{"string", ".spec.none", `"\u003cno value\u003e"`},
		{"string", ".spec.html", `"\u003ca\u0026b\u003e"`},
		{"string", ".spec.replicas", `"3"`},
		{"string", ".spec.big", `"9007199254740993"`},
		{"string", ".spec.ratio", `"1.5"`},
		{"string", ".spec.huge", `"1e+300"`},
		{"string", ".spec.suspend", `"true"`},
		{"string", ".spec.containers[0]", `"{\"image\":\"one\",\"name\":\"a\"}"`},
		{"string", ".spec.containers", `"[{\"image\":\"one\",\"name\":\"a\"},{\"image\":\"two\",\"name\":\"b\"}]"`},
		{"string", ".spec.containers[1].image", `"two"`},
		{"string", ".spec.containers[*].image", `"one"`},
		{"string", ".spec.containers[?(@.name=='b')].image", `"two"`},
		{"string", ".spec.containers[9].image", `null`},
		{"string", ".spec.containers.image", `null`},
		{"string", ".spec.containers.0.image", `null`},
		{"string", ".spec.0", `"zero"`},
		{"string", `.metadata.annotations.a\.b/c`, `"x"`},
		{"integer", ".spec.replicas", `3`},
		{"integer", ".spec.whole", `4`},
		{"integer", ".spec.big", `9007199254740993`},
		{"integer", ".spec.huge", `null`},
		{"integer", ".spec.schedule", `null`},
		{"integer", ".spec.none", `null`},
		{"number", ".spec.ratio", `1.5`},
		{"number", ".spec.replicas", `3`},
		{"number", ".spec.suspend", `null`},
		{"boolean", ".spec.suspend", `true`},
		{"boolean", ".spec.schedule", `null`},
		{"boolean", ".spec.missing", `null`},
		{"date", ".metadata.creationTimestamp", `"5m"`},
		{"date", ".spec.empty", `"\u003cunknown\u003e"`},
		{"date", ".spec.schedule", `"\u003cinvalid\u003e"`},
		{"date", ".spec.replicas", `null`},
		{"date", ".spec.missing", `null`},
		{"colour", ".spec.schedule", `null`},
	}
	for _, test := range tests {
		table := compileOne(t, engine.Column{Name: "X", Type: test.columnType, JSONPath: test.path})
		if got := cells(t, table, cron)[0]; got != test.want {
			t.Errorf("%s %s: got %s, want %s", test.columnType, test.path, got, test.want)
		}
	}
}

// A path that is read from the bytes must show what the library finds in the decoded object.
func TestFieldPathsAgreeWithTheLibrary(t *testing.T) {
	paths := []string{
		".metadata.name", ".spec", ".spec.big", ".spec.containers", ".spec.empty", ".spec.html", ".spec.huge", ".spec.none", ".spec.ratio",
		".spec.replicas", ".spec.schedule", ".spec.suspend", ".spec.whole", ".spec.missing", ".spec.containers.image", `.metadata.annotations.a\.b/c`, ".metadata.creationTimestamp",
	}
	for _, path := range paths {
		for _, columnType := range []string{"string", "integer", "number", "boolean", "date", ""} {
			table := compileOne(t, engine.Column{Name: "X", Type: columnType, JSONPath: path})
			if table.columns[1].path == "" {
				t.Fatalf("%s is not read from the bytes", path)
			}
			got := cells(t, table, cron)[0]
			library := jsonpath.New("X").AllowMissingKeys(true)
			if err := library.Parse("{" + path + "}"); err != nil {
				t.Fatal(err)
			}
			table.columns[1].jsonPath = library
			if want := cells(t, table, cron)[0]; got != want {
				t.Errorf("%s as %q: %s from the bytes, %s from the tree", path, columnType, got, want)
			}
		}
	}
}

func TestColumnsOfTheTable(t *testing.T) {
	name := `{"name":"Name","type":"string","format":"name"`
	tests := []struct {
		what    string
		columns []engine.Column
		want    []string
	}{
		{"none", nil, []string{"Name", "Created At"}},
		{"no name", []engine.Column{{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}}, []string{"Name", "Age"}},
		{"name from the hook", []engine.Column{{Name: "Name", Type: "string", Format: "name"}, {Name: "Ready", Type: "string"}}, []string{"Name", "Ready"}},
		{"name by path", []engine.Column{{Name: "NAME", Type: "string", JSONPath: ".metadata.name"}}, []string{"NAME"}},
		{"another name", []engine.Column{{Name: "Name", Type: "string", JSONPath: ".spec.name"}}, []string{"Name", "Name"}},
	}
	for _, test := range tests {
		table := compileOne(t, test.columns...)
		var got metav1.Table
		if err := json.Unmarshal(table.Append(nil, Options{Now: now}, ListMeta{}, nil, nil), &got); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range got.ColumnDefinitions {
			names = append(names, c.Name)
		}
		if strings.Join(names, ",") != strings.Join(test.want, ",") {
			t.Errorf("%s: got %q, want %q", test.what, names, test.want)
		}
	}
	if definitions := string(compileOne(t).definitions); !strings.Contains(definitions, name) {
		t.Errorf("got %s", definitions)
	}
}

func TestDefaultTableShowsTheTimestamp(t *testing.T) {
	if got := cells(t, compileOne(t), cron)[0]; got != `"2026-08-01T11:55:00Z"` {
		t.Errorf("got %s", got)
	}
}

func TestTableOfAList(t *testing.T) {
	table := compileOne(t, engine.Column{Name: "Replicas", Type: "integer", JSONPath: ".spec.replicas", Description: "How many", Priority: 1})
	remaining := int64(7)
	list := ListMeta{ResourceVersion: "42", Continue: "abc", RemainingItemCount: &remaining}
	got := string(table.Append(nil, Options{Include: metav1.IncludeNone}, list, [][]byte{[]byte(cron), []byte(`{"metadata":{"name":"b"}}`)}, nil))
	name, _ := json.Marshal(objectMetaDocs["name"])
	want := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"42","continue":"abc","remainingItemCount":7},` +
		`"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":` + string(name) + `,"priority":0},{"name":"Replicas","type":"integer","format":"","description":"How many","priority":1}],` +
		`"rows":[{"cells":["nightly",3],"object":null},{"cells":["b",null],"object":null}]}`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestEmptyList(t *testing.T) {
	got := string(compileOne(t).Append(nil, Options{NoHeaders: true}, ListMeta{ResourceVersion: "1"}, nil, nil))
	if want := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"},"columnDefinitions":null,"rows":[]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestIncludeObject(t *testing.T) {
	item := `{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","uid":"u"},"spec":{"x":1}}`
	partial := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"a","uid":"u"}}`
	bookmark := `{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"name":""}}`
	tests := []struct {
		include    metav1.IncludeObjectPolicy
		item, want string
	}{
		{"", item, partial},
		{metav1.IncludeMetadata, item, partial},
		{metav1.IncludeObject, item, item},
		{metav1.IncludeNone, item, "null"},
		{metav1.IncludeNone, bookmark, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"name":""}}`},
		{metav1.IncludeMetadata, `{"metadata":7}`, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}}`},
	}
	for _, test := range tests {
		opts := Options{APIVersion: "meta.k8s.io/v1beta1", Include: test.include}
		var row struct{ Object json.RawMessage }
		if err := json.Unmarshal(compileOne(t).AppendRow(nil, opts, []byte(test.item), nil), &row); err != nil {
			t.Fatal(err)
		}
		if string(row.Object) != test.want {
			t.Errorf("%q of %s:\n got %s\nwant %s", test.include, test.item, row.Object, test.want)
		}
	}
}

func TestParseInclude(t *testing.T) {
	for in, want := range map[string]metav1.IncludeObjectPolicy{"": "Metadata", "None": "None", "Metadata": "Metadata", "Object": "Object"} {
		if got, err := ParseInclude(in); got != want || err != nil {
			t.Errorf("%q: got %q, error %v", in, got, err)
		}
	}
	_, err := ParseInclude("object")
	if want := `Unable to convert to Table as requested: includeObject: Invalid value: "object": must be 'Metadata', 'Object', 'None', or empty`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestHookCells(t *testing.T) {
	table := compileOne(t,
		engine.Column{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name"}, engine.Column{Name: "Ready", Type: "string"},
		engine.Column{Name: "Schedule", Type: "string", JSONPath: ".spec.schedule"}, engine.Column{Name: "Restarts", Type: "integer"})
	if table.HookColumns() != 2 {
		t.Fatalf("got %d hook columns", table.HookColumns())
	}
	parsed, err := table.ParseCells(json.RawMessage(`[["1/1",4]]`), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cells(t, table, cron, parsed[0]...), " "); got != `"1/1" "* * * * *" 4` {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(cells(t, table, cron), " "); got != `null "* * * * *" null` {
		t.Errorf("without cells: got %s", got)
	}
}

func TestHookCellsOfTheWrongShape(t *testing.T) {
	table := compileOne(t, engine.Column{Name: "Ready", Type: "string"})
	for _, result := range []string{``, `null`, `{}`, `[]`, `[[]]`, `[null]`, `[["a","b"]]`, `[["a"],["b"]]`, `["a"]`, `[["a"`, `[[x]]`, "[[\"\x00\"]]"} {
		if got, err := table.ParseCells(json.RawMessage(result), 1); err == nil {
			t.Errorf("%q was taken as %s", result, got)
		}
	}
}

func TestBadPaths(t *testing.T) {
	for _, path := range []string{".spec[", "{", ".spec[?(@.x==", ".spec}{range .x[*]}{.y}{end}{.z", ".a[?(@.b==range)]", ".spec[0:1:2:3]", ".spec['x", "}"} {
		table, err := New([]engine.Column{{Name: "Bad", Type: "string", JSONPath: path}, {Name: "Good", Type: "string", JSONPath: ".spec.schedule"}})
		var bad *PathError
		if err != nil && (!errors.As(err, &bad) || bad.Column != "Bad") {
			t.Errorf("%q: error %v", path, err)
		}
		if err == nil {
			continue // the library takes it: it must only not panic
		}
		if got := cells(t, table, cron); len(got) != 1 || got[0] != `"* * * * *"` {
			t.Errorf("%q: the other columns show %q", path, got)
		}
	}
	if _, err := New([]engine.Column{{Name: "Loop", JSONPath: ".a}{range .x[*]}{.y}{end"}}); !errors.Is(err, errRange) {
		t.Errorf("a loop gave %v", err)
	}
}

// Whatever the path and the object, rows are valid JSON.
func TestOddObjectsAndPaths(t *testing.T) {
	items := []string{`{}`, `null`, `7`, `[]`, `""`, `{"metadata":null}`, `{"spec":[null,[null],{"a":null}],"metadata":{"name":{"first":"x"}}}`, `{"spec":{"":{"":1}}}`, `{"a":"\ud800"}`}
	paths := []string{".spec", ".spec[*]", ".spec[-1]", ".spec[-9]", ".spec[0:9]", ".spec[1:0]", ".spec[::0]", ".spec..a", "..", ".", ".spec[?(@.a==1)]", ".spec[?(@.a)]", ".spec[*].a", ".*.*", "$.spec", ".spec['a','b']", ".metadata.name", "'text'", "@", "1", "true"}
	for _, path := range paths {
		table, err := New([]engine.Column{{Name: "X", Type: "string", JSONPath: path}, {Name: "Y", Type: "integer", JSONPath: path}})
		if err != nil {
			continue
		}
		for _, item := range items {
			if row := table.AppendRow(nil, Options{Now: now}, []byte(item), nil); !json.Valid(row) {
				t.Errorf("%s of %s: %s", path, item, row)
			}
		}
	}
}

func TestMetadataList(t *testing.T) {
	got := AppendMetadataListStart(nil, "", ListMeta{ResourceVersion: "9"})
	got = append(AppendMetadata(got, "", []byte(cron)), ',')
	got = append(AppendMetadata(got, "", []byte(`{"metadata":{"name":"b"}}`)), "]}"...)
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(got, &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind != "PartialObjectMetadataList" || list.ResourceVersion != "9" || len(list.Items) != 2 {
		t.Fatalf("got %s", got)
	}
	if item := list.Items[0]; item.Name != "nightly" || item.Kind != "PartialObjectMetadata" || item.APIVersion != "meta.k8s.io/v1" {
		t.Errorf("got %+v", item)
	}
	var generic unstructured.UnstructuredList
	if err := generic.UnmarshalJSON(got); err != nil {
		t.Error(err)
	}
}

func TestOneTableServesManyRequests(t *testing.T) {
	table := compileOne(t, engine.Column{Name: "Image", Type: "string", JSONPath: ".spec.containers[?(@.name=='b')].image"}, engine.Column{Name: "All", Type: "string", JSONPath: ".spec..image"})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				row := string(table.AppendRow(nil, Options{Now: now}, []byte(cron), nil))
				if !strings.HasPrefix(row, `{"cells":["nightly","two","one"]`) {
					t.Errorf("got %s", row)
					return
				}
			}
		})
	}
	wait.Wait()
}
