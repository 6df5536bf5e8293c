package main

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// The time of the tests' requests is 2024-01-01T00:00:00Z.
func TestTable(t *testing.T) {
	const two = `"spec":{"nodeName":"n1","containers":[{"name":"a"},{"name":"b"}]}`
	const one = `"spec":{"containers":[{"name":"a"}]}`
	const inits = `"spec":{"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}],"containers":[{"name":"a"}]}`
	for _, tc := range []struct{ name, pod, want string }{
		{"new", `{` + one + `,"status":{"phase":"Pending"}}`, `["0/1","Pending","0","<none>","<none>","<none>","<none>"]`},
		{"running", `{` + two + `,"status":{"phase":"Running","podIPs":[{"ip":"10.0.0.1"}],"containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}},{"name":"b","ready":true,"restartCount":3,"state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2023-12-31T23:55:00Z"}}}]}}`,
			`["2/2","Running","3 (5m ago)","10.0.0.1","n1","<none>","<none>"]`},
		{"crashing", `{` + two + `,"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}},{"name":"b","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`,
			`["1/2","CrashLoopBackOff","2","<none>","n1","<none>","<none>"]`},
		{"completed", `{` + one + `,"status":{"phase":"Succeeded","containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed"}}}]}}`, `["0/1","Completed","0","<none>","<none>","<none>","<none>"]`},
		{"one of two completed", `{` + two + `,"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed"}}},{"name":"b","ready":true,"state":{"running":{}}}]}}`,
			`["1/2","Running","0","<none>","n1","<none>","<none>"]`},
		{"one of two completed, not ready", `{` + two + `,"status":{"phase":"Running","containerStatuses":[{"name":"a","state":{"terminated":{"reason":"Completed"}}},{"name":"b","ready":true,"state":{"running":{}}}]}}`,
			`["1/2","NotReady","0","<none>","n1","<none>","<none>"]`},
		{"exit code", `{` + one + `,"status":{"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":3}}}]}}`, `["0/1","ExitCode:3","0","<none>","<none>","<none>","<none>"]`},
		{"signal", `{` + one + `,"status":{"phase":"Failed","containerStatuses":[{"name":"a","state":{"terminated":{"signal":9}}}]}}`, `["0/1","Signal:9","0","<none>","<none>","<none>","<none>"]`},
		{"evicted", `{` + one + `,"status":{"phase":"Failed","reason":"Evicted"}}`, `["0/1","Evicted","0","<none>","<none>","<none>","<none>"]`},
		{"gated", `{` + one + `,"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}}`, `["0/1","SchedulingGated","0","<none>","<none>","<none>","<none>"]`},
		{"terminating", `{"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},` + one + `,"status":{"phase":"Running"}}`, `["0/1","Terminating","0","<none>","<none>","<none>","<none>"]`},
		{"finished and deleted", `{"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},` + one + `,"status":{"phase":"Succeeded"}}`, `["0/1","Succeeded","0","<none>","<none>","<none>","<none>"]`},
		{"lost", `{"metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},` + one + `,"status":{"phase":"Running","reason":"NodeLost"}}`, `["0/1","Unknown","0","<none>","<none>","<none>","<none>"]`},
		{"initializing", `{` + inits + `,"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":1,"state":{"running":{}}}]}}`, `["0/2","Init:0/2","1","<none>","<none>","<none>","<none>"]`},
		{"init failed", `{` + inits + `,"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}}`, `["0/2","Init:Error","0","<none>","<none>","<none>","<none>"]`},
		{"init waits", `{` + inits + `,"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}}`, `["0/2","Init:ImagePullBackOff","0","<none>","<none>","<none>","<none>"]`},
		{"sidecar", `{` + inits + `,"status":{"phase":"Running","initContainerStatuses":[{"name":"i","restartCount":7,"state":{"terminated":{"exitCode":0}}},{"name":"s","started":true,"ready":true,"restartCount":1,"state":{"running":{}}}],"containerStatuses":[{"name":"a","ready":true,"restartCount":1,"state":{"running":{}}}]}}`,
			`["2/2","Running","2","<none>","<none>","<none>","<none>"]`},
		{"wide", `{"spec":{"containers":[],"readinessGates":[{"conditionType":"x/y"},{"conditionType":"x/z"}]},"status":{"phase":"Pending","nominatedNodeName":"n2","conditions":[{"type":"x/y","status":"True"}]}}`, `["0/0","Pending","0","<none>","<none>","n2","1/2"]`},
	} {
		if got := sdktest.New(Strategy{}).ConvertToTable(sdktest.Object(t, tc.pod)); got != "["+tc.want+"]" {
			t.Errorf("%s: %s, want [%s]", tc.name, got, tc.want)
		}
	}
}

func TestCellsFitTheColumns(t *testing.T) {
	hooked := 0
	for _, column := range columns {
		if column.JSONPath == "" {
			hooked++
		}
	}
	rows := Strategy{}.ConvertToTable(&sdk.Context{}, []*sdk.Object{stored(t)})
	if len(rows) != 1 || len(rows[0]) != hooked {
		t.Errorf("%d cells for %d columns", len(rows[0]), hooked)
	}
}
