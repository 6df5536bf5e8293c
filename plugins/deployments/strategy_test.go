package main

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const nginx = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"nginx","namespace":"default","labels":{"app":"nginx"}},"spec":{"replicas":3,` +
	`"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},"spec":{"containers":[{"name":"nginx","image":"nginx:1.14.2","ports":[{"containerPort":80}]}]}}}}`

// with is an object with fields set, each a path and a JSON text; an empty text deletes.
func with(t testing.TB, json string, fields ...string) *sdk.Object {
	t.Helper()
	obj := sdktest.Object(t, json)
	for i := 0; i < len(fields); i += 2 {
		path := strings.Split(fields[i], ".")
		if fields[i+1] == "" {
			obj.Delete(path...)
		} else {
			obj.SetRaw(fields[i+1], path...)
		}
	}
	return obj
}

// stored is the deployment as it is after its creation.
func stored(t testing.TB, fields ...string) string {
	t.Helper()
	got := sdktest.New(Strategy{}).Create(with(t, nginx, fields...))
	if len(got.Errors) > 0 {
		t.Fatal(got.Errors)
	}
	return got.Object.Raw()
}

func TestCreate(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(with(t, nginx, "status", `{"replicas":9}`, "spec.replicas", ``))
	sdktest.WantErrors(t, got)
	if len(got.Warnings) > 0 {
		t.Errorf("warnings: %q", got.Warnings)
	}
	for path, want := range map[string]string{
		"metadata.generation":                             `1`,
		"status":                                          `{}`,
		"spec.replicas":                                   `1`,
		"spec.strategy":                                   `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}}`,
		"spec.revisionHistoryLimit":                       `10`,
		"spec.progressDeadlineSeconds":                    `600`,
		"spec.template.spec.restartPolicy":                `"Always"`,
		"spec.template.spec.dnsPolicy":                    `"ClusterFirst"`,
		"spec.template.spec.enableServiceLinks":           ``,
		"spec.template.spec.containers.0.resources":       `{}`,
		"spec.template.spec.containers.0.ports.0":         `{"containerPort":80,"protocol":"TCP"}`,
		"spec.template.spec.containers.0.imagePullPolicy": `"IfNotPresent"`,
	} {
		if value := got.Object.Get(strings.Split(path, ".")...).Raw(); value != want {
			t.Errorf("%s: %s, want %s", path, value, want)
		}
	}
}

func TestDefaultsOfStrategy(t *testing.T) {
	for _, tc := range []struct{ given, want string }{
		{`{"type":"Recreate"}`, `{"type":"Recreate"}`},
		{`{}`, `{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}}`},
		{`{"rollingUpdate":{"maxSurge":1}}`, `{"rollingUpdate":{"maxSurge":1,"maxUnavailable":"25%"},"type":"RollingUpdate"}`},
		{`{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0}}`, `{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":0,"maxSurge":"25%"}}`},
	} {
		got := sdktest.New(Strategy{}).Default(with(t, nginx, "spec.strategy", tc.given))
		if s := got.Object.Get("spec", "strategy").Raw(); s != tc.want {
			t.Errorf("%s: %s, want %s", tc.given, s, tc.want)
		}
	}
}

func TestDefaultIsIdempotent(t *testing.T) {
	once := stored(t)
	if again := sdktest.New(Strategy{}).Default(with(t, once)); again.Object.Raw() != once {
		t.Errorf("%s\n%s", once, again.Object.Raw())
	}
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"replicas", []string{"spec.replicas", `-1`}, []string{`spec.replicas: Invalid value: -1: must be greater than or equal to 0`}},
		{"no selector", []string{"spec.selector", ``}, []string{`spec.selector: Required value`, "spec.template.metadata.labels: Invalid value: {\"app\":\"nginx\"}: `selector` does not match template `labels`"}},
		{"empty selector", []string{"spec.selector", `{}`}, []string{`spec.selector: Invalid value: {}: empty selector is invalid for deployment`}},
		{"other labels", []string{"spec.template.metadata.labels", `{"app":"x"}`}, []string{"spec.template.metadata.labels: Invalid value: {\"app\":\"x\"}: `selector` does not match template `labels`"}},
		{"bad operator", []string{"spec.selector", `{"matchExpressions":[{"key":"a","operator":"Near"}]}`}, []string{`spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator`, `spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Near"}]}: invalid label selector`}},
		{"strategy", []string{"spec.strategy", `{"type":"Slow"}`}, []string{`spec.strategy: Unsupported value: {"type":"Slow"}: supported values: "Recreate", "RollingUpdate"`}},
		{"recreate", []string{"spec.strategy", `{"type":"Recreate","rollingUpdate":{}}`}, []string{"spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"}},
		{"nothing moves", []string{"spec.strategy", `{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"0%"}}`}, []string{"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0"}},
		{"too much", []string{"spec.strategy", `{"rollingUpdate":{"maxUnavailable":"101%"}}`}, []string{`spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%`}},
		{"no percentage", []string{"spec.strategy", `{"rollingUpdate":{"maxSurge":"some"}}`}, []string{`spec.strategy.rollingUpdate.maxSurge: Invalid value: "some": a valid percent string must be a numeric string followed by an ending '%'`}},
		{"negative", []string{"spec.strategy", `{"rollingUpdate":{"maxSurge":-1}}`, "spec.minReadySeconds", `-1`, "spec.revisionHistoryLimit", `-1`}, []string{
			`spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0`, `spec.minReadySeconds: Invalid value: -1: must be`, `spec.revisionHistoryLimit: Invalid value: -1: must be`}},
		{"deadline", []string{"spec.progressDeadlineSeconds", `10`, "spec.minReadySeconds", `10`}, []string{`spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds`}},
		{"restart policy", []string{"spec.template.spec.restartPolicy", `"Never"`}, []string{`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`}},
		{"active deadline", []string{"spec.template.spec.activeDeadlineSeconds", `5`}, []string{`spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported`}},
		{"template", []string{"spec.template.spec.containers", `[]`}, []string{`spec.template.spec.containers: Required value`}},
		{"ephemeral", []string{"spec.template.spec.ephemeralContainers", `[{"name":"e","image":"i"}]`}, []string{`spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template`}},
		{"template labels", []string{"spec.template.metadata.labels", `{"app":"nginx","-":"x"}`}, []string{`spec.template.labels: Invalid value: "-": name part must consist of`}},
		{"padded image is for pods to refuse", []string{"spec.template.spec.containers.0.image", `" "`}, nil},
	} {
		got := sdktest.New(Strategy{}).Create(with(t, nginx, tc.fields...))
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
}

