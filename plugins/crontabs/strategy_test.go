package main

import (
	"reflect"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

var run = sdktest.New(strategy{})

// cronTab is a CronTab with the given spec.
func cronTab(t *testing.T, spec string) *sdk.Object {
	t.Helper()
	return sdktest.Object(t, `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"backup"},"spec":`+spec+`}`)
}

func TestCreate(t *testing.T) {
	obj := cronTab(t, `{"cronSpec":"  */5  2 * * mon-fri ","image":"backup:1"}`)
	obj.Set(7, "status", "replicas")
	got := run.Create(obj)
	sdktest.WantErrors(t, got)
	if spec, want := got.Object.Get("spec").Raw(), `{"cronSpec":"*/5 2 * * MON-FRI","image":"backup:1","replicas":1}`; spec != want {
		t.Errorf("spec is %s, want %s", spec, want)
	}
	if got.Object.Exists("status") {
		t.Error("a create wrote the status")
	}
	if len(got.Warnings) != 0 {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

func TestCreateKeepsWhatIsSet(t *testing.T) {
	for _, replicas := range []int64{0, 3} {
		obj := cronTab(t, `{"cronSpec":"@daily","image":"backup:1"}`)
		obj.Set(replicas, "spec", "replicas")
		if got := run.Create(obj).Object.Get("spec", "replicas").Int(); got != replicas {
			t.Errorf("replicas %d became %d", replicas, got)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	for spec, want := range map[string][]string{
		`{}`: {`spec.cronSpec: Required value`, `spec.image: Required value`},
		`{"cronSpec":"61 * * * *","image":"i"}`: {
			`spec.cronSpec: Invalid value: "61 * * * *": minute: 61 must be between 0 and 59`},
		`{"cronSpec":"@hourly","image":"i","replicas":-1}`: {
			`spec.replicas: Invalid value: -1: must be greater than or equal to 0`},
	} {
		sdktest.WantErrors(t, run.Create(cronTab(t, spec)), want...)
	}
}

func TestUpdate(t *testing.T) {
	old := cronTab(t, `{"cronSpec":"* * * * *","image":"backup:1","replicas":1}`)

	changed := old.Copy()
	changed.Set("backup:2", "spec", "image")
	if got := run.Update(changed, old); len(got.Errors) != 0 || len(got.Warnings) != 0 {
		t.Errorf("a change elsewhere: errors %v, warnings %q", got.Errors, got.Warnings)
	}

	changed.Set("*/1 0-23 * * *", "spec", "cronSpec")
	got := run.Update(changed, old)
	sdktest.WantErrors(t, got)
	if want := []string{"spec.cronSpec: runs every minute"}; !reflect.DeepEqual(got.Warnings, want) {
		t.Errorf("warnings %q, want %q", got.Warnings, want)
	}

	changed.Set("", "spec", "image")
	sdktest.WantErrors(t, run.Update(changed, old), "spec.image: Required value")
}

func TestStatusUpdate(t *testing.T) {
	old := cronTab(t, `{}`)
	changed := old.Copy()
	changed.Set(-2, "status", "replicas")
	sdktest.WantErrors(t, sdktest.New(statusStrategy{}).Update(changed, old),
		"status.replicas: Invalid value: -2: must be greater than or equal to 0")
}
