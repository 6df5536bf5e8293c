package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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

// segment is one step of the path to the value in hand: a key, or an index where key is nil.
type segment struct {
	key   []byte
	index int
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
	// The key is remembered by its place in the input or output: out may move while the value is read.
	c.path[len(c.path)-1].key = append([]byte(nil), c.out[m.start+1:m.keyEnd-1]...)
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
			c.duplicate(key(m))
			continue
		}
		if len(c.scratch) > 0 {
			c.scratch = append(c.scratch, ',')
		}
		c.scratch = append(c.scratch, c.out[m.start:m.end]...)
	}
	c.out = append(c.out[:begin], c.scratch...)
}

// What is told of duplicate keys is bounded: a body can be made of nothing else.
const (
	maxDuplicates   = 100
	maxDuplicateKey = 256 // bytes of one key in a path
	maxDuplicateLen = 1024
)

// duplicate notes the path of a key that came before.
func (c *canonicalizer) duplicate(key []byte) {
	if len(c.duplicates) == maxDuplicates {
		return
	}
	c.path[len(c.path)-1].key = append([]byte(nil), key...)
	var path []byte
	for i, s := range c.path {
		if len(path) > maxDuplicateLen {
			path = append(path[:maxDuplicateLen], "…"...)
			break
		}
		if s.key == nil {
			path = fmt.Appendf(path, "[%d]", s.index)
			continue
		}
		if i > 0 {
			path = append(path, '.')
		}
		path = append(path, s.key[:min(len(s.key), maxDuplicateKey)]...)
	}
	if text := strings.ToValidUTF8(string(path), "…"); len(c.duplicates) == 0 || c.duplicates[len(c.duplicates)-1] != text {
		c.duplicates = append(c.duplicates, text)
	}
}

// number copies a number as it is written, provided that it fits a float64.
func (c *canonicalizer) number() error {
	end := numberEnd(c.in, c.pos)
	if end < 0 {
		return c.fail("invalid character in numeric literal")
	}
	text := c.in[c.pos:end]
	if len(text) > 300 || bytes.ContainsAny(text, "eE") {
		if _, err := strconv.ParseFloat(string(text), 64); err != nil {
			return c.fail("number %.40s is out of range", text)
		}
	}
	c.out = append(c.out, text...)
	c.pos = end
	return nil
}

// numberEnd returns where the number that begins at i ends, or -1 when it is malformed.
func numberEnd(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// text copies a string in its canonical form.
func (c *canonicalizer) text() error {
	c.pos++
	start := c.pos
	for c.pos < len(c.in) && c.in[c.pos] >= 0x20 && c.in[c.pos] != '"' && c.in[c.pos] != '\\' {
		c.pos++
	}
	if !utf8.Valid(c.in[start:c.pos]) {
		return c.fail("invalid UTF-8 in string")
	}
	c.out = append(append(c.out, '"'), c.in[start:c.pos]...)
	for c.pos < len(c.in) {
		switch b := c.in[c.pos]; {
		case b == '"':
			c.pos++
			c.out = append(c.out, '"')
			return nil
		case b == '\\':
			if err := c.escape(); err != nil {
				return err
			}
		case b < 0x20:
			return c.fail("invalid character %q in string literal", b)
		case b < utf8.RuneSelf:
			c.out = append(c.out, b)
			c.pos++
		default:
			r, n := utf8.DecodeRune(c.in[c.pos:])
			if r == utf8.RuneError && n == 1 {
				return c.fail("invalid UTF-8 in string")
			}
			c.out = append(c.out, c.in[c.pos:c.pos+n]...)
			c.pos += n
		}
	}
	return c.fail("unexpected end of JSON input")
}

// escape copies one escape sequence: as the character itself where that is allowed.
func (c *canonicalizer) escape() error {
	if c.pos+1 >= len(c.in) {
		return c.fail("unexpected end of JSON input")
	}
	const plain, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(plain, c.in[c.pos+1]); i >= 0 {
		c.out = appendRune(c.out, rune(meaning[i]))
		c.pos += 2
		return nil
	}
	r, ok := hex4(c.in, c.pos)
	if !ok {
		return c.fail("invalid character in string escape code")
	}
	c.pos += 6
	if utf16.IsSurrogate(r) {
		low, ok := hex4(c.in, c.pos)
		if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
			c.pos += 6
			r = pair
		} else {
			r = utf8.RuneError
		}
	}
	c.out = appendRune(c.out, r)
	return nil
}

// hex4 reads a \uXXXX escape at i.
func hex4(b []byte, i int) (rune, bool) {
	if i+6 > len(b) || b[i] != '\\' || b[i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[i+2:i+6]), 16, 32)
	return rune(n), err == nil
}

// appendRune appends one character of a string as the canonical form has it.
func appendRune(out []byte, r rune) []byte {
	const needs, short = "\"\\\b\f\n\r\t", `"\bfnrt`
	if r < utf8.RuneSelf {
		if i := strings.IndexByte(needs, byte(r)); i >= 0 {
			return append(out, '\\', short[i])
		}
		if r < 0x20 {
			return append(out, fmt.Sprintf(`\u%04x`, r)...)
		}
	}
	return utf8.AppendRune(out, r)
}
