package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// The two strengths of an affinity.
const (
	requiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

func (c *check) affinity(path place) {
	affinity := c.spec.Get("affinity")
	if affinity.Empty() {
		return
	}
	if node := affinity.Get("nodeAffinity"); node.Exists() {
		c.nodeAffinity(node, path.child("nodeAffinity"))
	}
	for _, key := range []string{"podAffinity", "podAntiAffinity"} {
		pods := affinity.Get(key)
		for i, term := range pods.Get(requiredTerms).Items() {
			c.podTerm(term, path.child(key).child(requiredTerms).index(i))
		}
		for i, term := range pods.Get(preferredTerms).Items() {
			at := path.child(key).child(preferredTerms).index(i)
			c.weight(term, at)
			c.podTerm(term.Get("podAffinityTerm"), at.child("podAffinityTerm"))
		}
	}
}

func (c *check) weight(term tree.Node, path place) {
	if weight := term.Get("weight").Int(); weight <= 0 || weight > 100 {
		c.invalid(path.child("weight"), weight, "must be in the range 1-100")
	}
}

func (c *check) nodeAffinity(affinity tree.Node, path place) {
	if required := affinity.Get(requiredTerms); required.Exists() {
		terms, at := required.Get("nodeSelectorTerms"), path.child(requiredTerms).child("nodeSelectorTerms")
		if terms.Empty() {
			c.required(at, "must have at least one node selector term")
		}
		for i, term := range terms.Items() {
			c.nodeTerm(term, at.index(i), true)
		}
	}
	for i, term := range affinity.Get(preferredTerms).Items() {
		at := path.child(preferredTerms).index(i)
		c.weight(term, at)
		c.nodeTerm(term.Get("preference"), at.child("preference"), false)
	}
}

// nodeTerm checks one term; the values of labels only where strict.
func (c *check) nodeTerm(term tree.Node, path place, strict bool) {
	for i, expression := range term.Get("matchExpressions").Items() {
		c.nodeExpression(expression, path.child("matchExpressions").index(i), strict)
	}
	for i, expression := range term.Get("matchFields").Items() {
		c.nodeField(expression, path.child("matchFields").index(i))
	}
}

func (c *check) nodeExpression(e tree.Node, path place, strict bool) {
	values := e.Get("values")
	switch operator := e.Get("operator").String(); operator {
	case "In", "NotIn":
		if values.Empty() {
			c.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if !values.Empty() {
			c.forbidden(path.child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	case "Gt", "Lt":
		if values.Len() != 1 {
			c.required(path.child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'")
		}
	default:
		c.invalid(path.child("operator"), operator, "not a valid selector operator")
	}
	c.labelName(e.Get("key").String(), path.child("key"))
	if !strict {
		return
	}
	for i, value := range values.Items() {
		c.each(path.child("values").index(i), value.String(), validate.IsValidLabelValue(value.String()))
	}
}

func (c *check) nodeField(e tree.Node, path place) {
	values := e.Get("values")
	switch operator := e.Get("operator").String(); operator {
	case "In", "NotIn":
		if values.Len() != 1 {
			c.required(path.child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
		}
	default:
		c.invalid(path.child("operator"), operator, "not a valid selector operator")
	}
	if key := e.Get("key").String(); key != "metadata.name" {
		c.invalid(path.child("key"), key, "not a valid field selector key")
		return
	}
	for i, value := range values.Items() {
		c.each(path.child("values").index(i), value.String(), subdomain(value.String()))
	}
}

// podTerm checks one term of an affinity to pods.
func (c *check) podTerm(term tree.Node, path place) {
	selector := term.Get("labelSelector")
	for _, key := range []string{"labelSelector", "namespaceSelector"} {
		if s := term.Get(key); s.Exists() {
			c.selector(s, path.child(key))
		}
	}
	for _, namespace := range term.Get("namespaces").Items() {
		c.each(path.child("namespace"), namespace.String(), dnsLabel(namespace.String()))
	}
	match, mismatch := term.Get("matchLabelKeys"), term.Get("mismatchLabelKeys")
	c.matchKeys(match, selector, path.child("matchLabelKeys"))
	c.matchKeys(mismatch, selector, path.child("mismatchLabelKeys"))
	for i, key := range match.Items() {
		for _, other := range mismatch.Items() {
			if other.String() == key.String() {
				c.invalid(path.child("matchLabelKeys").index(i), key.String(), "exists in both matchLabelKeys and mismatchLabelKeys")
			}
		}
	}
	topology := term.Get("topologyKey").String()
	if topology == "" {
		c.required(path.child("topologyKey"), "can not be empty")
	}
	c.labelName(topology, path.child("topologyKey"))
}

// ValidateAffinityAddition tells whether the node affinity of a gated pod was changed in other ways than by
// adding requirements.
func ValidateAffinityAddition(is, was tree.Node, path string) field.ErrorList {
	c := &check{}
	before, after := was.At(requiredTerms, "nodeSelectorTerms"), is.At(requiredTerms, "nodeSelectorTerms")
	if before.Empty() {
		return nil
	}
	at := root(path).child(requiredTerms).child("nodeSelectorTerms")
	if before.Len() != after.Len() {
		c.invalid(at, after.Value(), "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
		return c.errs
	}
	for i, term := range before.Items() {
		if !extends(item(after, i), term) {
			c.invalid(at.index(i), item(after, i).Value(), "only additions are allowed (no mutations or deletions)")
		}
	}
	return c.errs
}

// extends tells whether a term has all that another has.
func extends(term, other tree.Node) bool {
	if other.Get("matchExpressions").Empty() && other.Get("matchFields").Empty() {
		return Same(term, other)
	}
	for _, list := range []string{"matchExpressions", "matchFields"} {
		if term.Get(list).Len() < other.Get(list).Len() {
			return false
		}
		for i, expression := range other.Get(list).Items() {
			if !Same(item(term.Get(list), i), expression) {
				return false
			}
		}
	}
	return true
}

func item(list tree.Node, index int) tree.Node {
	for i, n := range list.Items() {
		if i == index {
			return n
		}
	}
	return tree.Node{}
}
