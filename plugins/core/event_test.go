package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

const (
	oldEvent = `{"apiVersion":"v1","count":3,"firstTimestamp":"2023-12-31T23:00:00Z","involvedObject":{"kind":"Pod","name":"web","namespace":"default","fieldPath":"spec.containers{a}"},` +
		`"kind":"Event","lastTimestamp":"2023-12-31T23:55:00Z","message":"pulled it \n","metadata":{"name":"web.1","namespace":"default"},"reason":"Pulled","source":{"component":"kubelet","host":"n1"},"type":"Normal"}`
	modernEvent = `{"action":"Binding","apiVersion":"events.k8s.io/v1","eventTime":"2023-12-31T23:58:00.000000Z","kind":"Event","metadata":{"name":"web.2","namespace":"default"},` +
		`"note":"bound","reason":"Scheduled","regarding":{"kind":"Pod","name":"web","namespace":"default"},"reportingController":"example.com/scheduler","reportingInstance":"s-1","type":"Normal"}`
)

var events = sdktest.New(Event{})

// sorted is the fields of an event by name.
func sorted(event *sdk.Object) string {
	var fields []string
	for key, value := range event.Get().Fields() {
		fields = append(fields, key+" "+value.Raw())
	}
	slices.Sort(fields)
	return strings.Join(fields, "\n")
}

func TestEventViews(t *testing.T) {
	core := events.Create(with(t, oldEvent)).Object
	wantRaw(t, core, map[string]string{"reportingComponent": `""`, "reportingInstance": `""`, "eventTime": ``})
	modern := events.Convert(core, "events.k8s.io/v1").Object
	wantRaw(t, modern, map[string]string{
		"apiVersion": `"events.k8s.io/v1"`, "regarding/name": `"web"`, "involvedObject": ``, "note": `"pulled it \n"`, "message": ``, "deprecatedCount": `3`, "count": ``,
		"deprecatedFirstTimestamp": `"2023-12-31T23:00:00Z"`, "deprecatedLastTimestamp": `"2023-12-31T23:55:00Z"`, "firstTimestamp": ``, "lastTimestamp": ``,
		"deprecatedSource": `{"component":"kubelet","host":"n1"}`, "source": ``, "reportingController": ``, "reportingComponent": ``, "reportingInstance": ``,
		"reason": `"Pulled"`, "type": `"Normal"`,
	})
	back := events.Convert(modern, "v1").Object
	if sorted(back) != sorted(core) {
		t.Errorf("%s became %s", core.Raw(), back.Raw())
	}
}

// Each view says no more and no less after the way there and back.
func TestEventViewsAreLossless(t *testing.T) {
	for _, event := range []string{oldEvent, modernEvent, `{"apiVersion":"v1","kind":"Event"}`, `{"apiVersion":"events.k8s.io/v1","kind":"Event","series":{"count":2}}`} {
		other := "events.k8s.io/v1"
		if strings.Contains(event, other) {
			other = "v1"
		}
		once := events.Default(with(t, event)).Object
		back := events.Convert(events.Convert(once, other).Object, once.APIVersion()).Object
		again := events.Default(back).Object
		if sorted(once) != sorted(again) {
			t.Errorf("%s became %s", once.Raw(), again.Raw())
		}
	}
}

