package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/labels"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// The two strengths of an affinity.
const (
	requiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

func (c *check) affinity(path *field.Path) {
	affinity := c.spec.Get("affinity")
	if affinity.Empty() {
		return
	}
	if node := affinity.Get("nodeAffinity"); node.Exists() {
		c.nodeAffinity(node, path.Child("nodeAffinity"))
	}
	for _, key := range []string{"podAffinity", "podAntiAffinity"} {
		pods := affinity.Get(key)
		for i, term := range pods.Get(requiredTerms).Items() {
			c.podTerm(term, path.Child(key, requiredTerms).Index(i))
		}
		for i, term := range pods.Get(preferredTerms).Items() {
			at := path.Child(key, preferredTerms).Index(i)
			c.weight(term, at)
			c.podTerm(term.Get("podAffinityTerm"), at.Child("podAffinityTerm"))
		}
	}
}

func (c *check) weight(term tree.Node, path *field.Path) {
	if weight := term.Get("weight").Int(); weight <= 0 || weight > 100 {
		c.invalid(path.Child("weight"), weight, "must be in the range 1-100")
	}
}

func (c *check) nodeAffinity(affinity tree.Node, path *field.Path) {
	if required := affinity.Get(requiredTerms); required.Exists() {
		terms, at := required.Get("nodeSelectorTerms"), path.Child(requiredTerms, "nodeSelectorTerms")
		if terms.Empty() {
			c.required(at, "must have at least one node selector term")
		}
		for i, term := range terms.Items() {
			c.nodeTerm(term, at.Index(i), true)
		}
	}
	for i, term := range affinity.Get(preferredTerms).Items() {
		at := path.Child(preferredTerms).Index(i)
		c.weight(term, at)
		c.nodeTerm(term.Get("preference"), at.Child("preference"), false)
	}
}

// nodeTerm checks one term; the values of labels only where strict.
func (c *check) nodeTerm(term tree.Node, path *field.Path, strict bool) {
	for i, expression := range term.Get("matchExpressions").Items() {
		c.nodeExpression(expression, path.Child("matchExpressions").Index(i), strict)
	}
	for i, expression := range term.Get("matchFields").Items() {
		c.nodeField(expression, path.Child("matchFields").Index(i))
	}
}

func (c *check) nodeExpression(e tree.Node, path *field.Path, strict bool) {
	values := e.Get("values")
	switch operator := e.Get("operator").String(); operator {
	case "In", "NotIn":
		if values.Empty() {
			c.required(path.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case "Exists", "DoesNotExist":
		if !values.Empty() {
			c.forbidden(path.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	case "Gt", "Lt":
		if values.Len() != 1 {
			c.required(path.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'")
		}
	default:
		c.invalid(path.Child("operator"), operator, "not a valid selector operator")
	}
	c.errs = append(c.errs, validate.LabelName(e.Get("key").String(), path.Child("key"))...)
	if !strict {
		return
	}
	for i, value := range values.Items() {
		c.each(path.Child("values").Index(i), value.String(), validate.IsValidLabelValue(value.String()))
	}
}

func (c *check) nodeField(e tree.Node, path *field.Path) {
	values := e.Get("values")
	switch operator := e.Get("operator").String(); operator {
	case "In", "NotIn":
		if values.Len() != 1 {
			c.required(path.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
		}
	default:
		c.invalid(path.Child("operator"), operator, "not a valid selector operator")
	}
	if key := e.Get("key").String(); key != "metadata.name" {
		c.invalid(path.Child("key"), key, "not a valid field selector key")
		return
	}
	for i, value := range values.Items() {
		c.each(path.Child("values").Index(i), value.String(), subdomain(value.String()))
	}
}

// podTerm checks one term of an affinity to pods.
func (c *check) podTerm(term tree.Node, path *field.Path) {
	selector := term.Get("labelSelector")
	for _, key := range []string{"labelSelector", "namespaceSelector"} {
		if s := term.Get(key); s.Exists() {
			c.errs = append(c.errs, labels.Validate(s.Value(), path.Child(key))...)
		}
	}
	for _, namespace := range term.Get("namespaces").Items() {
		c.each(path.Child("namespace"), namespace.String(), validate.IsDNS1123Label(namespace.String()))
	}
	match, mismatch := term.Get("matchLabelKeys"), term.Get("mismatchLabelKeys")
	c.matchKeys(match, selector, path.Child("matchLabelKeys"))
	c.matchKeys(mismatch, selector, path.Child("mismatchLabelKeys"))
	for i, key := range match.Items() {
		for _, other := range mismatch.Items() {
			if other.String() == key.String() {
				c.invalid(path.Child("matchLabelKeys").Index(i), key.String(), "exists in both matchLabelKeys and mismatchLabelKeys")
			}
		}
	}
	topology := term.Get("topologyKey").String()
	if topology == "" {
		c.required(path.Child("topologyKey"), "can not be empty")
	}
	c.errs = append(c.errs, validate.LabelName(topology, path.Child("topologyKey"))...)
}

// ValidateAffinityAddition tells whether the node affinity of a gated pod was changed in other ways than by
// adding requirements.
func ValidateAffinityAddition(is, was tree.Node, path *field.Path) field.ErrorList {
	c := &check{}
	before, after := was.At(requiredTerms, "nodeSelectorTerms"), is.At(requiredTerms, "nodeSelectorTerms")
	if before.Empty() {
		return nil
	}
	at := path.Child(requiredTerms, "nodeSelectorTerms")
	if before.Len() != after.Len() {
		c.invalid(at, after.Value(), "no additions/deletions to non-empty NodeSelectorTerms list are allowed")
		return c.errs
	}
	for i, term := range before.Items() {
		if !extends(item(after, i), term) {
			c.invalid(at.Index(i), item(after, i).Value(), "only additions are allowed (no mutations or deletions)")
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
