package schema

import "regexp"

// rules are what a schema demands of a value beyond its type.
type rules struct {
	kinds kinds // inside allOf, anyOf, oneOf, not: the types that are taken; 0: all

	enum []enumValue

	minimum, maximum *bound
	multipleOf       *float64

	minLength, maxLength *int64
	pattern              *regexp.Regexp
	patternCost          int    // how many times a byte is looked at
	format               string // one that strings are checked for, see formats

	minItems, maxItems *int64
	unique             bool
	list               listType
	mapKeys            []string // as they stand between the quotes, sorted

	minProperties, maxProperties *int64
	required                     []string // as they stand between the quotes, sorted
	embedded                     bool

	allOf, anyOf, oneOf []*node
	not                 *node
}

// enumValue is one of the values that are taken.
type enumValue struct {
	raw  []byte // canonical
	text string // for messages
}

// bound is a minimum or maximum.
type bound struct {
	value     float64
	exclusive bool
}

// listType says how the elements of an array are told apart.
type listType uint8

const (
	atomicList listType = iota
	setList
	mapList
)

// empty tells whether nothing is demanded.
func (r *rules) empty() bool {
	return r.kinds == 0 && r.enum == nil && r.minimum == nil && r.maximum == nil && r.multipleOf == nil && r.minLength == nil &&
		r.maxLength == nil && r.pattern == nil && r.format == "" && r.minItems == nil && r.maxItems == nil && !r.unique &&
		r.list == atomicList && r.minProperties == nil && r.maxProperties == nil && r.required == nil && !r.embedded &&
		r.allOf == nil && r.anyOf == nil && r.oneOf == nil && r.not == nil
}
