package schema

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// addRules compiles what a schema object demands beyond types.
func (c *compiler) addRules(n *node, doc keywordDoc) error {
	r := &rules{embedded: n.embedded}
	if c.logic > 0 && n.kinds != anyKind {
		r.kinds = n.kinds
	}
	for _, step := range []func(*rules, keywordDoc) error{numberRules, stringRules, listRules, objectRules, enumRule, c.junctors} {
		if err := step(r, doc); err != nil {
			return err
		}
	}
	r.format = checkedFormat(n)
	if !r.empty() {
		n.rules = r
	}
	return nil
}

func numberRules(r *rules, doc keywordDoc) (err error) {
	if r.minimum, err = doc.bound("minimum", "exclusiveMinimum"); err != nil {
		return err
	}
	if r.maximum, err = doc.bound("maximum", "exclusiveMaximum"); err != nil {
		return err
	}
	if r.multipleOf, err = doc.number("multipleOf"); err != nil {
		return err
	}
	if r.multipleOf != nil && *r.multipleOf <= 0 {
		return fail(doc.path+"/multipleOf", "must be positive")
	}
	return nil
}

func (doc keywordDoc) bound(keyword, exclusive string) (*bound, error) {
	excluded, err := doc.flag(exclusive)
	if err != nil {
		return nil, err
	}
	value, err := doc.number(keyword)
	if value == nil || err != nil {
		return nil, err
	}
	return &bound{*value, excluded}, nil
}

func stringRules(r *rules, doc keywordDoc) (err error) {
	if r.minLength, err = doc.count("minLength"); err != nil {
		return err
	}
	if r.maxLength, err = doc.count("maxLength"); err != nil {
		return err
	}
	pattern, err := doc.text("pattern")
	if pattern == "" || err != nil {
		return err
	}
	if r.pattern, err = regexp.Compile(pattern); err == nil {
		r.patternCost, err = patternCost(pattern)
	}
	if err != nil {
		return fail(doc.path+"/pattern", "must be a valid regular expression, but isn't: %v", err)
	}
	return nil
}

// patternCost estimates how costly a pattern is: at worst, every byte meets every instruction of the compiled pattern.
func patternCost(pattern string) (int, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

func listRules(r *rules, doc keywordDoc) (err error) {
	if r.minItems, err = doc.count("minItems"); err != nil {
		return err
	}
	if r.maxItems, err = doc.count("maxItems"); err != nil {
		return err
	}
	if r.unique, err = doc.flag("uniqueItems"); err != nil {
		return err
	}
	kind, err := doc.text("x-kubernetes-list-type")
	if err != nil {
		return err
	}
	if r.mapKeys, err = doc.keys("x-kubernetes-list-map-keys"); err != nil {
		return err
	}
	switch kind {
	case "", "atomic":
	case "set":
		r.list = setList
	case "map":
		r.list = mapList
		if len(r.mapKeys) == 0 {
			return fail(doc.path+"/x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
		}
	default:
		return fail(doc.path+"/x-kubernetes-list-type", "%q is not one of atomic, map, set", kind)
	}
	return nil
}

func objectRules(r *rules, doc keywordDoc) (err error) {
	if r.minProperties, err = doc.count("minProperties"); err != nil {
		return err
	}
	if r.maxProperties, err = doc.count("maxProperties"); err != nil {
		return err
	}
	r.required, err = doc.keys("required")
	return err
}

// keys is the value of a keyword that takes an array of field names, as they stand between the quotes, sorted; or nil.
func (doc keywordDoc) keys(keyword string) ([]string, error) {
	names, err := doc.texts(keyword)
	if len(names) == 0 || err != nil {
		return nil, err
	}
	for i := range names {
		names[i] = jsontext.Inner(names[i])
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func enumRule(r *rules, doc keywordDoc) error {
	values, err := doc.list("enum")
	if err != nil {
		return err
	}
	for i, value := range values {
		raw, err := jsontext.AppendTree(nil, value)
		if err != nil {
			return fail(doc.path+"/enum/"+strconv.Itoa(i), "%v", err)
		}
		text := string(raw)
		if s, ok := value.(string); ok {
			text = s
		}
		r.enum = append(r.enum, enumValue{raw, text})
	}
	return nil
}

// junctors compiles allOf, anyOf, oneOf and not.
func (c *compiler) junctors(r *rules, doc keywordDoc) (err error) {
	c.logic++
	defer func() { c.logic-- }()
	for keyword, into := range map[string]*[]*node{"allOf": &r.allOf, "anyOf": &r.anyOf, "oneOf": &r.oneOf} {
		branches, err := doc.list(keyword)
		if err != nil {
			return err
		}
		for i, branch := range branches {
			u, err := c.use(branch, doc.path+"/"+keyword+"/"+strconv.Itoa(i))
			if err != nil {
				return err
			}
			*into = append(*into, u.node)
		}
	}
	if branch, ok := doc.members["not"]; ok {
		u, err := c.use(branch, doc.path+"/not")
		if err != nil {
			return err
		}
		r.not = u.node
	}
	return nil
}
