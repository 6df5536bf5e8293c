package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

func TestStatus(t *testing.T) {
	old := stored(t)
	run := sdktest.New(StatusStrategy{})
	got := run.Update(with(t, old, "status", `{"replicas":3,"readyReplicas":2,"availableReplicas":1}`, "spec.replicas", `9`, "metadata.labels", `{}`), with(t, old))
	sdktest.WantErrors(t, got)
	if got.Object.Get("spec", "replicas").Int() != 3 || got.Object.Label("app") != "nginx" || got.Object.Get("status", "readyReplicas").Int() != 2 {
		t.Errorf("%s", got.Object.Raw())
	}
	counted := with(t, old, "status", `{"collisionCount":3}`)
	sdktest.WantErrors(t, run.Update(with(t, old, "status", `{"replicas":1,"updatedReplicas":2,"readyReplicas":-1,"availableReplicas":2,"collisionCount":2}`), counted),
		`status.readyReplicas: Invalid value: -1: must be greater than or equal to 0`,
		`status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas`,
		`status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas`,
		`status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas`,
		`status.collisionCount: Invalid value: 2: cannot be decremented`)
}

func TestRollback(t *testing.T) {
	run := sdktest.New(RollbackStrategy{})
	got := run.CreateSubresource(with(t, stored(t)), sdktest.Object(t, `{"kind":"DeploymentRollback","name":"nginx","updatedAnnotations":{"a":"b"},"rollbackTo":{"revision":2}}`))
	if got.Message != `rollback request for deployment "nginx" succeeded` {
		t.Errorf("message %q, refusal %v, errors %v", got.Message, got.Refusal, got.Errors)
	}
	if got.Object.Annotation("deprecated.deployment.rollback.to") != "2" || got.Object.Annotation("a") != "b" {
		t.Errorf("annotations: %v", got.Object.Annotations())
	}
	sdktest.WantErrors(t, run.CreateSubresource(with(t, stored(t)), sdktest.Object(t, `{"rollbackTo":{"revision":-1}}`)),
		`name: Required value: name is required`, `rollback.version: Invalid value: -1: must be greater than or equal to 0`)
	if got := run.CreateSubresource(with(t, stored(t)), sdktest.Object(t, `{"name":"other"}`)); got.Refusal == nil || got.Refusal.Reason != "BadRequest" {
		t.Errorf("of another: %+v", got.Refusal)
	}
}

func TestTable(t *testing.T) {
	run := sdktest.New(Strategy{})
	for _, tc := range []struct{ name, json, want string }{
		{"new", stored(t), `["0/3",0,0,"nginx","nginx:1.14.2","app=nginx"]`},
		{"running", with(t, stored(t), "status", `{"readyReplicas":2,"updatedReplicas":3,"availableReplicas":1}`).Raw(), `["2/3",3,1,"nginx","nginx:1.14.2","app=nginx"]`},
		{"expressions", `{"spec":{"selector":{"matchLabels":{"z":"1"},"matchExpressions":[{"key":"b","operator":"In","values":["y","x"]},{"key":"a","operator":"DoesNotExist"},{"key":"c","operator":"Exists"},{"key":"d","operator":"NotIn","values":["q"]}]}}}`,
			`["0/0",0,0,"","","!a,b in (x,y),c,d notin (q),z=1"]`},
		{"no selector", `{"spec":{}}`, `["0/0",0,0,"","","<none>"]`},
	} {
		if got := run.ConvertToTable(with(t, tc.json)); got != "["+tc.want+"]" {
			t.Errorf("%s: %s, want [%s]", tc.name, got, tc.want)
		}
	}
	rows := Strategy{}.ConvertToTable(&sdk.Context{}, []*sdk.Object{with(t, nginx)})
	if len(rows[0]) != len(columns)-2 {
		t.Errorf("%d cells for %d columns", len(rows[0]), len(columns)-2)
	}
}

// Whatever an object holds, it must not make the plugin trap.
func TestOddObjects(t *testing.T) {
	module := sdk.NewModule(Plugin)
	for _, deployment := range []string{
		`{}`, `{"spec":null}`, `{"spec":[]}`, `{"spec":{"template":[]}}`, `{"spec":{"selector":"x","strategy":7,"template":{"metadata":1,"spec":{"containers":[null]}}}}`,
		`{"metadata":7,"spec":{"selector":{"matchLabels":[1],"matchExpressions":[1,{}]},"strategy":{"rollingUpdate":[]}},"status":[]}`,
	} {
		frame := string(sdk.AppendFrame(nil, `{"verb":"update","group":"apps","version":"v1","resource":"deployments"}`, deployment, deployment))
		for _, hooks := range []uint64{1<<1 | 1<<2, 1<<3 | 1<<4, 1<<5 | 1<<6 | 1<<7} {
			if _, err := module.Invoke(hooks, frame); err != nil {
				t.Errorf("%s: %v", deployment, err)
			}
		}
		table := string(sdk.AppendFrame(nil, `{"verb":"list","group":"apps","version":"v1","resource":"deployments"}`, "", "", "", deployment))
		if _, err := module.Invoke(1<<11, table); err != nil {
			t.Errorf("row of %s: %v", deployment, err)
		}
	}
}
