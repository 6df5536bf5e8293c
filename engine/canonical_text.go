package engine

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
	"github.com/stratagem-dev/stratagem/engine/internal/scan"
)

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
	c.out = append(c.out, '"')
	for {
		from := c.pos
		c.pos = scan.Plain(c.in, from)
		c.out = append(c.out, c.in[from:c.pos]...)
		switch b := c.peek(); {
		case b == '"':
			c.pos++
			c.out = append(c.out, '"')
			return nil
		case c.pos >= len(c.in):
			return c.fail("unexpected end of JSON input")
		case b == '\\':
			if err := c.escape(); err != nil {
				return err
			}
		case b < 0x20:
			return c.fail("invalid character %q in string literal", b)
		default:
			r, n := utf8.DecodeRune(c.in[c.pos:])
			if r == utf8.RuneError && n == 1 {
				return c.fail("invalid UTF-8 in string")
			}
			c.out = append(c.out, c.in[c.pos:c.pos+n]...)
			c.pos += n
		}
	}
}

// escape copies one escape sequence: as the character itself where that is allowed.
func (c *canonicalizer) escape() error {
	if c.pos+1 >= len(c.in) {
		return c.fail("unexpected end of JSON input")
	}
	const plain, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(plain, c.in[c.pos+1]); i >= 0 {
		c.out = jsontext.AppendRune(c.out, rune(meaning[i]))
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
	c.out = jsontext.AppendRune(c.out, r)
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

// quoted is s as a canonical JSON string.
func quoted(s string) []byte { return jsontext.AppendString(make([]byte, 0, len(s)+2), s) }

// unquote is the text of a canonical JSON string, or "" for any other value.
func unquote(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	return jsontext.Unquote(raw[1 : len(raw)-1])
}
