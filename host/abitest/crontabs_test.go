package abitest

import (
	"os"
	"reflect"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/host/meter"
)

// crontabs is the bundled plugin with its schema, as the build makes it.
func crontabs() ([]byte, error) {
	code, err := crontabsWasm()
	if err != nil {
		return nil, err
	}
	schema, err := os.ReadFile("../../plugins/crontabs/schema.json")
	if err != nil {
		return nil, err
	}
	return meter.AppendCustomSection(code, "stratagem.openapi", schema)
}

func cronTabCall(t testing.TB, spec string) *engine.Call {
	t.Helper()
	obj, _, err := engine.ParseObject([]byte(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"backup","namespace":"default"},"spec":` + spec + `,"status":{"replicas":9}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Call{Object: obj, Request: &engine.RequestInfo{
		Verb: "create", Group: "example.com", Version: "v1", Resource: "crontabs", Namespace: "default", Name: "backup",
	}}
}

func TestCronTabs(t *testing.T) {
	m := load(t, crontabs, host.Options{})
	if m.Resources[0].Versions[0].Schema == nil {
		t.Error("the schema of the custom section is not there")
	}
	s := strategy(m, "")
	call := cronTabCall(t, `{"cronSpec":"  */1  * * * * ","image":"backup:1"}`)
	prepared, err := s.Run(t.Context(), preparing, call)
	if err != nil || prepared.Object.Get("status").Exists() || prepared.Object.Get("spec", "replicas").Int() != 1 {
		t.Fatalf("prepared: %s, %v", prepared.Object, err)
	}
	call.Object = prepared.Object
	validated, err := s.Run(t.Context(), validating, call)
	if err != nil || len(validated.Errors) > 0 || !reflect.DeepEqual(validated.Warnings, []string{"spec.cronSpec: runs every minute"}) {
		t.Errorf("validated: %v %q %v", validated.Errors, validated.Warnings, err)
	}
	rejected, err := s.Run(t.Context(), validating, cronTabCall(t, `{"cronSpec":"61 * * * *","replicas":-1}`))
	if err != nil || rejected.Object != nil {
		t.Fatalf("%s, %v", rejected.Object, err)
	}
	want := []string{
		`spec.cronSpec: Invalid value: "61 * * * *": minute: 61 must be between 0 and 59`,
		`spec.image: Required value`,
		`spec.replicas: Invalid value: -1: must be greater than or equal to 0`,
	}
	for i, e := range rejected.Errors {
		if i >= len(want) || e.Error() != want[i] {
			t.Errorf("error %d: %v", i, e)
		}
	}
	if len(rejected.Errors) != len(want) {
		t.Errorf("%d errors", len(rejected.Errors))
	}
}

// The guest's collector runs, and its memory stays small, also where it is never reset.
func TestCronTabsForALongTime(t *testing.T) {
	m := load(t, crontabs, host.Options{Reset: host.Reset{Every: host.Never}, Limits: host.Limits{Instances: 1, MemoryPages: 512}})
	s := strategy(m, "")
	call := cronTabCall(t, `{"cronSpec":"@daily","image":"backup:1"}`)
	for range 5000 {
		if _, err := s.Run(t.Context(), preparing, call); err != nil {
			t.Fatal(err)
		}
	}
	if c := m.Counts(); c.Started != 1 || c.Discarded != 0 {
		t.Errorf("%+v", c)
	}
}
