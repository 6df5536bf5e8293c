package namespaces

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// The changes that the controller makes to the namespace of one uid.
type (
	// setPhase makes it Terminating.
	setPhase struct{ uid string }
	// setConditions puts its conditions right. One that says the same as before keeps its time.
	setConditions struct {
		uid        string
		conditions []condition
		now        time.Time
	}
	// dropFinalizer takes the controller's finalizer off the spec.
	dropFinalizer struct{ uid string }
)

// Apply sets the phase.
func (e setPhase) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() != e.uid {
		return nil, nil, controllers.ErrGone
	}
	status := engine.ParseFields([]byte(current.Get("status").Raw))
	status.SetString("phase", terminating)
	return current.With("status", status.Raw()), nil, nil
}

// Apply sets the conditions.
func (e setConditions) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() != e.uid {
		return nil, nil, controllers.ErrGone
	}
	var items []engine.Fields
	for _, item := range current.Get("status", "conditions").Array() {
		items = append(items, engine.ParseFields([]byte(item.Raw)))
	}
	for _, c := range e.conditions {
		i := slices.IndexFunc(items, func(f engine.Fields) bool { return f.String("type") == c.kind })
		if i < 0 {
			i, items = len(items), append(items, engine.Fields{})
		}
		c.write(&items[i], e.now)
	}
	raw := []byte{'['}
	for i, item := range items {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, item.Raw()...)
	}
	status := engine.ParseFields([]byte(current.Get("status").Raw))
	status.Set("conditions", append(raw, ']'))
	return current.With("status", status.Raw()), nil, nil
}

// write makes a stored condition this one.
func (c condition) write(into *engine.Fields, now time.Time) {
	status := "False"
	if c.status {
		status = "True"
	}
	if into.String("status") != status {
		into.SetString("lastTransitionTime", now.UTC().Format(time.RFC3339))
	}
	into.SetString("type", c.kind)
	into.SetString("status", status)
	into.SetString("reason", c.reason)
	into.SetString("message", c.message)
}

// Apply drops the finalizer.
func (e dropFinalizer) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() != e.uid {
		return nil, nil, controllers.ErrGone
	}
	var kept []string
	for _, name := range current.Get("spec", "finalizers").Array() {
		if !isFinalizer(name) {
			kept = append(kept, name.String())
		}
	}
	spec := engine.ParseFields([]byte(current.Get("spec").Raw))
	spec.SetStrings("finalizers", kept)
	return current.With("spec", spec.Raw()), nil, nil
}

func isFinalizer(name gjson.Result) bool { return name.String() == finalizer }

// Replaces is false.
func (setPhase) Replaces() bool { return false }

// Replaces is false.
func (setConditions) Replaces() bool { return false }

// Replaces is false.
func (dropFinalizer) Replaces() bool { return false }
