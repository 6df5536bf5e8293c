package main

import (
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// Event is the life of an event, of the core group as of events.k8s.io: the two show the same objects, which are stored as
// core's. Hooks get them as the group of the request shows them.
type Event struct{}

// eventTTL is how long an event lives after the last write, in seconds; --event-ttl of the server goes before it.
const eventTTL = 60 * 60

// Default puts in the fields that Kubernetes always writes.
func (Event) Default(_ *sdk.Context, event *sdk.Object) { completeEvent(event, viewOf(event)) }

// Validate is Kubernetes' ValidateEventCreate: strict with events.k8s.io, lenient with the core group.
func (Event) Validate(_ *sdk.Context, event *sdk.Object) field.ErrorList {
	core := coreView(event)
	errs := validateEvent(core)
	if viewOf(event) != eventsGroup {
		return errs
	}
	return append(errs, validateNewEvent(core)...)
}

// ValidateUpdate is Kubernetes' ValidateEventUpdate: of an event of events.k8s.io only the series may change.
func (Event) ValidateUpdate(_ *sdk.Context, event, old *sdk.Object) field.ErrorList {
	core := coreView(event)
	errs := validateEvent(core)
	if viewOf(event) != eventsGroup {
		return errs
	}
	return append(errs, validateChangedEvent(core, coreView(old))...)
}

// TTL is an hour from every write.
func (Event) TTL(_ *sdk.Context, _, _ *sdk.Object) uint32 { return eventTTL }

// Convert shows an event as the other group does.
func (Event) Convert(_ *sdk.Context, event *sdk.Object, desiredAPIVersion string) error {
	showEvent(event, groupOf(desiredAPIVersion))
	return nil
}

// AllowCreateOnUpdate is true for events.
func (Event) AllowCreateOnUpdate() bool { return true }

// AllowUnconditionalUpdate is true for events.
func (Event) AllowUnconditionalUpdate() bool { return true }

var (
	_ sdk.Defaulter                  = Event{}
	_ sdk.Validator                  = Event{}
	_ sdk.UpdateValidator            = Event{}
	_ sdk.Expirer                    = Event{}
	_ sdk.Converter                  = Event{}
	_ sdk.CreateOnUpdateAllower      = Event{}
	_ sdk.UnconditionalUpdateAllower = Event{}
	_ sdk.TableConvertor             = Event{}
)
