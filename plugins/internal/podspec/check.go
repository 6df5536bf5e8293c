package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/labels"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// check collects what is wrong with one spec.
type check struct {
	errs field.ErrorList
	pod  bool // a pod's spec, not a template's
	name string

	spec      tree.Node
	old       tree.Node         // the spec before an update
	volumes   map[string]string // the valid ones, with their kind
	claims    []string
	grace     tree.Node
	restart   string
	hostUsers bool
}

// report files an error, which has no path yet.
func (c *check) report(path place, err *field.Error) {
	err.Field = path.String()
	c.errs = append(c.errs, err)
}

func (c *check) required(path place, detail string) { c.report(path, field.Required(nil, detail)) }

func (c *check) invalid(path place, value any, detail string) {
	c.report(path, field.Invalid(nil, value, detail))
}

func (c *check) forbidden(path place, detail string) { c.report(path, field.Forbidden(nil, detail)) }

func (c *check) duplicate(path place, value any) { c.report(path, field.Duplicate(nil, value)) }

// each reports every message about one text.
func (c *check) each(path place, value string, messages []string) {
	for _, message := range messages {
		c.invalid(path, value, message)
	}
}

// eachOf reports every message about one value.
func (c *check) eachOf(path place, value tree.Node, messages []string) {
	for _, message := range messages {
		c.invalid(path, value.Value(), message)
	}
}

// labelName checks the key of a label.
func (c *check) labelName(name string, path place) {
	if !isPlainKey(name) {
		c.errs = append(c.errs, validate.LabelName(name, path.path())...)
	}
}

// labelMap checks an object of labels.
func (c *check) labelMap(object tree.Node, path place) {
	for key, value := range object.Fields() {
		if !isPlainKey(key) || !isPlainName(value.String()) {
			c.errs = append(c.errs, validate.Labels(object.StringMap(), path.path())...)
			return
		}
	}
}

// annotationMap checks an object of annotations.
func (c *check) annotationMap(object tree.Node, path place) {
	plain := len(object.Raw()) < 200<<10
	for key := range object.Fields() {
		plain = plain && isPlainKey(key)
	}
	if !plain {
		c.errs = append(c.errs, validate.Annotations(object.StringMap(), path.path())...)
	}
}

// selector checks a LabelSelector.
func (c *check) selector(selector tree.Node, path place) {
	if !selector.Empty() && !PlainSelector(selector) {
		c.errs = append(c.errs, labels.Validate(selector.Value(), path.path())...)
	}
}

// nonnegative checks a number below path.
func (c *check) nonnegative(object tree.Node, key string, path place) {
	if n := object.Get(key); n.Int() < 0 {
		c.invalid(path.child(key), n.Value(), validate.IsNegativeErrorMsg)
	}
}

// present requires a text below path.
func (c *check) present(object tree.Node, key string, path place) bool {
	if object.Get(key).String() == "" {
		c.required(path.child(key), "")
		return false
	}
	return true
}

// one checks that a text is one of the valid ones.
func (c *check) one(text string, path place, valid ...string) {
	for _, v := range valid {
		if text == v {
			return
		}
	}
	c.report(path, field.NotSupported(nil, text, valid))
}

// oneRequired is one for a text that must be there.
func (c *check) oneRequired(text string, path place, valid ...string) {
	if text == "" {
		c.required(path, "")
		return
	}
	c.one(text, path, valid...)
}

// optionalOne is one for a field that may be absent.
func (c *check) optionalOne(object tree.Node, key string, path place, valid ...string) {
	if n := object.Get(key); n.Exists() {
		c.one(n.String(), path.child(key), valid...)
	}
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
