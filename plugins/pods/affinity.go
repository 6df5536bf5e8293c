package main

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// mergeLabelKeys writes the values of the pod's own labels, for matchLabelKeys and mismatchLabelKeys, into the
// label selectors of affinities and of topology spread constraints.
func mergeLabelKeys(e *tree.Edits, spec, labels tree.Node) {
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		affinity := spec.At("affinity", kind)
		for _, term := range affinity.Get("preferredDuringSchedulingIgnoredDuringExecution").Items() {
			mergeTerm(e, term.Get("podAffinityTerm"), labels)
		}
		for _, term := range affinity.Get("requiredDuringSchedulingIgnoredDuringExecution").Items() {
			mergeTerm(e, term, labels)
		}
	}
	for _, constraint := range spec.Get("topologySpreadConstraints").Items() {
		mergeTerm(e, constraint, labels)
	}
}

func mergeTerm(e *tree.Edits, term, labels tree.Node) {
	selector := term.Get("labelSelector")
	if !selector.IsObject() {
		return
	}
	added := expressions(term.Get("matchLabelKeys"), "In", labels)
	added = append(added, expressions(term.Get("mismatchLabelKeys"), "NotIn", labels)...)
	if len(added) == 0 {
		return
	}
	list := selector.Get("matchExpressions")
	if list.IsArray() {
		for _, expression := range added {
			e.Append(list, expression)
		}
		return
	}
	text := "[" + added[0]
	for _, expression := range added[1:] {
		text += "," + expression
	}
	e.Set(selector, "matchExpressions", text+"]")
}

func expressions(keys tree.Node, operator string, labels tree.Node) (added []string) {
	for _, key := range keys.Items() {
		if value := labels.Get(key.String()); value.Exists() {
			added = append(added, `{"key":`+key.Raw()+`,"operator":"`+operator+`","values":[`+value.Raw()+`]}`)
		}
	}
	return added
}