func TestWarnings(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(with(t, nginx, "metadata.name", `"my.app"`, "spec.template.spec.terminationGracePeriodSeconds", `-1`))
	want := []string{
		"metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
		"spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
	}
	if strings.Join(got.Warnings, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got.Warnings)
	}
}

func TestUpdate(t *testing.T) {
	old := stored(t)
	run := sdktest.New(Strategy{})
	for _, tc := range []struct {
		name       string
		fields     []string
		generation int64
	}{
		{"nothing", nil, 1},
		{"labels", []string{"metadata.labels", `{"a":"b"}`}, 1},
		{"status", []string{"status", `{"replicas":3}`}, 1},
		{"zero values", []string{"spec.paused", `false`, "spec.minReadySeconds", `0`}, 1},
		{"replicas", []string{"spec.replicas", `0`}, 2},
		{"template", []string{"spec.template.spec.containers.0.image", `"x"`}, 2},
		{"annotations", []string{"metadata.annotations", `{"a":"b"}`}, 2},
		{"empty annotations", []string{"metadata.annotations", `{}`}, 1},
	} {
		got := run.Update(with(t, old, tc.fields...), with(t, old))
		sdktest.WantErrors(t, got)
		if got.Object.Generation() != tc.generation || got.Object.Get("status").Raw() != `{}` {
			t.Errorf("%s: generation %d, status %s", tc.name, got.Object.Generation(), got.Object.Get("status").Raw())
		}
	}
	sdktest.WantErrors(t, run.Update(with(t, old, "spec.selector.matchLabels.app", `"x"`, "spec.template.metadata.labels.app", `"x"`), with(t, old)),
		`spec.selector: Invalid value: {"matchLabels":{"app":"x"}}: field is immutable`)
}

func TestWarningsOnUpdateAreForChanges(t *testing.T) {
	old := stored(t, "spec.template.spec.terminationGracePeriodSeconds", `-1`)
	run := sdktest.New(Strategy{})
	if got := run.Update(with(t, old), with(t, old)); len(got.Warnings) > 0 {
		t.Errorf("%q", got.Warnings)
	}
	if got := run.Update(with(t, old, "spec.replicas", `1`), with(t, old)); len(got.Warnings) != 1 {
		t.Errorf("%q", got.Warnings)
	}
}