func TestEventValidate(t *testing.T) {
	for _, tc := range []struct {
		name, event string
		fields      []string
		want        []string
	}{
		{"old", oldEvent, nil, nil},
		{"new", modernEvent, nil, nil},
		{"elsewhere", oldEvent, []string{"involvedObject/namespace", `"other"`}, []string{`involvedObject.namespace: Invalid value: "other": does not match event.namespace`}},
		{"cluster's", oldEvent, []string{"involvedObject/namespace", ``}, nil},
		{"cluster's elsewhere", oldEvent, []string{"involvedObject/namespace", ``, "metadata/namespace", `"other"`}, []string{`involvedObject.namespace: Invalid value: "": does not match event.namespace`}},
		{"new, cluster's, in kube-system", modernEvent, []string{"regarding/namespace", ``, "metadata/namespace", `"kube-system"`}, nil},
		{"new, cluster's, elsewhere", modernEvent, []string{"regarding/namespace", ``, "metadata/namespace", `"other"`}, []string{`involvedObject.namespace: Invalid value: "": does not match event.namespace`}},
		{"new, about another namespace", modernEvent, []string{"regarding/namespace", `"other"`}, nil},
		{"reports nothing", modernEvent, []string{"reportingController", ``, "reportingInstance", ``, "action", ``, "reason", ``}, []string{
			`reportingController: Required value`, `reportingController: Invalid value: "": name part must be non-empty`, `reportingController: Invalid value: "": name part must consist of`,
			`reportingInstance: Required value`, `action: Required value`, `reason: Required value`}},
		{"says too much", modernEvent, []string{"note", `"` + strings.Repeat("x", 1025) + `"`, "action", `"` + strings.Repeat("x", 129) + `"`}, []string{
			`action: Invalid value: "": can have at most 128 characters`, `message: Invalid value: "": can have at most 1024 characters`}},
		{"old ones may say much", oldEvent, []string{"message", `"` + strings.Repeat("x", 1025) + `"`, "reason", ``}, nil},
		{"strict", modernEvent, []string{"eventTime", ``, "type", `"Bad"`, "deprecatedCount", `1`, "deprecatedFirstTimestamp", `"2023-12-31T23:00:00Z"`,
			"deprecatedLastTimestamp", `"2023-12-31T23:00:00Z"`, "deprecatedSource", `{"host":"x"}`, "series", `{"count":1}`}, []string{
			`series.count: Invalid value: "": should be at least 2`, `series.lastObservedTime: Required value`, `eventTime: Required value`, `type: Invalid value: "": has invalid value: Bad`,
			`firstTimestamp: Invalid value: "": needs to be unset`, `lastTimestamp: Invalid value: "": needs to be unset`, `count: Invalid value: "": needs to be unset`, `source: Invalid value: "": needs to be unset`}},
		{"lenient", oldEvent, []string{"type", `"Bad"`, "series", `{"count":1}`}, nil},
	} {
		got := events.Create(with(t, tc.event, tc.fields...))
		t.Run(tc.name, func(t *testing.T) { sdktest.WantErrors(t, got, tc.want...) })
	}
}

func TestEventUpdate(t *testing.T) {
	modern := with(t, modernEvent)
	stored := events.Create(modern).Object
	series := `{"count":2,"lastObservedTime":"2023-12-31T23:59:00.000000Z"}`
	sdktest.WantErrors(t, events.Update(with(t, modernEvent, "series", series), stored))
	sdktest.WantErrors(t, events.Update(with(t, modernEvent, "series", `{"count":1}`), stored), `series.count: Invalid value`, `series.lastObservedTime: Required value`)
	sdktest.WantErrors(t, events.Update(with(t, modernEvent, "note", `"x"`, "regarding/name", `"y"`, "reportingController", `"z"`), stored),
		`involvedObject: Invalid value: {"kind":"Pod","name":"y","namespace":"default"}: field is immutable`, `message: Invalid value: "x": field is immutable`,
		`reportingController: Invalid value: "z": field is immutable`)
	sdktest.WantErrors(t, events.Update(with(t, modernEvent, "reason", `"x"`), stored), `reason: Invalid value: "x": field is immutable`, `reason: Invalid value: "x": field is immutable`)
	sdktest.WantErrors(t, events.Update(with(t, oldEvent, "message", `"x"`, "count", `4`), events.Create(with(t, oldEvent)).Object))
}

func TestEventTTL(t *testing.T) {
	if got := events.TTL(with(t, oldEvent), nil); got != 3600 {
		t.Errorf("%d s", got)
	}
}

// The time of the tests' requests is 2024-01-01T00:00:00Z.
func TestEventTable(t *testing.T) {
	for _, tc := range []struct{ event, want string }{
		{oldEvent, `["5m","pod/web","spec.containers{a}","kubelet, n1","pulled it","60m",3]`},
		{modernEvent, `["2m","pod/web","","example.com/scheduler, s-1","bound","2m",1]`},
		{strings.Replace(modernEvent, `"note"`, `"series":{"count":7,"lastObservedTime":"2023-12-31T23:59:30.5Z"},"note"`, 1), `["29s","pod/web","","example.com/scheduler, s-1","bound","2m",7]`},
		{`{"apiVersion":"v1","kind":"Event","involvedObject":{"kind":"Node"}}`, `["<unknown>","node","","","","<unknown>",1]`},
	} {
		if got := events.ConvertToTable(with(t, tc.event)); got != `[`+tc.want+`]` {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
}
