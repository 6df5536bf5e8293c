package main

import (
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const minimal = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"default"},"spec":{"containers":[{"name":"web","image":"nginx"}]}}`

// podWith is the minimal pod with fields of its spec set, each a key and a JSON text.
func podWith(t testing.TB, fields ...string) *sdk.Object {
	t.Helper()
	pod := sdktest.Object(t, minimal)
	for i := 0; i < len(fields); i += 2 {
		pod.SetRaw(fields[i+1], append([]string{"spec"}, strings.Split(fields[i], ".")...)...)
	}
	return pod
}

// stored is the pod as it is after its creation.
func stored(t testing.TB, fields ...string) *sdk.Object {
	t.Helper()
	got := sdktest.New(Strategy{}).Create(podWith(t, fields...))
	if len(got.Errors) > 0 {
		t.Fatalf("%v", got.Errors)
	}
	return sdktest.Object(t, got.Object.Raw())
}

func TestCreateOfMinimalPod(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(sdktest.Object(t, minimal))
	sdktest.WantErrors(t, got)
	if len(got.Warnings) > 0 {
		t.Errorf("warnings: %q", got.Warnings)
	}
	for path, want := range map[string]string{
		"metadata.generation":                        `1`,
		"status":                                     `{"phase":"Pending","qosClass":"BestEffort"}`,
		"spec.dnsPolicy":                             `"ClusterFirst"`,
		"spec.restartPolicy":                         `"Always"`,
		"spec.securityContext":                       `{}`,
		"spec.terminationGracePeriodSeconds":         `30`,
		"spec.schedulerName":                         `"default-scheduler"`,
		"spec.enableServiceLinks":                    `true`,
		"spec.serviceAccountName":                    ``,
		"spec.containers.0.imagePullPolicy":          `"Always"`,
		"spec.containers.0.terminationMessagePath":   `"/dev/termination-log"`,
		"spec.containers.0.terminationMessagePolicy": `"File"`,
		"spec.containers.0.resources":                `{}`,
	} {
		if value := got.Object.Get(strings.Split(path, ".")...).Raw(); value != want {
			t.Errorf("%s: %s, want %s", path, value, want)
		}
	}
}

func TestCreateResetsWhatClientsMayNotSet(t *testing.T) {
	pod := podWith(t)
	pod.SetRaw(`{"phase":"Running","podIP":"10.0.0.1","conditions":[{"type":"Ready","status":"True"}]}`, "status")
	pod.Set(7, "metadata", "generation")
	got := sdktest.New(Strategy{}).Create(pod)
	sdktest.WantErrors(t, got)
	if status := got.Object.Get("status").Raw(); status != `{"phase":"Pending","qosClass":"BestEffort"}` {
		t.Errorf("status: %s", status)
	}
	if got.Object.Generation() != 1 {
		t.Errorf("generation: %d", got.Object.Generation())
	}
}

func TestCreateOfGatedPod(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(podWith(t, "schedulingGates", `[{"name":"example.com/quota"}]`))
	sdktest.WantErrors(t, got)
	condition := got.Object.Get("status", "conditions", "0")
	for key, want := range map[string]string{
		"type": "PodScheduled", "status": "False", "reason": "SchedulingGated", "lastTransitionTime": "2024-01-01T00:00:00Z",
		"message": "Scheduling is blocked due to non-empty scheduling gates",
	} {
		if value := condition.Get(key).String(); value != want {
			t.Errorf("%s: %q, want %q", key, value, want)
		}
	}
}

func TestCreateWithoutContainers(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(podWith(t, "containers", `[]`))
	sdktest.WantErrors(t, got, "spec.containers: Required value")
}

func TestCreateWithoutSpec(t *testing.T) {
	got := sdktest.New(Strategy{}).Create(sdktest.Object(t, `{"metadata":{"name":"x"}}`))
	sdktest.WantErrors(t, got, "spec.terminationGracePeriodSeconds: Required value", "spec.containers: Required value",
		"spec.restartPolicy: Required value", "spec.dnsPolicy: Required value")
}

func TestQoSClass(t *testing.T) {
	for _, tc := range []struct{ name, resources, want string }{
		{"none", `{}`, "BestEffort"},
		{"zero", `{"requests":{"cpu":"0"}}`, "BestEffort"},
		{"other", `{"requests":{"ephemeral-storage":"1Gi"}}`, "BestEffort"},
		{"request", `{"requests":{"cpu":"100m"}}`, "Burstable"},
		{"limit of one", `{"limits":{"cpu":"1"}}`, "Burstable"},
		{"limits alone", `{"limits":{"cpu":"1","memory":"1Gi"}}`, "Guaranteed"},
		{"equal in other words", `{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m","memory":"1024Mi"}}`, "Guaranteed"},
		{"lower", `{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Mi"}}`, "Burstable"},
	} {
		pod := podWith(t)
		pod.SetRaw(tc.resources, "spec", "containers", "0", "resources")
		got := sdktest.New(Strategy{}).Create(pod)
		if class := got.Object.Get("status", "qosClass").String(); class != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, class, tc.want)
		}
	}
	sidecar := podWith(t, "initContainers", `[{"name":"i","image":"i"}]`)
	sidecar.SetRaw(`{"limits":{"cpu":"1","memory":"1Gi"}}`, "spec", "containers", "0", "resources")
	if got := sdktest.New(Strategy{}).Create(sidecar); got.Object.Get("status", "qosClass").String() != "Burstable" {
		t.Error("an init container without limits counts")
	}
}

