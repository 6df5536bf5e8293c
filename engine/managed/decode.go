package managed

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// errFields reports fields that are no FieldsV1.
var errFields = errors.New("the fields are not FieldsV1")

// decode reads a set of fields from FieldsV1 at i and returns its root, and where it ends. plain tells whether it would be
// written in the same way.
//
//   - Kinds of path elements that are not known are left out, as Kubernetes does.
//   - The error is errFields, or says what a path element has that it may not.
func (t *tree) decode(in []byte, i int) (root int32, plain bool, end int, err error) {
	root = t.push(0, nil)
	d := fieldsDecoder{t, in, true}
	if end, err = d.set(root, i); err == nil && t.nodes[root].flags != 0 {
		d.plain = d.plain && t.nodes[root].first != 0
		t.nodes[root].flags = 0
	}
	return root, d.plain || end-i == 2, end, err
}

// fieldsDecoder is one decode under way.
type fieldsDecoder struct {
	*tree
	in    []byte
	plain bool
}

// set reads what is below a node, and returns where it ends. A node with nothing below it is in the set itself.
func (d *fieldsDecoder) set(at int32, i int) (end int, err error) {
	if classOf(d.in, i) != isMap {
		if classOf(d.in, i) == isNull {
			d.plain, d.nodes[at].flags = false, owned
			return valueEnd(d.in, i), nil
		}
		return 0, errFields
	}
	i++
	below := false
	for i < len(d.in) && d.in[i] != '}' {
		key, value, ok := member(d.in, i)
		if !ok {
			return 0, errFields
		}
		step := false
		if step, end, err = d.member(at, key, value); err != nil {
			return 0, err
		}
		below = below || step
		i = after(d.in, end)
	}
	if !below {
		d.plain = d.plain && d.nodes[at].flags == 0
		d.nodes[at].flags = owned
	}
	return pastClose(d.in, i), nil
}

// member reads one member of a set. step tells whether it is one below the node.
func (d *fieldsDecoder) member(at int32, key []byte, value int) (step bool, end int, err error) {
	if string(key) == "." {
		d.nodes[at].flags = owned
		end = valueEnd(d.in, value)
		d.plain = d.plain && end-value == 2 && d.in[value] == '{'
		return false, end, nil
	}
	kind, text, err := pathElement(key)
	if err != nil {
		return false, 0, err
	}
	if kind == 0 {
		d.plain = false
		return false, valueEnd(d.in, value), nil
	}
	d.plain = d.plain && bytes.Equal(text, key[2:])
	end, err = d.set(d.place(at, kind, text), value)
	return true, end, err
}

// place finds or makes the node of a path element. They come in order, but for those that were written in an odd way.
func (d *fieldsDecoder) place(at int32, kind byte, key []byte) int32 {
	child := d.push(kind, key)
	last := d.nodes[at].last
	if last == 0 || compare(&d.nodes[last], &d.nodes[child]) < 0 {
		d.link(at, child)
		return child
	}
	d.plain = false
	before := int32(0)
	for c := d.nodes[at].first; c != 0; before, c = c, d.nodes[c].next {
		order := compare(&d.nodes[c], &d.nodes[child])
		if order == 0 {
			return c
		}
		if order > 0 {
			d.nodes[child].next = c
			break
		}
	}
	if before == 0 {
		d.nodes[at].first = child
	} else {
		d.nodes[before].next = child
	}
	return child
}

// pathElement reads a key of FieldsV1, as it stands between the quotes. kind is 0 for one that is to be left out.
func pathElement(raw []byte) (kind byte, key []byte, err error) {
	if len(raw) > 0 && raw[0] == '\\' {
		if s := jsontext.Unquote(raw); len(s) < 2 || s[1] != ':' {
			return 0, nil, fmt.Errorf("missing colon: %v", s)
		}
		return 0, nil, nil
	}
	if len(raw) < 2 {
		//lint:ignore ST1005 the text of structured-merge-diff
		return 0, nil, errors.New("key must be 2 characters long:")
	}
	if raw[1] != ':' {
		return 0, nil, fmt.Errorf("missing colon: %s", raw)
	}
	kind, key = raw[0], raw[2:]
	switch kind {
	case 'f':
		return kind, key, nil
	case 'i':
		_, err := strconv.Atoi(string(key))
		return kind, key, err
	case 'k', 'v':
		if !plainElement(kind, key) {
			key, err = oddElement(kind, key)
		}
		return kind, key, err
	}
	return 0, nil, nil
}

// plainElement tells whether the keys or the value of an element are written as this package writes them. It may say no to some
// that are.
func plainElement(kind byte, key []byte) bool {
	i := 0
	if kind == 'v' {
		i = plainScalar(key, 0)
		return i == len(key)
	}
	if len(key) < 2 || key[0] != '{' {
		return false
	}
	var last []byte
	for i = 1; ; i++ {
		end := plainScalar(key, i)
		if end < 0 || key[i] != '\\' || end >= len(key) || key[end] != ':' || last != nil && string(last) >= string(key[i:end]) {
			return false
		}
		last = key[i:end]
		if i = plainScalar(key, end+1); i < 0 || i >= len(key) {
			return false
		}
		if key[i] == '}' {
			return i+1 == len(key)
		}
		if key[i] != ',' {
			return false
		}
	}
}

// plainScalar returns where a scalar without escapes ends, or -1.
func plainScalar(b []byte, i int) int {
	if i+1 < len(b) && b[i] == '\\' && b[i+1] == '"' {
		for i += 2; i < len(b) && b[i] != '\\' && b[i] >= 0x20 && b[i] < 0x7f && b[i] != '<' && b[i] != '>' && b[i] != '&'; i++ {
		}
		if i+1 < len(b) && b[i] == '\\' && b[i+1] == '"' {
			return i + 2
		}
		return -1
	}
	start := i
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || i == start && b[i] == '-') {
		i++
	}
	switch n := i - start; {
	case n == 0:
		for _, word := range [...]string{"true", "false"} {
			if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
				return i + len(word)
			}
		}
		return -1
	case n > 16 || b[start] == '-' || b[start] == '0' && n > 1:
		return -1
	}
	return i
}

// oddElement brings the keys or the value of an element into the form that this package writes.
func oddElement(kind byte, raw []byte) ([]byte, error) {
	var value any
	if err := kjson.Unmarshal([]byte(jsontext.Unquote(raw)), &value); err != nil {
		return nil, err
	}
	if _, isMap := value.(map[string]any); kind == 'k' && !isMap {
		return nil, errors.New("the keys of an element must be an object")
	}
	plain, err := jsontext.AppendTree(nil, value)
	if err != nil {
		return nil, err
	}
	return appendElementText(nil, plain), nil
}

// appendElementText appends a canonical value as it stands in a key of FieldsV1: as JSON in a JSON string.
func appendElementText(out, raw []byte) []byte {
	escaped := make([]byte, 0, len(raw)+8)
	for _, r := range string(raw) {
		switch r {
		case '<', '>', '&', '\u2028', '\u2029': // as Kubernetes' encoder writes them
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		default:
			escaped = append(escaped, string(r)...)
		}
	}
	return jsontext.AppendInner(out, string(escaped))
}
