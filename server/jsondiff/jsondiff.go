// Package jsondiff tells two JSON documents apart as a JSON patch (RFC 6902).
package jsondiff

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Operation is one step of a patch: add, remove or replace.
type Operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"` // a JSON pointer
	Value json.RawMessage `json:"value,omitempty"`
}

// Diff returns the operations that make after of before, none where they are equal.
//
//   - Keys are compared in their order, lists without what they begin and end with alike and the rest place by place.
//   - Numbers are compared by their text.
func Diff(before, after []byte) ([]Operation, error) {
	was, err := decode(before)
	if err != nil {
		return nil, err
	}
	is, err := decode(after)
	if err != nil {
		return nil, err
	}
	return value(nil, "", was, is), nil
}

func decode(data []byte) (tree any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return tree, decoder.Decode(&tree)
}

func value(ops []Operation, path string, was, is any) []Operation {
	switch is := is.(type) {
	case map[string]any:
		if was, ok := was.(map[string]any); ok {
			return object(ops, path, was, is)
		}
	case []any:
		if was, ok := was.([]any); ok {
			return list(ops, path, was, is)
		}
	}
	if reflect.DeepEqual(was, is) {
		return ops
	}
	return append(ops, Operation{"replace", path, raw(is)})
}

func object(ops []Operation, path string, was, is map[string]any) []Operation {
	keys := slices.Collect(maps.Keys(was))
	for key := range is {
		if _, had := was[key]; !had {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		old, had := was[key]
		now, has := is[key]
		below := path + "/" + escape(key)
		switch {
		case !has:
			ops = append(ops, Operation{Op: "remove", Path: below})
		case !had:
			ops = append(ops, Operation{"add", below, raw(now)})
		default:
			ops = value(ops, below, old, now)
		}
	}
	return ops
}

func list(ops []Operation, path string, was, is []any) []Operation {
	first := 0
	for first < len(was) && first < len(is) && reflect.DeepEqual(was[first], is[first]) {
		first++
	}
	wasEnd, isEnd := len(was), len(is)
	for wasEnd > first && isEnd > first && reflect.DeepEqual(was[wasEnd-1], is[isEnd-1]) {
		wasEnd, isEnd = wasEnd-1, isEnd-1
	}
	at := first
	for ; at < wasEnd && at < isEnd; at++ {
		ops = value(ops, path+"/"+strconv.Itoa(at), was[at], is[at])
	}
	for i := wasEnd - 1; i >= at; i-- {
		ops = append(ops, Operation{Op: "remove", Path: path + "/" + strconv.Itoa(i)})
	}
	for i := at; i < isEnd; i++ {
		ops = append(ops, Operation{"add", path + "/" + strconv.Itoa(i), raw(is[i])})
	}
	return ops
}

var escape = strings.NewReplacer("~", "~0", "/", "~1").Replace

// raw is a decoded value as JSON, with its text as it was.
func raw(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return json.RawMessage("null") // cannot be: it came from JSON
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}
