package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/podspec"
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
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
			request, limit := resources.At("requests", name), resources.At("limits", name)
			requested, limited := podspec.Positive(request), podspec.Positive(limit)
			some = some || requested || limited
			guaranteed = guaranteed && limited && (!requested || isEqual(request, limit))
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

func isEqual(a, b tree.Node) bool {
	order, ok := podspec.Compare(a, b)
	return ok && order == 0
}
