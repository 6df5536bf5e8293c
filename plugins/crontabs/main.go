// Command crontabs is a strategy plugin for CronTabs of group example.com: the smallest complete
// one, and the example that the README shows.
//
// This file says what is served; strategy.go says what makes it different from other resources, in
// plain Go that strategy_test.go tests natively; schedule.go knows cron schedules; schema.json is
// the OpenAPI schema, which the build puts into the module.
package main

import "github.com/stratagem-dev/stratagem/sdk"

func init() {
	sdk.Register(sdk.Plugin{
		Name:    "crontabs",
		Version: "1.0.0",
		Resources: []sdk.Resource{{
			Group:      "example.com",
			Resource:   "crontabs",
			Kind:       "CronTab",
			ShortNames: []string{"ct"},
			Categories: []string{"all"},
			Versions: []sdk.Version{{Name: "v1", Columns: []sdk.Column{
				{Name: "Schedule", Type: "string", JSONPath: ".spec.cronSpec", Description: "When the task runs"},
				{Name: "Replicas", Type: "integer", JSONPath: ".spec.replicas", Description: "How many run at a time"},
				{Name: "Suspend", Type: "boolean", JSONPath: ".spec.suspend", Description: "Whether no more runs are started"},
				{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
			}}},
			Strategy: strategy{},
			Subresources: []sdk.Subresource{
				{Name: "status", Strategy: statusStrategy{}},
				{Name: "scale", Scale: &sdk.Scale{
					SpecReplicasPath:   ".spec.replicas",
					StatusReplicasPath: ".status.replicas",
					LabelSelectorPath:  ".status.labelSelector",
				}},
			},
			ResetFields: []string{".status"},
		}},
	})
}

// main is never run: a plugin only answers calls.
func main() {}
