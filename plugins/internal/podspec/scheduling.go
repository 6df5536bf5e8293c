package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) readinessGates(path place) {
	for i, gate := range c.spec.Get("readinessGates").Items() {
		name := gate.Get("conditionType").String()
		c.each(path.index(i).child("conditionType"), name, qualifiedName(name))
	}
}

func (c *check) schedulingGates(path place) {
	var seen []string
	for i, gate := range c.spec.Get("schedulingGates").Items() {
		name := gate.Get("name").String()
		c.each(path.index(i), name, qualifiedName(name))
		if contains(seen, name) {
			c.duplicate(path.index(i), name)
		}
		seen = append(seen, name)
	}
}

func (c *check) tolerations(path place) {
	for i, toleration := range c.spec.Get("tolerations").Items() {
		c.toleration(toleration, path.index(i))
	}
}

// ValidateTolerations tells what is wrong with the tolerations of a spec.
func ValidateTolerations(spec tree.Node, path string) field.ErrorList {
	c := newCheck(spec, true)
	c.tolerations(root(path))
	return c.errs
}

func (c *check) toleration(toleration tree.Node, path place) {
	key, operator := toleration.Get("key").String(), toleration.Get("operator").String()
	value, effect := toleration.Get("value").String(), toleration.Get("effect").String()
	if key != "" {
		c.labelName(key, path.child("key"))
	} else if operator != "Exists" {
		c.invalid(path.child("operator"), operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
	}
	if toleration.Has("tolerationSeconds") && effect != "NoExecute" {
		c.invalid(path.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
	}
	switch operator {
	case "", "Equal":
		if messages := validate.IsValidLabelValue(value); len(messages) > 0 {
			c.invalid(path.child("operator"), value, strings.Join(messages, ";"))
		}
	case "Exists":
		if value != "" {
			c.invalid(path.child("operator"), value, "value must be empty when `operator` is 'Exists'")
		}
	default:
		c.one(operator, path.child("operator"), "Equal", "Exists")
	}
	if effect != "" {
		c.one(effect, path.child("effect"), "NoSchedule", "PreferNoSchedule", "NoExecute")
	}
}

func (c *check) spreadConstraints(path place) {
	list := c.spec.Get("topologySpreadConstraints")
	var seen []string
	for i, constraint := range list.Items() {
		at := path.index(i)
		if skew := constraint.Get("maxSkew"); skew.Int() <= 0 {
			c.invalid(at.child("maxSkew"), skew.Int(), "must be greater than zero")
		}
		key, action := constraint.Get("topologyKey").String(), constraint.Get("whenUnsatisfiable").String()
		if key == "" {
			c.required(at.child("topologyKey"), "can not be empty")
		}
		c.labelName(key, at.child("topologyKey"))
		c.one(action, at.child("whenUnsatisfiable"), "DoNotSchedule", "ScheduleAnyway")
		id := "{" + key + ", " + action + "}"
		if contains(seen, id) {
			c.duplicate(at.child("{topologyKey, whenUnsatisfiable}"), id)
		}
		seen = append(seen, id)
		c.minDomains(constraint.Get("minDomains"), action, at.child("minDomains"))
		c.optionalOne(constraint, "nodeAffinityPolicy", at, "Honor", "Ignore")
		c.optionalOne(constraint, "nodeTaintsPolicy", at, "Honor", "Ignore")
		selector := constraint.Get("labelSelector")
		c.matchKeys(constraint.Get("matchLabelKeys"), selector, at.child("matchLabelKeys"))
		if selector.Exists() {
			c.selector(selector, at.child("labelSelector"))
		}
	}
}

func (c *check) minDomains(domains tree.Node, action string, path place) {
	if !domains.Exists() {
		return
	}
	if domains.Int() <= 0 {
		c.invalid(path, domains.Value(), "must be greater than zero")
	}
	if action != "DoNotSchedule" {
		c.invalid(path, domains.Value(), "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "+action)
	}
}

// matchKeys checks the keys whose values are to be taken from the pod.
func (c *check) matchKeys(keys, selector tree.Node, path place) {
	if keys.Empty() {
		return
	}
	if !selector.Exists() {
		c.forbidden(path, "must not be specified when labelSelector is not set")
	}
	for i, key := range keys.Items() {
		c.labelName(key.String(), path.index(i))
		if !c.pod && selectsKey(selector, key.String()) {
			c.invalid(path.index(i), key.String(), "exists in both matchLabelKeys and labelSelector")
		}
	}
}

func selectsKey(selector tree.Node, key string) bool {
	if selector.Get("matchLabels").Has(key) {
		return true
	}
	return hasField(selector.Get("matchExpressions"), "key", key)
}
