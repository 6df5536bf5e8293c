package main

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// with is an object with fields set, each a path with slashes and a JSON text; an empty text deletes.
func with(t testing.TB, json string, fields ...string) *sdk.Object {
	t.Helper()
	obj := sdktest.Object(t, json)
	for i := 0; i < len(fields); i += 2 {
		path := strings.Split(fields[i], "/")
		if fields[i+1] == "" {
			obj.Delete(path...)
		} else {
			obj.SetRaw(fields[i+1], path...)
		}
	}
	return obj
}

// wantRaw compares parts of an object, by paths with slashes, with JSON texts; an empty text wants it absent.
func wantRaw(t *testing.T, obj *sdk.Object, parts map[string]string) {
	t.Helper()
	for path, want := range parts {
		if got := obj.Get(strings.Split(path, "/")...).Raw(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// wantWarnings compares all warnings.
func wantWarnings(t *testing.T, got sdktest.Result, want ...string) {
	t.Helper()
	if strings.Join(got.Warnings, "\n") != strings.Join(want, "\n") {
		t.Errorf("warnings %q, want %q", got.Warnings, want)
	}
}

// The server refuses a description that breaks its rules, so that the plugin's has to be looked at once more by an end-to-end
// test; here it is made sure that every strategy is known by its hooks.
func TestPlugin(t *testing.T) {
	description := string(sdk.NewModule(Plugin).Describe())
	for _, want := range []string{
		`"resource":"configmaps","singular":"configmap","kind":"ConfigMap"`, `"keyRoot":"/secrets"`, `"resource":"serviceaccounts"`,
		`"group":"events.k8s.io","resource":"events","singular":"event","kind":"Event","listKind":"EventList","shortNames":["ev"],"scope":"Namespaced","storedAs":"v1"`,
		`{"label":"source","paths":[".deprecatedSource.component",".reportingController"]}`,
		`"hooks":["Default","Validate","ValidateUpdate","ConvertToTable","Convert","TTL"]`,
		`"group":"coordination.k8s.io","resource":"leases"`, `"traits":["AllowUnconditionalUpdate","ReturnDeletedObject"]`,
	} {
		if !strings.Contains(description, want) {
			t.Errorf("%s is not in\n%s", want, description)
		}
	}
}
