package schema

import (
	"errors"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds on one Validate: how many errors it reports, and how many bytes it looks at, counting every look. A schema with
// ordinary rules looks at a byte once; allOf, anyOf, oneOf and not look again for each of their parts.
const (
	maxErrors   = 1000
	freeLooks   = 64 << 20
	looksByByte = 16
)

// errCostly reports rules that take too long to check.
var errCostly = errors.New("the rules of the schema are too costly for this object")

// Validate checks the rules of the schema that go beyond types: required fields, enums, limits, patterns, formats, unique
// elements, embedded resources, and combinations of them. The wording is that of CustomResourceDefinitions.
//
//   - The object must be one that Decode has accepted. Nothing is allocated when there is nothing to report, and
//     parts of the object that have no rules are passed over.
//   - Errors come in the order of the object, at most a thousand of them.
func (s *Schema) Validate(obj []byte) field.ErrorList {
	if !s.root.hasRules {
		return nil
	}
	v := validator{scanner: scanner{in: obj}, fuel: freeLooks + looksByByte*len(obj)}
	if err := v.value(s.root, nil); err != nil {
		return append(v.errs, field.InternalError(nil, err))
	}
	return v.distinct()
}

// noRules stands for the rules of a node that has none itself.
var noRules rules

// validator is one Validate under way.
type validator struct {
	scanner
	errs   field.ErrorList
	merged bool // errs may hold repetitions
	fuel   int  // looks that are left
}

// report remembers an error.
func (v *validator) report(err *field.Error) {
	if len(v.errs) < maxErrors {
		v.errs = append(v.errs, err)
	}
}

// burn accounts for looks.
func (v *validator) burn(looks int) error {
	if v.fuel -= looks; v.fuel < 0 {
		return errCostly
	}
	return nil
}

// value checks the value at hand and passes over it.
func (v *validator) value(n *node, at *frame) error {
	if !n.hasRules {
		return v.skip()
	}
	start, r := v.pos, n.rules
	if r == nil {
		r = &noRules
	}
	if fits, err := v.kind(r, at); !fits || err != nil {
		return err
	}
	if r.combined() {
		if err := v.junctors(r, at); err != nil {
			return err
		}
	}
	var err error
	switch v.peek() {
	case '{':
		err = v.object(n, r, at)
	case '[':
		err = v.array(n, r, at)
	case '"':
		err = v.checkText(r, at)
	case 't', 'f', 'n':
		err = v.skip()
	default:
		err = v.checkNumber(r, at)
	}
	if err == nil && r.enum != nil {
		v.checkEnum(r, v.in[start:v.pos], at)
	}
	return err
}

// place checks the value at hand, which stands at that use; nil: nothing is known of it.
func (v *validator) place(u *use, at *frame) error {
	switch {
	case u == nil:
		return v.skip()
	case v.peek() != 'n':
		return v.value(u.node, at)
	}
	start := v.pos
	if err := v.word("null"); err != nil {
		return err
	}
	if r := u.node.rules; r != nil && r.enum != nil {
		v.checkEnum(r, v.in[start:v.pos], at)
	} else if r != nil && r.kinds != 0 && !u.nullable {
		v.wrongType(r.kinds, "null", at)
	}
	return nil
}

func (v *validator) object(n *node, r *rules, at *frame) error {
	start := v.pos
	empty, err := v.enter('}')
	if err != nil {
		return err
	}
	here := frame{up: at}
	count, hint, next := 0, 0, 0
	for more := !empty; more; {
		if here.key, err = v.key(); err != nil {
			return err
		}
		count++
		next = v.missing(r, next, here.key, at)
		u := n.additional
		here.mapped = u != nil
		if p := n.find(here.key, &hint); p != nil {
			u, here.mapped = p.own, false
		}
		if err := v.place(u, &here); err != nil {
			return err
		}
		if more, err = v.more('}'); err != nil {
			return err
		}
	}
	v.missing(r, next, nil, at)
	v.checkProperties(r, int64(count), at)
	if r.embedded {
		return v.checkEmbedded(v.in[start:v.pos], at)
	}
	return nil
}

// missing reports the required fields, from the next one on, that would have come before key; all where there are no more
// keys. It returns the first one that comes after key.
func (v *validator) missing(r *rules, next int, key []byte, at *frame) int {
	for ; next < len(r.required); next++ {
		switch name := r.required[next]; {
		case key != nil && name > string(key):
			return next
		case key != nil && name == string(key):
			return next + 1
		default:
			v.report(field.Required(fieldPath(&frame{up: at, key: []byte(name)}), ""))
		}
	}
	return next
}

func (v *validator) array(n *node, r *rules, at *frame) error {
	empty, err := v.enter(']')
	if err != nil {
		return err
	}
	var few [fewElements][]byte
	elements := few[:0]
	here := frame{up: at}
	for more := !empty; more; here.index++ {
		start := v.pos
		if err := v.place(n.items, &here); err != nil {
			return err
		}
		if r.unique || r.list != atomicList {
			elements = append(elements, v.in[start:v.pos])
		}
		if more, err = v.more(']'); err != nil {
			return err
		}
	}
	v.checkItems(r, int64(here.index), at)
	return v.checkUnique(r, elements, at)
}
