package sdk

import (
	"strings"
	"testing"
)

// traits answers some traits with yes and one with no.
type traits struct{}

func (traits) AllowCreateOnUpdate() bool      { return true }
func (traits) AllowUnconditionalUpdate() bool { return false }
func (traits) ReturnDeletedObject() bool      { return true }
func (traits) GenerationOnSpecChange() bool   { return true }

func TestDescribe(t *testing.T) {
	m := NewModule(Plugin{Name: "all", Version: "1.2.3", Reset: &Reset{Every: 64, OnGrowth: true}, Resources: []Resource{
		{
			Resource: "pods", Kind: "Pod", Strategy: everything{},
			Versions: []Version{{Name: "v1"}},
		},
		{
			Group: "g.io", Resource: "oxen", Singular: "ox", Kind: "Ox", ListKind: "Oxen", ShortNames: []string{"o"},
			Categories: []string{"all"}, Scope: Cluster, KeyRoot: "/oxen", Strategy: &traits{},
			Versions: []Version{
				{Name: "v2", Served: true, Storage: true, Hooks: true, Schema: `{"type":"object"}`, Columns: []Column{
					{Name: "A", Type: "integer", Format: "int32", Description: `"d"`, Priority: 1, JSONPath: ".a"}, {Name: "B", Type: "string"},
				}},
				{Name: "v1", Served: true, Deprecated: true, DeprecationWarning: "old"},
			},
			Subresources: []Subresource{
				{Name: "status", Strategy: struct{ Validator }{}},
				{Name: "scale", Scale: &Scale{".a", ".b", ".c"}},
				{Name: "sell", Create: &PostedKind{"g.io", "v1", "Sale", true}},
				{Name: "eat", Unavailable: "not today"},
			},
			SelectableFields: []string{".a"}, ResetFields: []string{".status"}, StoredAs: "g.com/v1",
			FieldLabels: []FieldLabel{{"b", []string{".c", ".d"}}, {"e", []string{".f"}}},
		},
	}})
	want := `{"name":"all","version":"1.2.3","resources":[` +
		`{"group":"","resource":"pods","singular":"pod","kind":"Pod","listKind":"PodList","scope":"Namespaced",` +
		`"versions":[{"name":"v1","served":true,"storage":true}],` +
		`"hooks":["Default","PrepareForCreate","Validate","WarningsOnCreate","PrepareForUpdate","ValidateUpdate","WarningsOnUpdate",` +
		`"Canonicalize","CheckGracefulDelete","CreateSubresource","ConvertToTable","Convert"],"subresources":[]},` +
		`{"group":"g.io","resource":"oxen","singular":"ox","kind":"Ox","listKind":"Oxen","shortNames":["o"],"categories":["all"],` +
		`"scope":"Cluster","keyRoot":"/oxen","storedAs":"g.com/v1","versions":[` +
		`{"name":"v2","served":true,"storage":true,"hooks":true,"columns":[` +
		`{"name":"A","type":"integer","format":"int32","description":"\"d\"","priority":1,"jsonPath":".a"},{"name":"B","type":"string"}],` +
		`"schema":{"type":"object"}},` +
		`{"name":"v1","served":true,"deprecated":true,"deprecationWarning":"old"}],` +
		`"traits":["AllowCreateOnUpdate","ReturnDeletedObject","GenerationOnSpecChange"],"subresources":[` +
		`{"name":"status","hooks":["Validate"]},` +
		`{"name":"scale","scale":{"specReplicasPath":".a","statusReplicasPath":".b","labelSelectorPath":".c"}},` +
		`{"name":"sell","create":{"group":"g.io","version":"v1","kind":"Sale","action":"delete"}},` +
		`{"name":"eat","unavailable":"not today"}],"selectableFields":[".a"],"fieldLabels":[{"label":"b","paths":[".c",".d"]},{"label":"e","paths":[".f"]}],"resetFields":[".status"]}],"reset":{"every":64,"onGrowth":true}}`
	if got := string(m.Describe()); got != want {
		t.Errorf("\n%s, want\n%s", strings.ReplaceAll(got, ",", ",\n"), strings.ReplaceAll(want, ",", ",\n"))
	}
}

func TestTrimStack(t *testing.T) {
	stack := `goroutine 1 [running]:
github.com/stratagem-dev/stratagem/sdk.reportPanic()
	/src/sdk/panic_go.go:23 +0xe
panic({0x1, 0x2})
	/go/src/runtime/panic.go:792 +0x11
main.(*strategy).help(...)
	/src/my plugin/help.go:7
main.strategy.Validate({}, 0x1, 0x2)
	/src/my plugin/strategy.go:40 +0x5
github.com/stratagem-dev/stratagem/sdk.(*call).run(0x1, 0x3)
	/src/sdk/call.go:35 +0x2
main.never()
	/x.go:1 +0x1`
	want := "  main.(*strategy).help(...) at /src/my plugin/help.go:7\n" +
		"  main.strategy.Validate({}, 0x1, 0x2) at /src/my plugin/strategy.go:40"
	if got := trimStack(stack); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	for _, text := range []string{"", "\n", "goroutine 1 [running]:", "x\ny\n"} {
		if got := trimStack(text); strings.Contains(got, "run") {
			t.Errorf("%q: %q", text, got)
		}
	}
}
