package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
)

// MaxDepth is how deeply a JSON value may be nested.
const MaxDepth = 512

// SyntaxError reports bytes that are not acceptable JSON.
type SyntaxError struct {
	Offset int
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

// Canonical returns the canonical form of one JSON value: valid UTF-8, compact, keys sorted by their bytes,
// strings with the fewest escapes, numbers as they were written. Of duplicate keys the last one wins,
// as in Kubernetes; their paths ("spec.replicas") are returned.
//
//   - Input that is canonical already is returned as it is, without a copy.
//   - Any error is a *SyntaxError.
func Canonical(data []byte) (out []byte, duplicates []string, err error) {
	if isCanonical(data) {
		return data, nil, nil
	}
	c := canonicalizer{in: data, out: make([]byte, 0, len(data))}
	c.space()
	if err = c.value(0); err == nil {
		if c.space(); c.pos < len(c.in) {
			err = c.fail("invalid character after top-level value")
		}
	}
	if err != nil {
		return nil, nil, familiar(data, err)
	}
	return c.out, c.duplicates, nil
}

// familiar prefers the words that encoding/json has for a syntax error, since clients know them.
func familiar(data []byte, err error) error {
	var known *json.SyntaxError
	var ours *SyntaxError
	if errors.As(err, &ours) && errors.As(json.Unmarshal(data, new(json.RawMessage)), &known) {
		return &SyntaxError{Offset: int(known.Offset), Reason: known.Error()}
	}
	return err
}

// canonicalizer writes the canonical form of in to out.
type canonicalizer struct {
	in         []byte
	pos        int
	out        []byte
	path       []segment
	members    []member // of all open objects, a stack
	scratch    []byte
	duplicates []string
}

// segment is one step of the path to the value in hand: a key, by its place in out, or an index where that is nowhere.
type segment struct {
	keyStart, keyEnd int
	index            int
}

// member is where one key and value of an open object stand in out.
type member struct{ start, keyEnd, end int }

func (c *canonicalizer) fail(format string, args ...any) error {
	return &SyntaxError{Offset: c.pos, Reason: fmt.Sprintf(format, args...) + fmt.Sprintf(" at offset %d", c.pos)}
}

func (c *canonicalizer) space() {
	for c.pos < len(c.in) {
		switch c.in[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end.
func (c *canonicalizer) peek() byte {
	if c.pos < len(c.in) {
		return c.in[c.pos]
	}
	return 0
}

func (c *canonicalizer) value(depth int) error {
	if depth > MaxDepth {
		return c.fail("exceeded the maximum nesting depth of %d", MaxDepth)
	}
	switch b := c.peek(); {
	case b == '{':
		return c.object(depth)
	case b == '[':
		return c.array(depth)
	case b == '"':
		return c.text()
	case b == '-' || b >= '0' && b <= '9':
		return c.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if bytes.HasPrefix(c.in[c.pos:], []byte(word)) {
			c.pos += len(word)
			c.out = append(c.out, word...)
			return nil
		}
	}
	if c.pos >= len(c.in) {
		return c.fail("unexpected end of JSON input")
	}
	return c.fail("invalid character %q looking for beginning of value", c.in[c.pos])
}

func (c *canonicalizer) array(depth int) error {
	c.pos++
	c.out = append(c.out, '[')
	c.path = append(c.path, segment{})
	defer func() { c.path = c.path[:len(c.path)-1] }()
	if c.space(); c.peek() == ']' {
		c.pos++
		c.out = append(c.out, ']')
		return nil
	}
	for {
		c.space()
		if err := c.value(depth + 1); err != nil {
			return err
		}
		c.space()
		switch c.peek() {
		case ',':
			c.path[len(c.path)-1].index++
		case ']':
			c.pos++
			c.out = append(c.out, ']')
			return nil
		default:
			return c.fail("invalid character after array element")
		}
		c.pos++
		c.out = append(c.out, ',')
	}
}

func (c *canonicalizer) object(depth int) error {
	c.pos++
	c.out = append(c.out, '{')
	base, begin := len(c.members), len(c.out)
	c.path = append(c.path, segment{})
	defer func() {
		c.path = c.path[:len(c.path)-1]
		c.members = c.members[:base]
	}()
	if c.space(); c.peek() == '}' {
		c.pos++
		c.out = append(c.out, '}')
		return nil
	}
	for {
		if err := c.member(depth); err != nil {
			return err
		}
		c.space()
		switch c.peek() {
		case ',':
			c.pos++
			c.out = append(c.out, ',')
		case '}':
			c.pos++
			c.arrange(c.members[base:], begin)
			c.out = append(c.out, '}')
			return nil
		default:
			return c.fail("invalid character after object key:value pair")
		}
	}
}

func (c *canonicalizer) member(depth int) error {
	if c.space(); c.peek() != '"' {
		return c.fail("invalid character looking for beginning of object key string")
	}
	m := member{start: len(c.out)}
	if err := c.text(); err != nil {
		return err
	}
	m.keyEnd = len(c.out)
	// The key stays where it is until the object ends: then only are members moved.
	last := &c.path[len(c.path)-1]
	last.keyStart, last.keyEnd = m.start+1, m.keyEnd-1
	if c.space(); c.peek() != ':' {
		return c.fail("invalid character after object key")
	}
	c.pos++
	c.out = append(c.out, ':')
	c.space()
	if err := c.value(depth + 1); err != nil {
		return err
	}
	m.end = len(c.out)
	c.members = append(c.members, m)
	return nil
}

// arrange sorts the members that stand in out from begin on, and drops all but the last of equal keys.
func (c *canonicalizer) arrange(members []member, begin int) {
	key := func(m member) []byte { return c.out[m.start+1 : m.keyEnd-1] }
	sorted := true
	for i := 1; i < len(members) && sorted; i++ {
		sorted = bytes.Compare(key(members[i-1]), key(members[i])) < 0
	}
	if sorted {
		return
	}
	sort.SliceStable(members, func(i, j int) bool { return bytes.Compare(key(members[i]), key(members[j])) < 0 })
	c.scratch = c.scratch[:0]
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(key(m), key(members[i+1])) {
			c.duplicate(m)
			continue
		}
		if len(c.scratch) > 0 {
			c.scratch = append(c.scratch, ',')
		}
		c.scratch = append(c.scratch, c.out[m.start:m.end]...)
	}
	c.out = append(c.out[:begin], c.scratch...)
}
