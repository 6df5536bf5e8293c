package engine

import (
	"bytes"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine/internal/scan"
)

// isCanonical tells whether data is one JSON value in canonical form, without writing anything. It may
// say no to a canonical value (one with rare escapes or exponents), never yes to another one.
func isCanonical(data []byte) bool {
	s := scanner{in: data}
	return s.value(0) && s.pos == len(data) && (!s.foreign || utf8.Valid(data))
}

type scanner struct {
	in      []byte
	pos     int
	foreign bool // not all is ASCII
}

func (s *scanner) value(depth int) bool {
	if depth > MaxDepth || s.pos >= len(s.in) {
		return false
	}
	switch b := s.in[s.pos]; b {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case '"':
		_, ok := s.text()
		return ok
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		end := numberEnd(s.in, s.pos)
		if end < 0 || end-s.pos > 300 || bytes.ContainsAny(s.in[s.pos:end], "eE") {
			return false
		}
		s.pos = end
		return true
	}
}

func (s *scanner) word(w string) bool {
	if !bytes.HasPrefix(s.in[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

// next consumes b if it is the next byte.
func (s *scanner) next(b byte) bool {
	if s.pos < len(s.in) && s.in[s.pos] == b {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) array(depth int) bool {
	if s.pos++; s.next(']') {
		return true
	}
	for s.value(depth + 1) {
		if s.next(']') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
	return false
}

func (s *scanner) object(depth int) bool {
	if s.pos++; s.next('}') {
		return true
	}
	var last []byte
	for first := true; ; first = false {
		if s.pos >= len(s.in) || s.in[s.pos] != '"' {
			return false
		}
		key, ok := s.text()
		if !ok || !first && bytes.Compare(last, key) >= 0 || !s.next(':') || !s.value(depth+1) {
			return false
		}
		last = key
		if s.next('}') {
			return true
		}
		if !s.next(',') {
			return false
		}
	}
}

// text passes over a string; of the escapes it knows only the short ones that the canonical form uses.
func (s *scanner) text() (content []byte, ok bool) {
	s.pos++
	start := s.pos
	for {
		if s.pos = scan.Plain(s.in, s.pos); s.pos >= len(s.in) {
			return nil, false
		}
		switch b := s.in[s.pos]; {
		case b == '"':
			s.pos++
			return s.in[start : s.pos-1], true
		case b == '\\':
			if s.pos+1 >= len(s.in) || !bytes.ContainsRune([]byte(`"\bfnrt`), rune(s.in[s.pos+1])) {
				return nil, false
			}
			s.pos += 2
		case b < 0x20:
			return nil, false
		default:
			s.foreign = true
			s.pos++
		}
	}
}

// skipValue returns where the value at i ends, in bytes that are canonical.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for ; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = skipString(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return i
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// skipString returns where the string at i ends, in bytes that are canonical.
func skipString(b []byte, i int) int { return scan.StringEnd(b, i) }
