package crd

import (
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

// migrated is a definition in either version, at generation 3, stored in two versions.
func migrated(apiVersion string) engine.Object {
	return engine.Object(`{"apiVersion":"` + apiVersion + `","kind":"CustomResourceDefinition","metadata":{"generation":3,"labels":{"a":"b"},"name":"widgets.migrate.test"},` +
		`"spec":{"group":"migrate.test","names":{"kind":"Widget","plural":"widgets"},"scope":"Namespaced","versions":[` +
		`{"name":"v1","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":true},{"name":"v1beta1","schema":{"openAPIV3Schema":{"type":"object"}},"served":true,"storage":false}]},` +
		`"status":{"storedVersions":["v1beta1","v1"]}}`)
}

func TestAMigrationIsToldInTheStatus(t *testing.T) {
	for _, apiVersion := range []string{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"} {
		running, err := Migrating(migrated(apiVersion), "m")
		if err != nil {
			t.Fatal(err)
		}
		again, err := Migrating(running, "m")
		if err != nil || string(again) != string(running) {
			t.Errorf("%s: told twice it is another status: %v\n%s\n%s", apiVersion, err, running, again)
		}
		wantCondition(t, running, "True", "MigrationRunning", "Migration m is running", `["v1beta1","v1"]`)
		failed, err := Migrated(running, true)
		if err != nil {
			t.Fatal(err)
		}
		wantCondition(t, failed, "False", "MigrationFailed", "The migration has failed", `["v1beta1","v1"]`)
		done, err := Migrated(running, false)
		if err != nil {
			t.Fatal(err)
		}
		wantCondition(t, done, "False", "MigrationSucceeded", "The migration has succeeded and the stored versions have been updated", `["v1"]`)
		if got := done.Get("metadata").Raw; got != migrated(apiVersion).Get("metadata").Raw {
			t.Errorf("%s: metadata: %s", apiVersion, got)
		}
	}
}

func wantCondition(t *testing.T, obj engine.Object, status, reason, message, stored string) {
	t.Helper()
	c := obj.Get("status", "conditions").Get("0")
	if c.Get("type").Str != "StorageMigrating" || c.Get("status").Str != status || c.Get("reason").Str != reason || c.Get("message").Str != message || c.Get("observedGeneration").Int() != 3 {
		t.Errorf("condition: %s", c.Raw)
	}
	if got := obj.Get("status", "storedVersions").Raw; got != stored {
		t.Errorf("storedVersions: %s, want %s", got, stored)
	}
}
