package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
)

func TestDescription(t *testing.T) {
	description := sdk.ParseValue(string(sdk.NewModule(Plugin).Describe()))
	pods := description.Get("resources", "0")
	for path, want := range map[string]string{"resource": "pods", "kind": "Pod", "group": "", "keyRoot": "/pods", "scope": "Namespaced", "singular": "pod"} {
		if got := pods.Get(path).String(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if traits := pods.Get("traits").Raw(); traits != `["AllowUnconditionalUpdate","ReturnDeletedObject"]` {
		t.Errorf("traits: %s", traits)
	}
	unavailable := 0
	for _, sub := range pods.Get("subresources").Items() {
		if sub.Get("unavailable").Exists() {
			unavailable++
		}
		if sub.Get("name").String() == "eviction" && sub.Get("create", "action").String() != "delete" {
			t.Errorf("eviction: %s", sub.Raw())
		}
	}
	if unavailable != 5 {
		t.Errorf("%d subresources need a kubelet", unavailable)
	}
}

// The server sends frames that are whole, but whatever an object holds must not make the plugin trap.
func TestOddObjects(t *testing.T) {
	module := sdk.NewModule(Plugin)
	for _, pod := range []string{
		`{}`, `{"spec":null}`, `{"spec":[]}`, `{"spec":{"containers":{}}}`, `{"spec":{"containers":[null,1,"x",[],{}]}}`, `{"metadata":[],"spec":"x","status":7}`,
		`{"metadata":{"annotations":[1]},"spec":{"volumes":[null,{"name":1,"secret":3}],"tolerations":"x","affinity":{"nodeAffinity":[]},"securityContext":{"sysctls":[{"name":"/"}]}}}`,
		`{"spec":{"containers":[{"resources":{"limits":{"cpu":{},"memory":[]}},"ports":[{"containerPort":1e400}],"env":[{"valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"['']"}}}]}]}}`,
	} {
		frame := string(sdk.AppendFrame(nil, `{"verb":"update","version":"v1","resource":"pods"}`, pod, pod, `{}`))
		for _, hooks := range []uint64{prepareHooks, validateHooks, 1<<5 | 1<<6, 1 << 9} {
			if _, err := module.Invoke(hooks, frame); err != nil {
				t.Errorf("%s: %v", pod, err)
			}
		}
		status := string(sdk.AppendFrame(nil, `{"verb":"update","version":"v1","resource":"pods","subresource":"status"}`, pod, pod))
		if _, err := module.Invoke(1<<5|1<<6, status); err != nil {
			t.Errorf("status of %s: %v", pod, err)
		}
		table := string(sdk.AppendFrame(nil, `{"verb":"list","version":"v1","resource":"pods"}`, "", "", "", pod))
		if _, err := module.Invoke(1<<11, table); err != nil {
			t.Errorf("row of %s: %v", pod, err)
		}
	}
}
