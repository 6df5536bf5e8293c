package crd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// moduleDir is where the sources of a module are that this one is built with.
func moduleDir(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// manifests reads the definitions in a file.
func manifests(t *testing.T, file string) (objects []engine.Object) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range bytes.Split(text, []byte("\n---")) {
		raw, err := yaml.YAMLToJSON(part)
		if err != nil {
			t.Fatal(err)
		}
		if obj, _, err := engine.ParseObject(raw); err == nil && obj.Kind() == kindName {
			objects = append(objects, obj)
		}
	}
	if len(objects) == 0 {
		t.Fatalf("%s has no definitions", file)
	}
	return objects
}

// Definitions of public projects, which the modules that this one is built with bring along, install without complaint, and the
// engine prunes and defaults their objects as bytes.
func TestPublicDefinitions(t *testing.T) {
	resource, err := Definition()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{
		filepath.Join(moduleDir(t, "k8s.io/apiextensions-apiserver"), "test/integration/ratcheting_test_cases/crds/standard-install.yaml"), // Gateway API
		filepath.Join(moduleDir(t, "k8s.io/apiextensions-apiserver"), "pkg/test/example/apiexports_crd.yaml"),
	}
	for _, file := range files {
		for _, obj := range manifests(t, file) {
			t.Run(obj.Name(), func(t *testing.T) {
				v := resource.Version(version(obj))
				decoded, err := v.Schema.Decode(obj)
				if err != nil || len(decoded.Unknown) > 0 {
					t.Fatalf("unknown %q, error %v", decoded.Unknown, err)
				}
				completed, err := v.Schema.Default(decoded.Object)
				if err != nil {
					t.Fatal(err)
				}
				installs(t, completed)
			})
		}
	}
}

// installs puts a definition through the strategy and the registry.
func installs(t *testing.T, obj engine.Object) {
	ctx := context.Background()
	for _, prepare := range []func(context.Context, *engine.Call) (engine.Object, error){strategy{}.Default, strategy{}.PrepareForCreate} {
		var err error
		if obj, err = prepare(ctx, &engine.Call{Object: obj}); err != nil {
			t.Fatal(err)
		}
	}
	if errs := (strategy{}).Validate(ctx, &engine.Call{Object: obj}); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	r := NewRegistry(store, Webhooks{})
	settled, err := r.Settle(obj, nil)
	if err != nil || settled == nil {
		t.Fatalf("settled %v, error %v", settled != nil, err)
	}
	if _, err := r.Update([]engine.Item{{Key: Key(obj.Name()), Data: settled, Revision: 1}}, &Bindings{}); err != nil {
		t.Fatal(err)
	}
	e := r.known[Key(obj.Name())]
	if e.store == nil {
		t.Fatalf("it is not served: %s", settled)
	}
	for name, c := range e.versions {
		if c.open {
			t.Errorf("version %s: the engine does not take the schema", name)
		}
		if _, err := c.library(); err != nil {
			t.Errorf("version %s: %v", name, err)
		}
	}
}
