package managed

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

// deploymentSchema is the one that the bundled plugin has.
func deploymentSchema(tb testing.TB) *schema.Schema {
	tb.Helper()
	raw, err := os.ReadFile("../../plugins/deployments/schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		tb.Fatal(err)
	}
	s, err := schema.Compile(json.RawMessage(`{"$ref":"#/components/schemas/io.k8s.api.apps.v1.Deployment"}`), doc.Components.Schemas)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// deploymentTypes are the types of apps/v1 Deployment.
func deploymentTypes(tb testing.TB) *Types {
	tb.Helper()
	types, err := Compile(deploymentSchema(tb), "apps/v1", "Deployment")
	if err != nil {
		tb.Fatal(err)
	}
	return types
}

// deployment is one of 1.4 KiB, without managedFields.
func deployment(tb testing.TB) []byte {
	tb.Helper()
	raw, err := os.ReadFile("testdata/deployment.json")
	if err != nil {
		tb.Fatal(err)
	}
	obj, err := decodeObject(raw)
	if err != nil {
		tb.Fatal(err)
	}
	canonical, err := jsontext.AppendTree(nil, obj.Object)
	if err != nil {
		tb.Fatal(err)
	}
	return canonical
}

// benchmarks are the writes that are measured, ours and Kubernetes'.
func benchmarks(b *testing.B) map[string]*Write {
	types, created := deploymentTypes(b), deployment(b)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	scope := Excluding(".status")
	create := &Write{Types: types, New: created, Manager: "kubectl-create", Time: now, Scope: scope}
	fields, err := create.Update()
	if err != nil {
		b.Fatal(err)
	}
	stored := withFields(created, fields)
	withStatus := bytes.Replace(stored, []byte(`"status":{}`), []byte(`"status":{"availableReplicas":3,"conditions":[{"lastUpdateTime":"2026-01-01T00:00:00Z","status":"True","type":"Available"}],"observedGeneration":1,"replicas":3}`), 1)
	status := &Write{Types: types, Old: stored, New: withStatus, Manager: "controller", Subresource: "status", Time: now, Scope: Only("status")}
	if fields, err = status.Update(); err != nil {
		b.Fatal(err)
	}
	two := withFields(withStatus, fields)
	scaled := bytes.Replace(two, []byte(`"replicas":3`), []byte(`"replicas":5`), 1)
	image := bytes.Replace(two, []byte(`nginx:1.14.2`), []byte(`nginx:1.27.0`), 1)
	return map[string]*Write{
		"create":    create,
		"status":    status,
		"unchanged": {Types: types, Old: two, New: two, Manager: "kubectl-create", Time: now, Scope: scope},
		"replicas":  {Types: types, Old: two, New: scaled, Manager: "kubectl-create", Time: now, Scope: scope},
		"image":     {Types: types, Old: two, New: image, Manager: "another", Time: now, Scope: scope},
	}
}

func BenchmarkUpdate(b *testing.B) {
	for name, write := range benchmarks(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(write.New)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := write.Update(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkKubernetesUpdate measures Kubernetes' field manager on decoded objects: what decoding costs is not counted.
func BenchmarkKubernetesUpdate(b *testing.B) {
	for name, write := range benchmarks(b) {
		old := write.Old
		if old == nil {
			old = write.Types.identity()
		}
		live, obj := mustDecode(b, old), mustDecode(b, write.New)
		manager := mustManager(b, write)
		sent := obj.GetManagedFields()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				obj.SetManagedFields(sent)
				if _, err := manager.Update(live, obj, write.Manager); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func mustDecode(tb testing.TB, raw []byte) *unstructured.Unstructured {
	obj, err := decodeObject(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return obj
}

func mustManager(tb testing.TB, write *Write) *managedfields.FieldManager {
	manager, err := write.fieldManager(&converter{write: write}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return manager
}

func BenchmarkApply(b *testing.B) {
	types, now := deploymentTypes(b), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	config := deployment(b)
	config = splice(config, "status", nil)
	first := &Write{Types: types, Manager: "kubectl", Time: now, Scope: Excluding(".status")}
	stored, err := first.Apply(config, false)
	if err != nil {
		b.Fatal(err)
	}
	again := &Write{Types: types, Old: stored, Manager: "kubectl", Time: now, Scope: Excluding(".status")}
	config = bytes.Replace(config, []byte(`"replicas":3`), []byte(`"replicas":5`), 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := again.Apply(config, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	s := deploymentSchema(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(s, "apps/v1", "Deployment"); err != nil {
			b.Fatal(err)
		}
	}
}
