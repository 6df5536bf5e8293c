package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func (v *validator) checkProperties(r *rules, count int64, at *frame) {
	if r.minProperties != nil && count < *r.minProperties {
		v.invalid(at, count, "should have at least %d properties", *r.minProperties)
	}
	if r.maxProperties != nil && count > *r.maxProperties {
		v.report(field.TooMany(fieldPath(at), int(count), int(*r.maxProperties)))
	}
}

func (v *validator) checkItems(r *rules, count int64, at *frame) {
	if r.minItems != nil && count < *r.minItems {
		v.invalid(at, count, "should have at least %d items", *r.minItems)
	}
	if r.maxItems != nil && count > *r.maxItems {
		v.report(field.TooMany(fieldPath(at), int(count), int(*r.maxItems)))
	}
}

// checkUnique checks that no two elements of an array are the same by its list type.
func (v *validator) checkUnique(r *rules, elements [][]byte, at *frame) error {
	if len(elements) < 2 {
		return nil
	}
	var few [fewElements][]byte
	identities := append(few[:0], elements...)
	for i, element := range elements {
		var err error
		if r.list != mapList {
			identities[i] = identity(element)
		} else if identities[i], err = r.mapKey(element, false); err != nil {
			return err
		}
	}
	for n, i := range duplicates(identities) {
		if r.unique && n == 0 {
			v.invalid(at, "", "shouldn't contain duplicates")
		}
		switch r.list {
		case setList:
			v.report(field.Duplicate(bracketPath(&frame{up: at, index: i}), badValue(elements[i])))
		case mapList:
			key, err := r.mapKey(elements[i], true)
			if err != nil {
				return err
			}
			v.report(field.Duplicate(bracketPath(&frame{up: at, index: i}), json.RawMessage(key)))
		}
	}
	return nil
}

// mapKey returns what is equal for elements with equal keys, or, when it is to be shown, the keys as an object. A key that
// an element has not got counts as well.
func (r *rules) mapKey(element []byte, show bool) (key []byte, err error) {
	s := scanner{in: element}
	empty := s.peek() != '{'
	if !empty {
		if empty, err = s.enter('}'); err != nil {
			return nil, err
		}
	}
	for more := !empty; more; {
		name, err := s.key()
		if err != nil {
			return nil, err
		}
		start := s.pos
		if err := s.skip(); err != nil {
			return nil, err
		}
		value := element[start:s.pos]
		switch _, isKey := slices.BinarySearch(r.mapKeys, string(name)); {
		case !isKey:
		case show:
			key = slices.Concat(key, []byte(`,"`), name, []byte(`":`), value)
		case len(r.mapKeys) == 1:
			return identity(value), nil
		default:
			if key == nil {
				key = make([]byte, 0, len(element))
			}
			key = append(append(append(append(key, name...), '"'), identity(value)...), ',')
		}
		if more, err = s.more('}'); err != nil {
			return nil, err
		}
	}
	if show {
		key = slices.Concat([]byte{'{'}, bytes.TrimPrefix(key, []byte{','}), []byte{'}'})
	}
	return key, nil
}

// identity is equal for values that are equal to Kubernetes: floats may be written in several ways.
func identity(raw []byte) []byte {
	if !isNumber(raw) || isDigits(raw) && len(raw) < 19 && string(raw) != "-0" {
		return raw
	}
	if i, isInt := number(raw).(int64); isInt {
		return strconv.AppendInt(nil, i, 10)
	}
	f, _ := number(raw).(float64)
	return strconv.AppendFloat([]byte("float "), f, 'g', -1, 64)
}

// fewElements is how many elements are compared with each other, without a map.
const fewElements = 16

// duplicates returns the index of the second of each group of equal values.
func duplicates(values [][]byte) (second []int) {
	if len(values) <= fewElements {
		for i := range values {
			equal := 0
			for j := range i {
				if bytes.Equal(values[i], values[j]) {
					equal++
				}
			}
			if equal == 1 {
				second = append(second, i)
			}
		}
		return second
	}
	seen := make(map[string]int, len(values))
	for i, value := range values {
		if seen[string(value)]++; seen[string(value)] == 2 {
			second = append(second, i)
		}
	}
	return second
}
