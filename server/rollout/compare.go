package rollout

import (
	"bytes"
	"slices"

	"github.com/stratagem-dev/stratagem/engine"
)

// Kind is how two revisions differed on a request.
type Kind string

// The kinds of differences, the gravest first.
const (
	NewlyFailed       Kind = "Failed"
	NewlyRejected     Kind = "NewlyRejected"
	NewlyTaken        Kind = "NewlyTaken"
	DifferentErrors   Kind = "DifferentErrors"
	DifferentObjects  Kind = "DifferentObject"
	DifferentWarnings Kind = "DifferentWarnings"
)

// Difference is what came of one request that both revisions have made again. Kind is empty where that is the same.
type Difference struct {
	Kind              Kind
	job               *Job
	active, candidate outcome
}

func compare(j *Job, active, candidate outcome) Difference {
	d := Difference{job: j, active: active, candidate: candidate}
	switch {
	case candidate.verdict == Failed && active.verdict != Failed:
		d.Kind = NewlyFailed
	case candidate.verdict == Failed:
	case active.verdict == Taken && candidate.verdict == Rejected:
		d.Kind = NewlyRejected
	case candidate.verdict == Taken && active.verdict != Taken:
		d.Kind = NewlyTaken
	case candidate.verdict == Rejected && errorText(active.err) != errorText(candidate.err):
		d.Kind = DifferentErrors
	case candidate.verdict == Rejected:
	case !bytes.Equal(withoutChance(active.object), withoutChance(candidate.object)):
		d.Kind = DifferentObjects
	case !slices.Equal(active.warnings, candidate.warnings):
		d.Kind = DifferentWarnings
	}
	return d
}

// withoutChance is an object without what is different each time that it is made, and without the bookkeeping of writes.
func withoutChance(obj engine.Object) engine.Object {
	if len(obj) == 0 {
		return nil
	}
	meta := obj.Meta()
	for _, key := range []string{"uid", "resourceVersion", "managedFields"} {
		meta.Set(key, nil)
	}
	return obj.WithMeta(meta)
}

// add notes what a shadow came to.
func (c *Counts) add(d Difference) {
	c.Requests++
	c.Fuel, c.ActiveFuel = c.Fuel+d.candidate.fuel, c.ActiveFuel+d.active.fuel
	c.FuelApproximate = c.FuelApproximate || d.candidate.approximate || d.active.approximate
	c.Microseconds += d.candidate.time.Microseconds()
	c.ActiveMicroseconds += d.active.time.Microseconds()
	if d.candidate.verdict == Failed {
		c.Failed++
		c.fail(string(d.candidate.failure), 1)
	}
	switch d.Kind {
	case NewlyRejected:
		c.NewlyRejected++
	case NewlyTaken:
		c.NewlyTaken++
	case DifferentErrors:
		c.DifferentErrors++
	case DifferentObjects:
		c.DifferentObjects++
	case DifferentWarnings:
		c.DifferentWarnings++
	}
}
