package server

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
)

func TestStorageVersionMigrationRules(t *testing.T) {
	ctx := context.Background()
	object := func(spec string) engine.Object {
		return engine.Object(`{"metadata":{"name":"m"},"spec":` + spec + `,"status":{"resourceVersion":"1"}}`)
	}
	made, err := migrationStrategy{}.PrepareForCreate(ctx, &engine.Call{Object: object(`{}`)})
	if err != nil || made.Get("status").Exists() {
		t.Errorf("the status of a new migration: %s %v", made.Get("status").Raw, err)
	}
	for spec, want := range map[string]string{
		`{"resource":{"group":"g","resource":"things"}}`: "",
		`{"resource":{"group":"g"}}`:                     "spec.resource.resource: Required value: resource is required",
		`{"resource":{"group":"g","resource":""}}`:       "spec.resource.resource: Required value: resource is required",
		`{}`: "spec.resource.resource: Required value: resource is required",
	} {
		if got := textOf(migrationStrategy{}.Validate(ctx, &engine.Call{Object: object(spec)})); got != want {
			t.Errorf("%s: %s", spec, got)
		}
	}
	old := object(`{"resource":{"group":"g","resource":"things"}}`)
	for spec, want := range map[string]string{
		`{"resource":{"group":"g","resource":"things"}}`: "",
		`{"resource":{"group":"h","resource":"others"}}`: `[group: Invalid value: "h": field is immutable, resource: Invalid value: "others": field is immutable]`,
	} {
		if got := textOf(migrationStrategy{}.ValidateUpdate(ctx, &engine.Call{Object: object(spec), Old: old})); got != want {
			t.Errorf("%s: %s", spec, got)
		}
	}
}

func TestStorageVersionMigrationStatusRules(t *testing.T) {
	condition := func(kind, status string) string {
		return `{"type":"` + kind + `","status":"` + status + `","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}`
	}
	object := func(status string) engine.Object {
		return engine.Object(`{"metadata":{"name":"m"},"status":` + status + `}`)
	}
	conditions := func(c ...string) string { return `{"conditions":[` + strings.Join(c, ",") + `]}` }
	succeeded, failed, running := condition("Succeeded", "True"), condition("Failed", "True"), condition("Running", "True")
	for _, test := range []struct{ old, status, want string }{
		{`{}`, `{"resourceVersion":"7"}`, ""},
		{`{"resourceVersion":"7"}`, `{"resourceVersion":"7"}`, ""},
		{`{"resourceVersion":"7"}`, `{"resourceVersion":"8"}`, `status.resourceVersion: Invalid value: "8": cannot be updated`},
		{`{}`, `{"resourceVersion":"-1"}`, `status.resourceVersion: Invalid value: -1: must be greater than or equal to 0`},
		{`{}`, `{"resourceVersion":"x"}`, `failed to parse resource version "x"`},
		{`{}`, conditions(running), ""},
		{`{}`, conditions(succeeded, condition("Running", "False")), ""},
		{`{}`, conditions(succeeded, failed), "Both success and failed conditions cannot be true at the same time"},
		{`{}`, conditions(succeeded, running), "Running condition cannot be true when success condition is true"},
		{`{}`, conditions(failed, running), "Running condition cannot be true when failed condition is true"},
		{conditions(succeeded), conditions(), "Success condition cannot be set to false once it is true"},
		{conditions(failed), conditions(condition("Failed", "False")), "Failed condition cannot be set to false once it is true"},
		{`{}`, conditions(running, running), `status.conditions[1]: Duplicate value: "Running"`},
		{`{}`, conditions(`{"type":"Running","status":"Maybe","reason":"R","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}`), `status.conditions[0].status: Unsupported value: "Maybe"`},
		{`{}`, conditions(`{"type":"Running","status":"True"}`), "status.conditions[0].lastTransitionTime: Required value"},
		{`{}`, conditions(`{"type":"Running","status":"True","reason":"R","lastTransitionTime":"yesterday"}`), `parsing time`},
	} {
		got := textOf(migrationStatusStrategy{}.ValidateUpdate(context.Background(), &engine.Call{Object: object(test.status), Old: object(test.old)}))
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s after %s: %s", test.status, test.old, got)
		}
	}
}

func textOf(errs field.ErrorList) string {
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}
