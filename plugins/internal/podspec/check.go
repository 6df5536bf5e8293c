package podspec

import (
	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/validate"
)

// check collects what is wrong with one spec.
type check struct {
	errs field.ErrorList
	pod  bool // a pod's spec, not a template's
	name string

	spec      tree.Node
	volumes   map[string]string // the valid ones, with their kind
	claims    []string
	grace     tree.Node
	restart   string
	hostUsers bool
}

func (c *check) add(err *field.Error) { c.errs = append(c.errs, err) }

func (c *check) required(path *field.Path, detail string) { c.add(field.Required(path, detail)) }

func (c *check) invalid(path *field.Path, value any, detail string) {
	c.add(field.Invalid(path, value, detail))
}

func (c *check) forbidden(path *field.Path, detail string) { c.add(field.Forbidden(path, detail)) }

func (c *check) duplicate(path *field.Path, value any) { c.add(field.Duplicate(path, value)) }

// each reports every message about one value.
func (c *check) each(path *field.Path, value any, messages []string) {
	for _, message := range messages {
		c.invalid(path, value, message)
	}
}

// nonnegative checks a number below path.
func (c *check) nonnegative(object tree.Node, key string, path *field.Path) {
	if n := object.Get(key); n.Int() < 0 {
		c.invalid(path.Child(key), n.Value(), validate.IsNegativeErrorMsg)
	}
}

// present requires a text below path.
func (c *check) present(object tree.Node, key string, path *field.Path) bool {
	if object.Get(key).String() == "" {
		c.required(path.Child(key), "")
		return false
	}
	return true
}

// one checks that a text is one of the valid ones.
func (c *check) one(text string, path *field.Path, valid ...string) {
	for _, v := range valid {
		if text == v {
			return
		}
	}
	c.add(field.NotSupported(path, text, valid))
}

// oneRequired is one for a text that must be there.
func (c *check) oneRequired(text string, path *field.Path, valid ...string) {
	if text == "" {
		c.required(path, "")
		return
	}
	c.one(text, path, valid...)
}

// optionalOne is one for a field that may be absent.
func (c *check) optionalOne(object tree.Node, key string, path *field.Path, valid ...string) {
	if n := object.Get(key); n.Exists() {
		c.one(n.String(), path.Child(key), valid...)
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
