package main

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
)

const eventsGroup = "events.k8s.io"

// renamed are the fields that the two groups call by different names: the core group's, that of events.k8s.io, and what
// stands there in Kubernetes where nobody has set it. Fields without such a thing are left out then.
var renamed = []struct{ core, events, coreEmpty, eventsEmpty string }{
	{"involvedObject", "regarding", "{}", "{}"},
	{"source", "deprecatedSource", "{}", "{}"},
	{"reportingComponent", "reportingController", `""`, ""},
	{"reportingInstance", "reportingInstance", `""`, ""},
	{"message", "note", "", ""},
	{"firstTimestamp", "deprecatedFirstTimestamp", "", ""},
	{"lastTimestamp", "deprecatedLastTimestamp", "", ""},
	{"count", "deprecatedCount", "", ""},
}

// groupOf is the group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return ""
	}
	return group
}

// viewOf is the group that shows an event as it is.
func viewOf(event *sdk.Object) string { return groupOf(event.APIVersion()) }

// showEvent renames the fields of an event to those of a group, and completes it.
func showEvent(event *sdk.Object, group string) {
	if viewOf(event) != group {
		for _, f := range renamed {
			from, to := f.events, f.core
			if group == eventsGroup {
				from, to = to, from
			}
			if value := event.Get(from); from != to && value.Exists() {
				event.Delete(from)
				event.SetRaw(value.Raw(), to)
			}
		}
	}
	completeEvent(event, group)
}

// completeEvent writes what is not set as Kubernetes does.
func completeEvent(event *sdk.Object, group string) {
	for _, f := range renamed {
		name, empty := f.core, f.coreEmpty
		if group == eventsGroup {
			name, empty = f.events, f.eventsEmpty
		}
		switch value := event.Get(name); {
		case empty == "" && value.Exists() && value.String() == "":
			event.Delete(name)
		case empty != "" && value.IsNull():
			event.SetRaw(empty, name)
		}
	}
}

// coreView is an event as the core group shows it, for the validation, which speaks of its fields alone.
func coreView(event *sdk.Object) *sdk.Object {
	core := event.Copy()
	showEvent(core, "")
	return core
}
