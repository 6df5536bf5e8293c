package schema

import "bytes"

// maxDepth is how deeply values may be nested. It is above what the canonical form allows.
const maxDepth = 1024

// scanner steps over canonical JSON.
type scanner struct {
	in    []byte
	pos   int
	depth int
}

func (s *scanner) fail() error { return &SyntaxError{Offset: s.pos} }

// peek is the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.in) {
		return s.in[s.pos]
	}
	return 0
}

// enter goes into an object or array. empty: it has been passed over already.
func (s *scanner) enter(end byte) (empty bool, err error) {
	if s.depth++; s.depth > maxDepth {
		return false, s.fail()
	}
	s.pos++
	if s.peek() != end {
		return false, nil
	}
	s.pos++
	s.depth--
	return true, nil
}

// more passes over the comma before the next member or element, or over the end.
func (s *scanner) more(end byte) (bool, error) {
	switch s.peek() {
	case ',':
		s.pos++
		return true, nil
	case end:
		s.pos++
		s.depth--
		return false, nil
	}
	return false, s.fail()
}

// key passes over a key and its colon, and returns the text between the quotes.
func (s *scanner) key() ([]byte, error) {
	start := s.pos
	if s.peek() != '"' {
		return nil, s.fail()
	}
	if err := s.text(); err != nil {
		return nil, err
	}
	key := s.in[start+1 : s.pos-1]
	if s.peek() != ':' {
		return nil, s.fail()
	}
	s.pos++
	return key, nil
}

// text passes over a string.
func (s *scanner) text() error {
	for i := s.pos + 1; i < len(s.in); i++ {
		n := bytes.IndexByte(s.in[i:], '"')
		if n < 0 {
			break
		}
		i += n
		slashes := 0
		for s.in[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 { // an odd number of backslashes makes the quote part of the string
			s.pos = i + 1
			return nil
		}
	}
	return s.fail()
}

// number passes over a number and returns its text.
func (s *scanner) number() ([]byte, error) {
	start := s.pos
	for ; s.pos < len(s.in); s.pos++ {
		switch c := s.in[s.pos]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			continue
		}
		break
	}
	if s.pos == start {
		return nil, s.fail()
	}
	return s.in[start:s.pos], nil
}

// word passes over true, false or null.
func (s *scanner) word(w string) error {
	if len(s.in)-s.pos < len(w) || string(s.in[s.pos:s.pos+len(w)]) != w {
		return s.fail()
	}
	s.pos += len(w)
	return nil
}

// skip passes over a value, whatever it is.
func (s *scanner) skip() (err error) {
	switch s.peek() {
	case '"':
		return s.text()
	case '{', '[':
		return s.skipNested()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	_, err = s.number()
	return err
}

// skipNested passes over an object or array by its brackets alone.
func (s *scanner) skipNested() error {
	for open := 0; s.pos < len(s.in); {
		switch s.in[s.pos] {
		case '"':
			if err := s.text(); err != nil {
				return err
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		if s.pos++; open == 0 {
			return nil
		}
	}
	return s.fail()
}

// end makes sure that nothing follows.
func (s *scanner) end() error {
	if s.pos != len(s.in) {
		return s.fail()
	}
	return nil
}
