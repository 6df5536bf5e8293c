package validate

func isLower(c byte) bool    { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool    { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isLowerNum(c byte) bool { return isLower(c) || isDigit(c) }
func isAlpha(c byte) bool    { return isLower(c) || isUpper(c) }
func isAlphaNum(c byte) bool { return isAlpha(c) || isDigit(c) }

func all(s string, is func(byte) bool) bool {
	for i := 0; i < len(s); i++ {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

// framed tells whether s is not empty, begins with first, ends with last and has only inner between.
func framed(s string, first, inner, last func(byte) bool) bool {
	n := len(s)
	return n > 0 && first(s[0]) && last(s[n-1]) && (n < 3 || all(s[1:n-1], inner))
}
