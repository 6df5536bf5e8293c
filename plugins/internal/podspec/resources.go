package podspec

import (
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/quantity"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// resources checks limits, requests and claims against each other.
func (c *check) resources(resources tree.Node, path place) {
	limits, requests := resources.Get("limits"), resources.Get("requests")
	compute, huge := false, false
	for name, value := range limits.Fields() {
		at := path.child("limits").key(name)
		c.containerResource(name, value, at)
		c.hugePages(name, value, at)
		compute = compute || name == "cpu" || name == "memory"
		huge = huge || isHugePages(name)
	}
	for name, value := range requests.Fields() {
		at := path.child("requests").key(name)
		c.containerResource(name, value, at)
		c.requestAgainstLimit(name, value, limits.Get(name), path)
		c.hugePages(name, value, at)
		compute = compute || name == "cpu" || name == "memory"
		huge = huge || isHugePages(name)
	}
	if huge && !compute {
		c.forbidden(path, "HugePages require cpu or memory")
	}
	c.claimNames(resources.Get("claims"), path.child("claims"))
}

// requestAgainstLimit holds requests below limits, and equal to them for what cannot be overcommitted.
func (c *check) requestAgainstLimit(name string, value, limit tree.Node, path place) {
	if !limit.Exists() {
		if !isOvercommitAllowed(name) {
			c.required(path.child("limits"), "Limit must be set for non overcommitable resources")
		}
		return
	}
	order, ok := Compare(value, limit)
	if !ok || order == 0 || order < 0 && isOvercommitAllowed(name) {
		return
	}
	request, most := written(value.String()), written(limit.String())
	if isOvercommitAllowed(name) {
		c.invalid(path.child("requests"), request, "must be less than or equal to "+name+" limit of "+most)
	} else {
		c.invalid(path.child("requests"), request, "must be equal to "+name+" limit of "+most)
	}
}

// containerResource checks the name and the quantity of one resource.
func (c *check) containerResource(name string, value tree.Node, path place) {
	if milli, _, ok := quick(value.String()); ok && (name == "cpu" || name == "memory") && milli >= 0 {
		return
	}
	c.each(path, name, qualifiedName(name))
	switch {
	case !strings.Contains(name, "/"):
		if !isStandard(name) {
			c.invalid(path, name, "must be a standard resource type or fully qualified")
		}
		if !isContainerResource(name) {
			c.invalid(path, name, "must be a standard resource for containers")
		}
	case !isNative(name) && !isExtended(name):
		c.invalid(path, name, "doesn't follow extended resource name standard")
	}
	q, err := quantity.Parse(value.String())
	switch {
	case err != nil:
		c.invalid(path, value.Value(), err.Error())
	case q.Sign() < 0:
		c.invalid(path, q.String(), validate.IsNegativeErrorMsg)
	}
	if err == nil && isExtended(name) && !q.IsInteger() {
		c.invalid(path, q.String(), "must be an integer")
	}
}

// hugePages holds quantities to whole pages.
func (c *check) hugePages(name string, value tree.Node, path place) {
	if !isHugePages(name) {
		return
	}
	size, err := quantity.Parse(strings.TrimPrefix(name, "hugepages-"))
	q, ok := parse(value)
	if !ok {
		return
	}
	if err != nil || size.Sign() <= 0 || milliOf(q.String())%milliOf(size.String()) != 0 {
		c.invalid(path, q.String(), q.String()+" is not positive integer multiple of "+name)
	}
}

func (c *check) claimNames(claims tree.Node, path place) {
	var names []string
	for i, claim := range claims.Items() {
		name, request := claim.Get("name").String(), claim.Get("request").String()
		if name == "" {
			c.required(path.index(i), "")
			continue
		}
		id := name
		if request != "" {
			id = name + "/" + request
		}
		if contains(names, id) || request == "" && hasClaim(names, name) || contains(names, name) {
			c.duplicate(path.index(i), id)
		} else {
			names = append(names, id)
		}
		if contains(c.claims, name) {
			continue
		}
		err := field.NotFound(nil, name)
		err.Detail = "must be one of the names in pod.spec.resourceClaims"
		if len(c.claims) == 0 {
			err.Detail += " which is empty"
		} else {
			err.Detail += ": " + strings.Join(sorted(c.claims), ", ")
		}
		c.report(path.index(i), err)
	}
}

func hasClaim(ids []string, name string) bool {
	for _, id := range ids {
		if strings.HasPrefix(id, name+"/") {
			return true
		}
	}
	return false
}

// isNative tells whether a resource's name is Kubernetes' own.
func isNative(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

func isExtended(name string) bool {
	return !isNative(name) && !strings.HasPrefix(name, "requests.") && len(qualifiedName("requests."+name)) == 0
}

func isOvercommitAllowed(name string) bool { return isNative(name) && !isHugePages(name) }

func isContainerResource(name string) bool {
	return name == "cpu" || name == "memory" || name == "ephemeral-storage" || isHugePages(name)
}

// isStandard tells whether a bare name is one of a resource, of containers or of quotas.
func isStandard(name string) bool {
	switch name {
	case "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.ephemeral-storage",
		"limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers",
		"secrets", "configmaps", "persistentvolumeclaims", "storage", "requests.storage", "services.nodeports", "services.loadbalancers":
		return true
	}
	return isHugePages(name) || strings.HasPrefix(name, "requests.hugepages-")
}

func sorted(list []string) []string {
	list = append([]string(nil), list...)
	slices.Sort(list)
	return list
}
