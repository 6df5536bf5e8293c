package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

func TestStatusUpdateKeepsTheRest(t *testing.T) {
	old := changed(t, stored(t), "metadata.ownerReferences", `[{"kind":"ReplicaSet","name":"r","uid":"u","apiVersion":"apps/v1"}]`)
	pod := changed(t, old, "spec.nodeName", `"n"`, "metadata.ownerReferences", ``, "status", `{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]}`)
	got := sdktest.New(StatusStrategy{}).Update(pod, old)
	sdktest.WantErrors(t, got)
	if got.Object.Get("spec").Raw() != old.Get("spec").Raw() {
		t.Errorf("spec: %s", got.Object.Get("spec").Raw())
	}
	if got.Object.Get("metadata", "ownerReferences").Len() != 1 {
		t.Error("the owner is gone")
	}
	if phase := got.Object.Get("status", "phase").String(); phase != "Running" {
		t.Errorf("phase: %s", phase)
	}
	if class := got.Object.Get("status", "qosClass").String(); class != "BestEffort" {
		t.Errorf("qosClass: %q", class)
	}
}

func TestStatusUpdateKeepsObservedGenerations(t *testing.T) {
	old := changed(t, stored(t), "status.observedGeneration", `3`, "status.conditions", `[{"type":"Ready","status":"False","observedGeneration":2}]`)
	pod := changed(t, old, "status.observedGeneration", ``, "status.conditions", `[{"type":"Initialized","status":"True"},{"type":"Ready","status":"True"}]`)
	got := sdktest.New(StatusStrategy{}).Update(pod, old)
	sdktest.WantErrors(t, got)
	if n := got.Object.Get("status", "observedGeneration").Int(); n != 3 {
		t.Errorf("observedGeneration %d", n)
	}
	if conditions := got.Object.Get("status", "conditions").Raw(); conditions != `[{"type":"Initialized","status":"True"},{"type":"Ready","status":"True","observedGeneration":2}]` {
		t.Errorf("conditions: %s", conditions)
	}
}

func TestStatusValidation(t *testing.T) {
	const terminated = `[{"name":"web","state":{"terminated":{"exitCode":1}}}]`
	const running = `[{"name":"web","state":{"running":{}}}]`
	for _, tc := range []struct {
		name, policy, before string
		fields               []string
		want                 []string
	}{
		{"class", "Always", `{}`, []string{"status.qosClass", `"Guaranteed"`}, []string{`status.qosClass: Invalid value: "Guaranteed": field is immutable`}},
		{"node", "Always", `{}`, []string{"status.nominatedNodeName", `"_"`}, []string{`status.nominatedNodeName: Invalid value: "_": a lowercase RFC 1123 subdomain`}},
		{"condition", "Always", `{}`, []string{"status.conditions", `[{"type":"Ready"},{"type":"-"}]`}, []string{`metadata.conditions[1].Type: Invalid value: "-": name part must consist of`}},
		{"restart", "Always", terminated, []string{"status.containerStatuses", running}, nil},
		{"restart of a failed one", "OnFailure", terminated, []string{"status.containerStatuses", running}, nil},
		{"restart against the policy", "Never", terminated, []string{"status.containerStatuses", running}, []string{"status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"}},
		{"IPs", "Always", `{}`, []string{"status.podIPs", `[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"},{"ip":"x"}]`}, []string{`status.podIPs[2]: Invalid value: "x": must be a valid IP address`, `status.podIPs: Invalid value: [{"ip":"1.1.1.1"},{"ip":"1.1.1.2"},{"ip":"x"}]: may specify no more than one IP for each IP family`}},
		{"dual stack", "Always", `{}`, []string{"status.podIPs", `[{"ip":"1.1.1.1"},{"ip":"::1"}]`}, nil},
		{"host IP", "Always", `{}`, []string{"status.hostIP", `"1.1.1.1"`, "status.hostIPs", `[{"ip":"1.1.1.2"}]`}, []string{"status.hostIPs[0].ip: Invalid value: \"1.1.1.2\": must be equal to `hostIP`"}},
		{"claim", "Always", `{}`, []string{"status.resourceClaimStatuses", `[{"name":"x"}]`}, []string{"status.resourceClaimStatuses[0].name: Invalid value: \"x\": must match the name of an entry in `spec.resourceClaims`"}},
	} {
		old := stored(t, "restartPolicy", `"`+tc.policy+`"`)
		if tc.before != `{}` {
			old = changed(t, old, "status.containerStatuses", tc.before)
		}
		got := sdktest.New(StatusStrategy{}).Update(changed(t, old, tc.fields...), old)
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
}

func TestStatusWarnings(t *testing.T) {
	old := changed(t, stored(t), "status.podIPs", `[{"ip":"010.0.0.1"}]`)
	got := sdktest.New(StatusStrategy{}).Update(changed(t, old, "status.phase", `"Running"`), old)
	sdktest.WantErrors(t, got)
	if len(got.Warnings) != 1 || got.Warnings[0] != `status.podIPs[0].ip: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"` {
		t.Errorf("%q", got.Warnings)
	}
	other := changed(t, old, "status.podIPs", `[{"ip":"010.0.0.2"}]`)
	sdktest.WantErrors(t, sdktest.New(StatusStrategy{}).Update(other, old), `status.podIPs[0]: Invalid value: "010.0.0.2": must not have leading 0s`)
}
