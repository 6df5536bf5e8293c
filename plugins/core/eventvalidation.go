package main

import (
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// The longest texts of events that have an eventTime.
const (
	maxShortText = 128
	maxNote      = 1024
)

// validateEvent is what every event has to be; one that has an eventTime more than others.
func validateEvent(event *sdk.Object) (errs field.ErrorList) {
	namespace, about := event.Namespace(), event.Get("involvedObject", "namespace").String()
	modern := !event.Get("eventTime").IsNull()
	var agree bool
	switch {
	case about != "":
		agree = modern || namespace == about
	case modern:
		agree = namespace == "default" || namespace == "kube-system"
	default:
		agree = namespace == "" || namespace == "default"
	}
	if !agree {
		errs = append(errs, field.Invalid(field.NewPath("involvedObject", "namespace"), about, "does not match event.namespace"))
	}
	if modern {
		errs = append(errs, validateReport(event)...)
	}
	for _, msg := range validate.IsDNS1123Subdomain(namespace) {
		errs = append(errs, field.Invalid(field.NewPath("namespace"), namespace, msg))
	}
	return errs
}

// validateReport checks who reports what.
func validateReport(event *sdk.Object) (errs field.ErrorList) {
	controller, at := event.Get("reportingComponent").String(), field.NewPath("reportingController")
	if controller == "" {
		errs = append(errs, field.Required(at, ""))
	}
	for _, msg := range validate.IsQualifiedName(controller) {
		errs = append(errs, field.Invalid(at, controller, msg))
	}
	for _, f := range []struct {
		name     string
		max      int
		required bool
	}{{"reportingInstance", maxShortText, true}, {"action", maxShortText, true}, {"reason", maxShortText, true}, {"message", maxNote, false}} {
		text, at := event.Get(f.name).String(), field.NewPath(f.name)
		if f.required && text == "" {
			errs = append(errs, field.Required(at, ""))
		}
		if len(text) > f.max {
			errs = append(errs, field.Invalid(at, "", "can have at most "+strconv.Itoa(f.max)+" characters"))
		}
	}
	return errs
}

// validateNewEvent is what more is asked of an event that is created in events.k8s.io.
func validateNewEvent(event *sdk.Object) field.ErrorList {
	errs := validateSeries(event)
	if event.Get("eventTime").IsNull() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if kind := event.Get("type").String(); kind != "Normal" && kind != "Warning" {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", "has invalid value: "+kind))
	}
	source := event.Get("source")
	for _, deprecated := range []struct {
		name string
		set  bool
	}{
		{"firstTimestamp", !event.Get("firstTimestamp").IsNull()}, {"lastTimestamp", !event.Get("lastTimestamp").IsNull()},
		{"count", event.Get("count").Int() != 0}, {"source", source.Get("component").String() != "" || source.Get("host").String() != ""},
	} {
		if deprecated.set {
			errs = append(errs, field.Invalid(field.NewPath(deprecated.name), "", "needs to be unset"))
		}
	}
	return errs
}

func validateSeries(event *sdk.Object) (errs field.ErrorList) {
	series := event.Get("series")
	if series.IsNull() {
		return nil
	}
	if series.Get("count").Int() < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series.count"), "", "should be at least 2"))
	}
	if series.Get("lastObservedTime").IsNull() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}

// settled are the fields that stay as they were; a path is the name of the field that errors bear.
var settled = []struct{ name, path string }{
	{"involvedObject", ""}, {"reason", ""}, {"message", ""}, {"source", ""}, {"firstTimestamp", ""}, {"lastTimestamp", ""}, {"count", ""}, {"reason", ""},
	{"type", ""}, {"eventTime", ""}, {"action", ""}, {"related", ""}, {"reportingComponent", "reportingController"}, {"reportingInstance", ""},
}

// validateChangedEvent is what more is asked of a change in events.k8s.io.
func validateChangedEvent(event, old *sdk.Object) (errs field.ErrorList) {
	if !event.Get("series").Equal(old.Get("series")) {
		errs = validateSeries(event)
	}
	for _, f := range settled {
		is, was := event.Get(f.name), old.Get(f.name)
		if is.Equal(was) || is.IsNull() && was.IsNull() {
			continue
		}
		if f.path == "" {
			f.path = f.name
		}
		errs = append(errs, field.Invalid(field.NewPath(f.path), is, validate.FieldImmutableErrorMsg))
	}
	return errs
}
