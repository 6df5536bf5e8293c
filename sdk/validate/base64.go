package validate

import "strconv"

// Base64Error tells where a text is no base64.
type Base64Error int

func (e Base64Error) Error() string {
	return "illegal base64 data at input byte " + strconv.Itoa(int(e))
}

// Base64 checks bytes as JSON carries them (standard base64, padded), and returns how many they are, or a Base64Error. Line
// breaks count for nothing, as where Kubernetes decodes them. It decodes nothing, costs no memory, and of fuel little enough for
// values of a MiB.
func Base64(text string) (size int, err error) {
	n := 0
	for n+4 <= len(text) {
		four := text[n : n+4]
		if !(base64Chars[four[0]] && base64Chars[four[1]] && base64Chars[four[2]] && base64Chars[four[3]]) {
			break
		}
		n += 4
	}
	for n < len(text) && base64Chars[text[n]] {
		n++
	}
	switch rest := text[n:]; {
	case rest == "" && n%4 == 0, rest == "=" && n%4 == 3, rest == "==" && n%4 == 2:
		return n * 3 / 4, nil
	}
	s := base64Text{text: text}
	for {
		n, last, err := s.quantum()
		if size += n; err != nil || last {
			return size, err
		}
	}
}

// base64Text is a text with breaks or mistakes in it, and how far it has been read.
type base64Text struct {
	text string
	at   int
}

// quantum passes over the next four characters, which stand for up to three bytes.
func (s *base64Text) quantum() (size int, last bool, err error) {
	for j := 0; j < 4; j++ {
		s.skipBreaks()
		switch {
		case s.at == len(s.text) && j == 0:
			return 0, true, nil
		case s.at == len(s.text):
			return 0, true, Base64Error(s.at - j)
		case s.text[s.at] == '=':
			return s.padding(j)
		case !base64Chars[s.text[s.at]]:
			return 0, true, Base64Error(s.at)
		}
		s.at++
	}
	return 3, false, nil
}

// padding passes over what stands at the end in the place of the characters from j on.
func (s *base64Text) padding(j int) (size int, last bool, err error) {
	if j < 2 {
		return 0, true, Base64Error(s.at)
	}
	s.at++
	s.skipBreaks()
	if j == 2 {
		switch {
		case s.at == len(s.text):
			return 0, true, Base64Error(s.at)
		case s.text[s.at] != '=':
			return 0, true, Base64Error(s.at - 1)
		}
		s.at++
		s.skipBreaks()
	}
	if s.at < len(s.text) {
		return 0, true, Base64Error(s.at)
	}
	return j - 1, true, nil
}

func (s *base64Text) skipBreaks() {
	for s.at < len(s.text) && (s.text[s.at] == '\n' || s.text[s.at] == '\r') {
		s.at++
	}
}

// base64Chars are the characters that stand for six bits.
var base64Chars = func() (is [256]bool) {
	for i := range is {
		is[i] = isAlphaNum(byte(i)) || i == '+' || i == '/'
	}
	return is
}()
