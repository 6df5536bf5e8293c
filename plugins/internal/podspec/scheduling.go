package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/labels"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) readinessGates(path *field.Path) {
	for i, gate := range c.spec.Get("readinessGates").Items() {
		name := gate.Get("conditionType").String()
		c.each(path.Index(i).Child("conditionType"), name, validate.IsQualifiedName(name))
	}
}

func (c *check) schedulingGates(path *field.Path) {
	var seen []string
	for i, gate := range c.spec.Get("schedulingGates").Items() {
		name := gate.Get("name").String()
		c.each(path.Index(i), name, validate.IsQualifiedName(name))
		if contains(seen, name) {
			c.duplicate(path.Index(i), name)
		}
		seen = append(seen, name)
	}
}

func (c *check) tolerations(path *field.Path) {
	for i, toleration := range c.spec.Get("tolerations").Items() {
		c.toleration(toleration, path.Index(i))
	}
}

// ValidateTolerations tells what is wrong with the tolerations of a spec.
func ValidateTolerations(spec tree.Node, path *field.Path) field.ErrorList {
	c := newCheck(spec, true)
	c.tolerations(path)
	return c.errs
}

func (c *check) toleration(toleration tree.Node, path *field.Path) {
	key, operator := toleration.Get("key").String(), toleration.Get("operator").String()
	value, effect := toleration.Get("value").String(), toleration.Get("effect").String()
	if key != "" {
		c.errs = append(c.errs, validate.LabelName(key, path.Child("key"))...)
	} else if operator != "Exists" {
		c.invalid(path.Child("operator"), operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
	}
	if toleration.Has("tolerationSeconds") && effect != "NoExecute" {
		c.invalid(path.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
	}
	switch operator {
	case "", "Equal":
		if messages := validate.IsValidLabelValue(value); len(messages) > 0 {
			c.invalid(path.Child("operator"), value, strings.Join(messages, ";"))
		}
	case "Exists":
		if value != "" {
			c.invalid(path.Child("operator"), value, "value must be empty when `operator` is 'Exists'")
		}
	default:
		c.one(operator, path.Child("operator"), "Equal", "Exists")
	}
	if effect != "" {
		c.one(effect, path.Child("effect"), "NoSchedule", "PreferNoSchedule", "NoExecute")
	}
}

func (c *check) spreadConstraints(path *field.Path) {
	list := c.spec.Get("topologySpreadConstraints")
	var seen []string
	for i, constraint := range list.Items() {
		at := path.Index(i)
		if skew := constraint.Get("maxSkew"); skew.Int() <= 0 {
			c.invalid(at.Child("maxSkew"), skew.Int(), "must be greater than zero")
		}
		key, action := constraint.Get("topologyKey").String(), constraint.Get("whenUnsatisfiable").String()
		if key == "" {
			c.required(at.Child("topologyKey"), "can not be empty")
		}
		c.errs = append(c.errs, validate.LabelName(key, at.Child("topologyKey"))...)
		c.one(action, at.Child("whenUnsatisfiable"), "DoNotSchedule", "ScheduleAnyway")
		id := "{" + key + ", " + action + "}"
		if contains(seen, id) {
			c.duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), id)
		}
		seen = append(seen, id)
		c.minDomains(constraint.Get("minDomains"), action, at.Child("minDomains"))
		c.optionalOne(constraint, "nodeAffinityPolicy", at, "Honor", "Ignore")
		c.optionalOne(constraint, "nodeTaintsPolicy", at, "Honor", "Ignore")
		selector := constraint.Get("labelSelector")
		c.matchKeys(constraint.Get("matchLabelKeys"), selector, at.Child("matchLabelKeys"))
		if selector.Exists() {
			c.errs = append(c.errs, labels.Validate(selector.Value(), at.Child("labelSelector"))...)
		}
	}
}

func (c *check) minDomains(domains tree.Node, action string, path *field.Path) {
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
func (c *check) matchKeys(keys, selector tree.Node, path *field.Path) {
	if keys.Empty() {
		return
	}
	if !selector.Exists() {
		c.forbidden(path, "must not be specified when labelSelector is not set")
	}
	for i, key := range keys.Items() {
		c.errs = append(c.errs, validate.LabelName(key.String(), path.Index(i))...)
		if !c.pod && selectsKey(selector, key.String()) {
			c.invalid(path.Index(i), key.String(), "exists in both matchLabelKeys and labelSelector")
		}
	}
}

func selectsKey(selector tree.Node, key string) bool {
	if selector.Get("matchLabels").Has(key) {
		return true
	}
	return hasField(selector.Get("matchExpressions"), "key", key)
}
