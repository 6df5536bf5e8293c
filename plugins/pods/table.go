package main

import (
	"strconv"
	"time"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/duration"
)

// columns are those of kubectl get; the cells without a path come from ConvertToTable.
var columns = []sdk.Column{
	{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."},
	{Name: "Ready", Type: "string", Description: "The aggregate readiness state of this pod for accepting traffic."},
	{Name: "Status", Type: "string", Description: "The aggregate status of the containers in this pod."},
	{Name: "Restarts", Type: "string", Description: "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."},
	{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: "The time at which the pod was created."},
	{Name: "IP", Type: "string", Priority: 1, Description: "IP address allocated to the pod."},
	{Name: "Node", Type: "string", Priority: 1, Description: "The node that the pod is assigned to."},
	{Name: "Nominated Node", Type: "string", Priority: 1, Description: "The node that preemption has made room on."},
	{Name: "Readiness Gates", Type: "string", Priority: 1, Description: "How many of the readiness gates are true."},
}

// ConvertToTable makes the cells: ready, status, restarts, and for -o wide IP, node, nominated node and gates.
func (Strategy) ConvertToTable(ctx *sdk.Context, pods []*sdk.Object) [][]sdk.Cell {
	rows := make([][]sdk.Cell, 0, len(pods))
	now := ctx.Now()
	for _, pod := range pods {
		s := summarize(pod)
		status := partOf(pod, "status")
		rows = append(rows, []sdk.Cell{
			strconv.Itoa(s.ready) + "/" + strconv.Itoa(s.total), s.reason, s.restartCell(now),
			orNone(podIP(status)), orNone(pod.Get("spec", "nodeName").String()), orNone(status.Get("nominatedNodeName").String()),
			readinessGates(pod.Get("spec", "readinessGates"), status),
		})
	}
	return rows
}

// restartCell is the number of restarts and, where it is known, how long ago the last one was.
func (s *summary) restartCell(now time.Time) string {
	text := strconv.FormatInt(s.restarts, 10)
	if s.restarts == 0 || s.lastRestart == "" {
		return text
	}
	at, err := time.Parse(time.RFC3339, s.lastRestart)
	if err != nil {
		return text
	}
	return text + " (" + duration.HumanDuration(now.Sub(at)) + " ago)"
}

func podIP(status tree.Node) string {
	for _, ip := range status.Get("podIPs").Items() {
		return ip.Get("ip").String()
	}
	return status.Get("podIP").String()
}

func readinessGates(gates sdk.Value, status tree.Node) string {
	if gates.Len() == 0 {
		return "<none>"
	}
	ready := 0
	for _, gate := range gates.Items() {
		for _, condition := range status.Get("conditions").Items() {
			if condition.Get("type").String() == gate.Get("conditionType").String() {
				if condition.Get("status").String() == "True" {
					ready++
				}
				break
			}
		}
	}
	return strconv.Itoa(ready) + "/" + strconv.Itoa(gates.Len())
}

func orNone(text string) string {
	if text == "" {
		return "<none>"
	}
	return text
}
