package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const bindingToN1 = `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"web","annotations":{"a":"b"},"labels":{"zone":"z"}},"target":{"kind":"Node","name":"n1"}}`

func TestBinding(t *testing.T) {
	run := sdktest.New(BindingStrategy{})
	got := run.CreateSubresource(changed(t, stored(t), "status.nominatedNodeName", `"n9"`), sdktest.Object(t, bindingToN1))
	if got.Refusal != nil || len(got.Errors) > 0 {
		t.Fatalf("%v %v", got.Refusal, got.Errors)
	}
	pod := got.Object
	if node := pod.Get("spec", "nodeName").String(); node != "n1" {
		t.Errorf("nodeName %q", node)
	}
	if pod.Exists("status", "nominatedNodeName") {
		t.Error("the nomination is still there")
	}
	if pod.Annotation("a") != "b" || pod.Label("zone") != "z" {
		t.Errorf("metadata: %s", pod.Get("metadata").Raw())
	}
	condition := pod.Get("status", "conditions", "0")
	if condition.Get("type").String() != "PodScheduled" || condition.Get("status").String() != "True" || condition.Get("lastTransitionTime").String() != "2024-01-01T00:00:00Z" {
		t.Errorf("condition: %s", condition.Raw())
	}
	again := run.CreateSubresource(pod, sdktest.Object(t, bindingToN1))
	if again.Refusal == nil || again.Refusal.Reason != "Conflict" || again.Refusal.Message != `pod web is already assigned to node "n1"` {
		t.Errorf("second binding: %+v", again.Refusal)
	}
}

func TestBindingReplacesTheCondition(t *testing.T) {
	old := changed(t, stored(t), "status.conditions", `[{"type":"Ready","status":"False"},{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]`)
	got := sdktest.New(BindingStrategy{}).CreateSubresource(old, sdktest.Object(t, bindingToN1))
	conditions := got.Object.Get("status", "conditions")
	if conditions.Len() != 2 || conditions.Get("1", "status").String() != "True" || conditions.Get("1", "reason").Exists() {
		t.Errorf("conditions: %s", conditions.Raw())
	}
}

func TestBindingRefused(t *testing.T) {
	run := sdktest.New(BindingStrategy{})
	deleted := changed(t, stored(t), "metadata.deletionTimestamp", `"2024-01-01T00:00:00Z"`)
	if got := run.CreateSubresource(deleted, sdktest.Object(t, bindingToN1)); got.Refusal == nil || got.Refusal.Message != "pod web is being deleted, cannot be assigned to a host" {
		t.Errorf("of a deleted pod: %+v", got.Refusal)
	}
	gated := stored(t, "schedulingGates", `[{"name":"g"}]`)
	if got := run.CreateSubresource(gated, sdktest.Object(t, bindingToN1)); got.Refusal == nil || got.Refusal.Message != "pod web has non-empty .spec.schedulingGates" {
		t.Errorf("of a gated pod: %+v", got.Refusal)
	}
	got := run.CreateSubresource(stored(t), sdktest.Object(t, `{"target":{"kind":"Rack"}}`))
	sdktest.WantErrors(t, got, `target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>"`, "target.name: Required value")
}

func TestEviction(t *testing.T) {
	run := sdktest.New(EvictionStrategy{})
	if got := run.CreateSubresource(stored(t), sdktest.Object(t, `{"metadata":{"name":"web"}}`)); got.Refusal != nil {
		t.Errorf("refused: %+v", got.Refusal)
	}
	if got := run.CreateSubresource(stored(t), sdktest.Object(t, `{"metadata":{"name":"other"}}`)); got.Refusal == nil || got.Refusal.Reason != "BadRequest" {
		t.Errorf("of another pod: %+v", got.Refusal)
	}
}

func TestEphemeralContainers(t *testing.T) {
	run := sdktest.New(EphemeralContainersStrategy{})
	old := stored(t)
	pod := changed(t, old, "spec.ephemeralContainers", `[{"name":"debug","image":"busybox:1"}]`, "spec.restartPolicy", `"Never"`, "metadata.labels", `{"a":"b"}`)
	got := run.Update(pod, old)
	sdktest.WantErrors(t, got)
	container := got.Object.Get("spec", "ephemeralContainers", "0")
	if container.Get("imagePullPolicy").String() != "IfNotPresent" || got.Object.Generation() != 2 {
		t.Errorf("generation %d, container %s", got.Object.Generation(), container.Raw())
	}
	if got.Object.Get("spec", "restartPolicy").String() != "Always" || got.Object.Label("a") != "" {
		t.Error("more than the ephemeral containers was changed")
	}
	with := sdktest.Object(t, got.Object.Raw())
	sdktest.WantErrors(t, run.Update(changed(t, with, "spec.ephemeralContainers", `[]`), with),
		`spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed`)
	sdktest.WantErrors(t, run.Update(changed(t, with, "spec.ephemeralContainers.0.image", `"x:1"`), with),
		`spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed`)
	sdktest.WantErrors(t, run.Update(changed(t, old, "spec.ephemeralContainers",
		`[{"name":"web","image":"x","targetContainerName":"none","ports":[{"containerPort":1}],"resources":{"limits":{"cpu":"1"}}}]`), old),
		`spec.ephemeralContainers[0].name: Duplicate value: "web"`, `spec.ephemeralContainers[0].targetContainerName: Not found: "none"`,
		`spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container`, `spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container`)
}

func TestResize(t *testing.T) {
	run := sdktest.New(ResizeStrategy{})
	old := stored(t, "containers.0.resources", `{"limits":{"cpu":"1"},"requests":{"cpu":"500m"}}`)
	pod := changed(t, old, "spec.containers.0.resources", `{"limits":{"cpu":"2"},"requests":{"cpu":"600m"}}`, "spec.containers.0.image", `"other"`)
	got := run.Update(pod, old)
	sdktest.WantErrors(t, got)
	if got.Object.Get("spec", "containers", "0", "image").String() != "nginx" || got.Object.Generation() != 2 {
		t.Errorf("%s", got.Object.Raw())
	}
	sdktest.WantErrors(t, run.Update(changed(t, old, "spec.containers.0.resources", `{"limits":{"memory":"1Gi","example.com/x":"1"}}`), old),
		`spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed`, `spec: Forbidden: only cpu and memory resources are mutable`,
		`spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed`, `spec: Forbidden: only cpu and memory resources are mutable`,
		`spec.containers[0].resources.limits[memory]: Forbidden: memory limits cannot be added unless resizePolicy is RestartContainer`)
	sdktest.WantErrors(t, run.Update(changed(t, old, "spec.containers.0.name", `"x"`), old), `spec: Forbidden: containers may not be added`)
	sdktest.WantErrors(t, run.Update(changed(t, old, "spec.containers.0.resources", `{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}`,
		"spec.containers.0.resizePolicy", `[{"resourceName":"memory","restartPolicy":"RestartContainer"}]`), old),
		`spec: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing`)
}
