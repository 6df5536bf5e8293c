package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
)

// columns are those of kubectl get; the cells without a path come from ConvertToTable.
var columns = []sdk.Column{
	{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."},
	{Name: "Ready", Type: "string", Description: "Number of the pod with ready state"},
	{Name: "Up-to-date", Type: "string", Description: "Total number of non-terminated pods targeted by this deployment that have the desired template spec."},
	{Name: "Available", Type: "string", Description: "Total number of available pods (ready for at least minReadySeconds) targeted by this deployment."},
	{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: "The time at which the deployment was created."},
	{Name: "Containers", Type: "string", Priority: 1, Description: "Names of each container in the template."},
	{Name: "Images", Type: "string", Priority: 1, Description: "Images referenced by each container in the template."},
	{Name: "Selector", Type: "string", Priority: 1, Description: "Label selector for pods."},
}

// ConvertToTable makes the cells: ready, up-to-date, available, and for -o wide containers, images and selector.
func (Strategy) ConvertToTable(_ *sdk.Context, deployments []*sdk.Object) [][]sdk.Cell {
	rows := make([][]sdk.Cell, 0, len(deployments))
	for _, deployment := range deployments {
		status, spec := deployment.Get("status"), deployment.Get("spec")
		var names, images []string
		for _, container := range spec.Get("template", "spec", "containers").Items() {
			names = append(names, container.Get("name").String())
			images = append(images, container.Get("image").String())
		}
		rows = append(rows, []sdk.Cell{
			count(status.Get("readyReplicas")) + "/" + count(spec.Get("replicas")),
			status.Get("updatedReplicas").Int(), status.Get("availableReplicas").Int(),
			strings.Join(names, ","), strings.Join(images, ","), selectorText(spec.Get("selector")),
		})
	}
	return rows
}

func count(n sdk.Value) string { return strconv.FormatInt(n.Int(), 10) }

// selectorText is a LabelSelector in the syntax of kubectl's -l.
func selectorText(selector sdk.Value) string {
	if selector.IsNull() {
		return "<none>"
	}
	type requirement struct{ key, text string }
	var all []requirement
	for key, value := range selector.Get("matchLabels").Fields() {
		all = append(all, requirement{key, key + "=" + value.String()})
	}
	for _, e := range selector.Get("matchExpressions").Items() {
		key, values := e.Get("key").String(), e.Get("values").Strings()
		slices.Sort(values)
		list := " (" + strings.Join(values, ",") + ")"
		switch e.Get("operator").String() {
		case "In":
			all = append(all, requirement{key, key + " in" + list})
		case "NotIn":
			all = append(all, requirement{key, key + " notin" + list})
		case "Exists":
			all = append(all, requirement{key, key})
		case "DoesNotExist":
			all = append(all, requirement{key, "!" + key})
		default:
			return "<error>"
		}
	}
	slices.SortStableFunc(all, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = r.text
	}
	if len(texts) == 0 {
		return "<none>"
	}
	return strings.Join(texts, ",")
}
