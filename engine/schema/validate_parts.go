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
	if r.list == mapList {
		return v.checkMapKeys(r, elements, at)
	}
	identities := make([][]byte, len(elements))
	for i, element := range elements {
		identities[i] = identity(element)
	}
	again := duplicates(identities)
	if r.unique && len(again) > 0 {
		v.invalid(at, "", "shouldn't contain duplicates")
	}
	if r.list == setList {
		for _, i := range again {
			v.report(field.Duplicate(bracketPath(&frame{up: at, index: i}), badValue(elements[i])))
		}
	}
	return nil
}

// checkMapKeys checks that no two elements have the same keys. A key that an element has not got counts as well.
func (v *validator) checkMapKeys(r *rules, elements [][]byte, at *frame) error {
	keys, identities := make([][]byte, len(elements)), make([][]byte, len(elements))
	for i, element := range elements {
		var err error
		if keys[i], identities[i], err = r.mapKey(element); err != nil {
			return err
		}
	}
	for _, i := range duplicates(identities) {
		v.report(field.Duplicate(bracketPath(&frame{up: at, index: i}), json.RawMessage(keys[i])))
	}
	return nil
}

// mapKey returns the keys of an element as an object, and what has to be equal for them to be equal.
func (r *rules) mapKey(element []byte) (key, id []byte, err error) {
	s := scanner{in: element}
	if s.peek() != '{' {
		return []byte("{}"), nil, nil
	}
	empty, err := s.enter('}')
	key = []byte{'{'}
	for more := !empty; more && err == nil; more, err = s.more('}') {
		name, err := s.key()
		if err != nil {
			return nil, nil, err
		}
		start := s.pos
		if err := s.skip(); err != nil {
			return nil, nil, err
		}
		if _, isKey := slices.BinarySearch(r.mapKeys, string(name)); isKey {
			value := element[start:s.pos]
			key = slices.Concat(key, []byte{'"'}, name, []byte(`":`), value, []byte{','})
			id = slices.Concat(id, name, []byte{'"'}, identity(value), []byte{','})
		}
	}
	return append(bytes.TrimSuffix(key, []byte{','}), '}'), id, err
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

// duplicates returns the index of the second of each group of equal values.
func duplicates(values [][]byte) (second []int) {
	if len(values) <= 16 {
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
