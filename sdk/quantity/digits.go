package quantity

// increment adds one to a decimal number.
func increment(digits string) string {
	d := []byte(digits)
	for i := len(d) - 1; i >= 0; i-- {
		if d[i] != '9' {
			d[i]++
			return string(d)
		}
		d[i] = '0'
	}
	return "1" + string(d)
}

// shiftLeft multiplies a decimal number by 2^bits; bits is a multiple of ten.
func shiftLeft(digits string, bits int) string {
	d := []byte(digits)
	for ; bits > 0; bits -= 10 {
		carry := 0
		for i := len(d) - 1; i >= 0; i-- {
			carry += int(d[i]-'0') << 10
			d[i] = byte('0' + carry%10)
			carry /= 10
		}
		for ; carry > 0; carry /= 10 {
			d = append([]byte{byte('0' + carry%10)}, d...)
		}
	}
	return string(d)
}
