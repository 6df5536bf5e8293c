package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// defaultPodResources makes pod-level limits and requests out of each other and of the containers', where
// the pod states one of them.
func defaultPodResources(e *tree.Edits, spec tree.Node) {
	resources := spec.Get("resources")
	if !resources.IsObject() {
		return
	}
	own := func(list string) (values []pair) {
		for name, value := range resources.Get(list).Fields() {
			values = append(values, pair{name, canonical(value)})
		}
		return values
	}
	limits, requests := own("limits"), own("requests")
	if len(limits)+len(requests) == 0 {
		return
	}
	hadLimits := len(limits) > 0
	limits = podLimits(spec, limits, requests, hadLimits)
	if len(limits) > 0 && (hadLimits || hasHugePages(limits)) {
		requests = podRequests(spec, limits, requests)
	}
	setPairs(e, resources, "limits", limits)
	setPairs(e, resources, "requests", requests)
}

// pair is a resource's name and the JSON of its quantity.
type pair struct{ name, json string }

func has(pairs []pair, name string) bool {
	for _, p := range pairs {
		if p.name == name {
			return true
		}
	}
	return false
}

func hasHugePages(pairs []pair) bool {
	for _, p := range pairs {
		if isHugePages(p.name) {
			return true
		}
	}
	return false
}

// podLimits adds the huge pages of the containers and, where the pod has requests alone, every limit that all
// containers state.
func podLimits(spec tree.Node, limits, requests []pair, hadLimits bool) []pair {
	for _, a := range aggregate(spec, "limits") {
		switch {
		case has(limits, a.name) || !isPodLevel(a.name):
		case isHugePages(a.name):
			if !has(requests, a.name) {
				limits = append(limits, pair{a.name, tree.Quote(a.String())})
			}
		case !hadLimits && allHaveLimit(spec, a.name):
			limits = append(limits, pair{a.name, tree.Quote(a.String())})
		}
	}
	return limits
}

func allHaveLimit(spec tree.Node, name string) bool {
	for _, c := range spec.Get("containers").Items() {
		if !c.At("resources", "limits", name).Exists() {
			return false
		}
	}
	for _, c := range spec.Get("initContainers").Items() {
		if !c.At("resources", "limits", name).Exists() {
			return false
		}
	}
	return true
}

// podRequests adds what the containers request, and else the limits.
func podRequests(spec tree.Node, limits, requests []pair) []pair {
	for _, a := range effectiveRequests(spec) {
		if !has(requests, a.name) && isPodLevel(a.name) && !isHugePages(a.name) {
			requests = append(requests, pair{a.name, tree.Quote(a.String())})
		}
	}
	for _, limit := range limits {
		if !has(requests, limit.name) && isPodLevel(limit.name) {
			requests = append(requests, limit)
		}
	}
	return requests
}

// effectiveRequests are the containers' requests once their limits have become requests.
func effectiveRequests(spec tree.Node) amounts {
	spec = tree.Parse(spec.Raw())
	e := tree.NewEdits(spec)
	for _, list := range []string{"containers", "initContainers"} {
		for _, c := range spec.Get(list).Items() {
			defaultResources(e, c, true)
		}
	}
	if !e.Any() {
		return aggregate(spec, "requests")
	}
	return aggregate(tree.Parse(e.Text()), "requests")
}

func setPairs(e *tree.Edits, resources tree.Node, list string, pairs []pair) {
	if len(pairs) == 0 {
		return
	}
	json := []byte{'{'}
	for i, p := range pairs {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(append(json, tree.Quote(p.name)...), ':')
		json = append(json, p.json...)
	}
	e.Set(resources, list, string(append(json, '}')))
}

// isPodLevel tells whether a pod, and not only a container, may state a resource.
func isPodLevel(name string) bool { return name == "cpu" || name == "memory" || isHugePages(name) }

func isHugePages(name string) bool { return strings.HasPrefix(name, "hugepages-") }

// podResources checks the pod-level resources, alone and against the containers'.
func (c *check) podResources(path place) {
	resources := c.spec.Get("resources")
	if !resources.Exists() {
		return
	}
	path = path.child("resources")
	if !resources.Get("claims").Empty() {
		c.forbidden(path.child("claims"), "claims cannot be set for Resources at pod-level")
	}
	for _, list := range []string{"limits", "requests"} {
		for name := range resources.Get(list).Fields() {
			if !isPodLevel(name) {
				c.report(path.child(list).key(name), field.NotSupported(nil, name, []string{"cpu", "hugepages-", "memory"}))
			}
		}
	}
	c.resources(resources, path)
	c.podAgainstContainers(resources, path)
}

func (c *check) podAgainstContainers(resources tree.Node, path place) {
	own := amountsOf(resources.Get("requests"))
	for _, a := range aggregate(c.spec, "requests") {
		has := amount{}
		if i := own.find(a.name); i >= 0 {
			has = own[i]
		}
		if isPodLevel(a.name) && a.milli > has.milli {
			c.invalid(path.child("requests").key(a.name), has.String(), "must be greater than or equal to aggregate container requests of "+a.String())
		}
	}
	limits := amountsOf(resources.Get("limits"))
	for i, container := range c.spec.Get("containers").Items() {
		for _, a := range amountsOf(container.At("resources", "limits")) {
			if j := limits.find(a.name); j >= 0 && a.milli > limits[j].milli {
				c.invalid(path.child("containers").index(i).key(a.name).child("limits"), a.String(), "must be less than or equal to pod limits of "+limits[j].String())
			}
		}
	}
}
