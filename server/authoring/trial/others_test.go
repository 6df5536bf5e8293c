package trial

import (
	"testing"

	"github.com/stratagem-dev/stratagem/host"
)

func TestOthers(t *testing.T) {
	c, err := parseCase([]byte(`
name: a
operation: create
input: {}
others:
  configmaps:
  - {metadata: {name: a, namespace: default, labels: {tier: gold}}}
  - {metadata: {name: b, namespace: default}}
  - {metadata: {name: c, namespace: other, labels: {tier: gold}}}
  classes.example.com: []
`))
	if err != nil {
		t.Fatal(err)
	}
	req, err := c.Request()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		query host.Query
		code  int
		found int
		more  bool
	}{
		{"an object", host.Query{Resource: "configmaps", Namespace: "default", Name: "a"}, 200, 1, false},
		{"of another namespace", host.Query{Resource: "configmaps", Namespace: "other", Name: "a"}, 404, 0, false},
		{"what the case does not name", host.Query{Resource: "secrets", Namespace: "default", Name: "a"}, 403, 0, false},
		{"none of a resource", host.Query{Group: "example.com", Resource: "classes"}, 200, 0, false},
		{"a namespace", host.Query{Resource: "configmaps", Namespace: "default"}, 200, 2, false},
		{"by labels", host.Query{Resource: "configmaps", LabelSelector: "tier in (gold)"}, 200, 2, false},
		{"some", host.Query{Resource: "configmaps", Limit: 1}, 200, 1, true},
		{"no selector", host.Query{Resource: "configmaps", LabelSelector: "tier in"}, 400, 0, false},
	}
	for _, test := range tests {
		answer := req.Others.Read(t.Context(), nil, test.query)
		if answer.Code != test.code || len(answer.Objects) != test.found || answer.More != test.more {
			t.Errorf("%s: %+v", test.name, answer)
		}
	}
}

func TestOthersThatAreNoObjects(t *testing.T) {
	c, err := parseCase([]byte("name: a\noperation: create\nothers: {configmaps: [1]}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Request(); err == nil {
		t.Error("a number was taken for an object")
	}
}
