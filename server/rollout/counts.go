package rollout

import (
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// Counts are what has come of the requests that a revision was tried on. All are sums, so that those of several servers add up.
type Counts struct {
	// Requests that the canary answered, or that a shadow compared.
	Requests int64 `json:"requests"`
	// ActiveRequests are those that the active revision answered beside a canary.
	ActiveRequests int64 `json:"activeRequests,omitempty"`
	// Failed are those in which the revision trapped, ran out of its budget, gave a malformed reply or an error; by that in Failures.
	Failed   int64            `json:"failed,omitempty"`
	Failures map[string]int64 `json:"failures,omitempty"`
	// Rejected are those that the canary refused.
	Rejected int64 `json:"rejected,omitempty"`

	// NewlyRejected, NewlyTaken, DifferentErrors, DifferentObjects and DifferentWarnings are how a shadow differed.
	NewlyRejected     int64 `json:"newlyRejected,omitempty"`
	NewlyTaken        int64 `json:"newlyTaken,omitempty"`
	DifferentErrors   int64 `json:"differentErrors,omitempty"`
	DifferentObjects  int64 `json:"differentObjects,omitempty"`
	DifferentWarnings int64 `json:"differentWarnings,omitempty"`
	// Dropped are requests that no shadow was run of: the queue was full, or what was there before could not be found out.
	Dropped int64 `json:"dropped,omitempty"`

	// Fuel and Microseconds are what the hooks of all requests took, of a canary only the latter and with all else of a request.
	Fuel       int64 `json:"fuel,omitempty"`
	ActiveFuel int64 `json:"activeFuel,omitempty"`
	// FuelApproximate tells that not all of the fuel was counted from a snapshot.
	FuelApproximate bool `json:"fuelApproximate,omitempty"`

	Microseconds       int64 `json:"microseconds,omitempty"`
	ActiveMicroseconds int64 `json:"activeMicroseconds,omitempty"`
}

// Add adds what another server has counted.
func (c *Counts) Add(o *Counts) { c.combine(o, 1) }

// Subtract takes away what has been counted elsewhere.
func (c *Counts) Subtract(o *Counts) { c.combine(o, -1) }

func (c *Counts) combine(o *Counts, sign int64) {
	c.Requests += sign * o.Requests
	c.ActiveRequests += sign * o.ActiveRequests
	c.Failed += sign * o.Failed
	c.Rejected += sign * o.Rejected
	c.NewlyRejected += sign * o.NewlyRejected
	c.NewlyTaken += sign * o.NewlyTaken
	c.DifferentErrors += sign * o.DifferentErrors
	c.DifferentObjects += sign * o.DifferentObjects
	c.DifferentWarnings += sign * o.DifferentWarnings
	c.Dropped += sign * o.Dropped
	c.Fuel += sign * o.Fuel
	c.ActiveFuel += sign * o.ActiveFuel
	c.FuelApproximate = c.FuelApproximate || o.FuelApproximate
	c.Microseconds += sign * o.Microseconds
	c.ActiveMicroseconds += sign * o.ActiveMicroseconds
	for kind, n := range o.Failures {
		c.fail(kind, sign*n)
	}
}

func (c *Counts) fail(kind string, n int64) {
	if c.Failures == nil {
		c.Failures = map[string]int64{}
	}
	c.Failures[kind] += n
}

// clone shares nothing with c.
func (c *Counts) clone() Counts {
	var sum Counts
	sum.Add(c)
	return sum
}

// answered notes a request that the canary has answered.
func (c *Counts) answered(verdict Verdict, failure engine.FailureKind, took time.Duration) {
	c.Requests++
	c.Microseconds += took.Microseconds()
	switch verdict {
	case Rejected:
		c.Rejected++
	case Failed:
		c.Failed++
		c.fail(string(failure), 1)
	}
}
