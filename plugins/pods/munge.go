package main

import "github.com/stratagem-dev/stratagem/plugins/internal/tree"

// munge is the new spec with all that may change as it was: what then still differs may not.
func munge(spec, old tree.Node) tree.Node {
	e := tree.NewEdits(spec)
	for _, list := range []string{"containers", "initContainers"} {
		images := old.Get(list)
		for i, container := range spec.Get(list).Items() {
			restore(e, container, nth(images, i), "image")
		}
	}
	for _, key := range []string{"activeDeadlineSeconds", "schedulingGates", "tolerations"} {
		restore(e, spec, old, key)
	}
	if old.Get("terminationGracePeriodSeconds").Int() < 0 && spec.Get("terminationGracePeriodSeconds").Int() == 1 {
		restore(e, spec, old, "terminationGracePeriodSeconds")
	}
	if !old.Get("schedulingGates").Empty() {
		restore(e, spec, old, "nodeSelector")
		mungeNodeAffinity(e, spec.Get("affinity"), old.Get("affinity"), spec)
	}
	return tree.Parse(e.Text())
}

func mungeNodeAffinity(e *tree.Edits, is, was, spec tree.Node) {
	onlyNodes := !is.Has("podAffinity") && !is.Has("podAntiAffinity")
	switch {
	case !is.Exists() && !was.Has("nodeAffinity"):
	case !is.Exists():
		e.Set(spec, "affinity", `{"nodeAffinity":`+was.Get("nodeAffinity").Raw()+`}`)
	case !was.Exists() && onlyNodes:
		e.Set(spec, "affinity", "null")
	default:
		restore(e, is, was, "nodeAffinity")
	}
}

// restore puts back a field of the old object.
func restore(e *tree.Edits, object, old tree.Node, key string) {
	switch was := old.Get(key); {
	case was.Exists():
		e.Set(object, key, was.Raw())
	case object.Has(key):
		e.Set(object, key, "null")
	}
}

func nth(list tree.Node, index int) tree.Node {
	for i, item := range list.Items() {
		if i == index {
			return item
		}
	}
	return tree.Node{}
}
