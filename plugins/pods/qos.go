package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/quantity"
)

// qosClass is Guaranteed where every container limits cpu and memory and requests as much, BestEffort where
// none asks for any, and Burstable otherwise. Resources of the pod itself come before those of its containers.
func qosClass(spec tree.Node) string {
	if resources := spec.Get("resources"); !resources.Get("limits").Empty() || !resources.Get("requests").Empty() {
		return classOf([]tree.Node{resources})
	}
	var all []tree.Node
	for _, list := range []string{"containers", "initContainers"} {
		for _, container := range spec.Get(list).Items() {
			all = append(all, container.Get("resources"))
		}
	}
	return classOf(all)
}

func classOf(all []tree.Node) string {
	some, guaranteed := false, true
	for _, resources := range all {
		for _, name := range []string{"cpu", "memory"} {
			request, requested := positive(resources.At("requests", name))
			limit, limited := positive(resources.At("limits", name))
			some = some || requested || limited
			guaranteed = guaranteed && limited && (!requested || request.Cmp(limit) == 0)
		}
	}
	switch {
	case !some:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}

// positive reads a quantity above zero.
func positive(n tree.Node) (q quantity.Quantity, ok bool) {
	if !n.Exists() {
		return q, false
	}
	q, err := quantity.Parse(n.String())
	return q, err == nil && q.Sign() > 0
}
