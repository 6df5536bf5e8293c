package main

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// gatedCondition is the condition of a new pod that has scheduling gates; empty when it has none.
func gatedCondition(spec tree.Node, now string) string {
	if spec.Get("schedulingGates").Empty() {
		return ""
	}
	return `{"type":"PodScheduled","status":"False","lastProbeTime":null,"lastTransitionTime":` + tree.Quote(now) +
		`,"reason":"SchedulingGated","message":"Scheduling is blocked due to non-empty scheduling gates"}`
}
