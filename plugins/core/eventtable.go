package main

import (
	"cmp"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/duration"
)

// eventColumns are those of kubectl get; the cells without a path come from ConvertToTable.
var eventColumns = []sdk.Column{
	{Name: "Last Seen", Type: "string", Description: "The time at which the most recent occurrence of this event was recorded."},
	{Name: "Type", Type: "string", JSONPath: ".type", Description: "Type of this event (Normal, Warning), new types could be added in the future"},
	{Name: "Reason", Type: "string", JSONPath: ".reason", Description: "A short, machine understandable string that gives the reason for the transition into the object's current status."},
	{Name: "Object", Type: "string", Description: "The object that this event is about."},
	{Name: "Subobject", Type: "string", Priority: 1, Description: "The part of the object that this event is about."},
	{Name: "Source", Type: "string", Priority: 1, Description: "The component reporting this event."},
	{Name: "Message", Type: "string", Description: "A human-readable description of the status of this operation."},
	{Name: "First Seen", Type: "string", Priority: 1, Description: "The time at which the event was first recorded."},
	{Name: "Count", Type: "string", Priority: 1, Description: "The number of times this event has occurred."},
	{Name: "Name", Type: "string", Format: "name", Priority: 1, JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."},
}

// ConvertToTable makes the cells: last seen, object, subobject, source, message, first seen and count.
func (Event) ConvertToTable(ctx *sdk.Context, events []*sdk.Object) [][]sdk.Cell {
	rows := make([][]sdk.Cell, 0, len(events))
	now := ctx.Now()
	for _, event := range events {
		event = coreView(event)
		first, last, count := occurrences(event, now)
		about, source := event.Get("involvedObject"), event.Get("source")
		rows = append(rows, []sdk.Cell{
			last, objectCell(about), about.Get("fieldPath").String(),
			sourceCell(
				cmp.Or(source.Get("component").String(), event.Get("reportingComponent").String()),
				cmp.Or(source.Get("host").String(), event.Get("reportingInstance").String()),
			),
			strings.TrimSpace(event.Get("message").String()), first, count,
		})
	}
	return rows
}

// occurrences tell when an event was seen first and last, and how often.
func occurrences(event *sdk.Object, now time.Time) (first, last string, count int64) {
	firstTime, lastTime, series := event.Get("firstTimestamp"), event.Get("lastTimestamp"), event.Get("series")
	if firstTime.IsNull() {
		firstTime = event.Get("eventTime")
	}
	if lastTime.IsNull() {
		lastTime = firstTime
	}
	count = max(event.Get("count").Int(), 1)
	if !series.IsNull() {
		lastTime, count = series.Get("lastObservedTime"), series.Get("count").Int()
	}
	return since(firstTime, now), since(lastTime, now), count
}

func since(at sdk.Value, now time.Time) string {
	t, err := time.Parse(time.RFC3339, at.String())
	if err != nil {
		return "<unknown>"
	}
	return duration.HumanDuration(now.Sub(t))
}

func objectCell(about sdk.Value) string {
	kind := strings.ToLower(about.Get("kind").String())
	if name := about.Get("name").String(); name != "" {
		return kind + "/" + name
	}
	return kind
}

func sourceCell(component, instance string) string {
	if instance == "" {
		return component
	}
	return component + ", " + instance
}