func TestWarnings(t *testing.T) {
	run := sdktest.New(Strategy{})
	named := podWith(t)
	named.Set("my.pod", "metadata", "name")
	got := run.Create(named)
	want := `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]`
	if len(got.Warnings) != 1 || got.Warnings[0] != want {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

func TestMatchLabelKeysAreMerged(t *testing.T) {
	pod := podWith(t, "topologySpreadConstraints",
		`[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["app"]}]`,
		"affinity", `{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",`+
			`"labelSelector":{"matchExpressions":[{"key":"x","operator":"Exists"}]},"matchLabelKeys":["app"],"mismatchLabelKeys":["tier"]}]}}`)
	pod.SetRaw(`{"app":"web","tier":"front"}`, "metadata", "labels")
	got := sdktest.New(Strategy{}).Create(pod)
	sdktest.WantErrors(t, got)
	if s := got.Object.Get("spec", "topologySpreadConstraints", "0", "labelSelector").Raw(); s != `{"matchExpressions":[{"key":"app","operator":"In","values":["web"]}]}` {
		t.Errorf("constraint: %s", s)
	}
	s := got.Object.Get("spec", "affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "0", "labelSelector").Raw()
	if s != `{"matchExpressions":[{"key":"x","operator":"Exists"},{"key":"app","operator":"In","values":["web"]},{"key":"tier","operator":"NotIn","values":["front"]}]}` {
		t.Errorf("affinity: %s", s)
	}
}

func TestAppArmorAnnotationBecomesField(t *testing.T) {
	pod := podWith(t)
	pod.SetRaw(`{"container.apparmor.security.beta.kubernetes.io/web":"runtime/default"}`, "metadata", "annotations")
	got := sdktest.New(Strategy{}).Create(pod)
	sdktest.WantErrors(t, got)
	if s := got.Object.Get("spec", "containers", "0", "securityContext").Raw(); s != `{"appArmorProfile":{"type":"RuntimeDefault"}}` {
		t.Errorf("securityContext: %s", s)
	}
	want := `metadata.annotations[container.apparmor.security.beta.kubernetes.io/web]: deprecated since v1.30; use the "appArmorProfile" field instead`
	if len(got.Warnings) != 1 || got.Warnings[0] != want {
		t.Errorf("warnings: %q", got.Warnings)
	}
}

func TestDefaultIsIdempotent(t *testing.T) {
	run := sdktest.New(Strategy{})
	pod := stored(t, "volumes", `[{"name":"v"},{"name":"s","secret":{"secretName":"s"}}]`, "hostNetwork", "true",
		"initContainers", `[{"name":"i","image":"i:1","ports":[{"containerPort":1}],"resources":{"limits":{"cpu":0.5}}}]`)
	if again := run.Default(pod); again.Object.Raw() != pod.Raw() {
		t.Errorf("the second run changed\n%s\nto\n%s", pod.Raw(), again.Object.Raw())
	}
}

func TestGracefulDelete(t *testing.T) {
	run := sdktest.New(Strategy{})
	for _, tc := range []struct {
		name, node, phase, spec, options string
		want                             int64
	}{
		{"unscheduled", "", "Pending", "30", "", 0},
		{"scheduled", "n1", "Running", "30", "", 30},
		{"asked for", "n1", "Running", "30", `{"gracePeriodSeconds":5}`, 5},
		{"asked for none", "n1", "Running", "30", `{"gracePeriodSeconds":0}`, 0},
		{"finished", "n1", "Succeeded", "30", `{"gracePeriodSeconds":5}`, 0},
		{"failed", "n1", "Failed", "30", "", 0},
		{"negative", "n1", "Running", "-5", "", 1},
		{"no period", "n1", "Running", "null", "", 0},
	} {
		pod := podWith(t, "terminationGracePeriodSeconds", tc.spec)
		pod.Set(tc.node, "spec", "nodeName")
		pod.Set(tc.phase, "status", "phase")
		var options *sdk.Object
		if tc.options != "" {
			options = sdktest.Object(t, tc.options)
		}
		graceful, grace := run.CheckGracefulDelete(pod, options)
		if !graceful || grace == nil || *grace != tc.want {
			t.Errorf("%s: %v %v, want %d", tc.name, graceful, grace, tc.want)
		}
	}
}
