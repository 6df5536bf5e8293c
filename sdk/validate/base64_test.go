package validate

import (
	"encoding/base64"
	"strings"
	"testing"
)

// What Base64 says is what encoding/base64 says of the same text.
func FuzzBase64(f *testing.F) {
	for _, text := range []string{
		"", "YQ==", "YWI=", "YWJj", "YWJjZA==", "Y", "YQ", "YQ=", "YWI", "=", "Y===", "YQ==YQ==", "YQ==\n", "YQ=\n=", "Y\nQ\r\n==", "YR==", "a-_b", "YWJj!", "!",
		"YQ=x", "YQ=\nx", "YWI=\n\n=", "YWJj\n\n", "\n\n", "YW\x00=", "é", "YQ==x", "YWJjZ", "YWJj\nZ", "YWJjZ\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := Base64(text)
		decoded, wanted := base64.StdEncoding.DecodeString(text)
		switch {
		case (err == nil) != (wanted == nil):
			t.Errorf("%q: %v, want %v", text, err, wanted)
		case err != nil && err.Error() != wanted.Error():
			t.Errorf("%q: %v, want %v", text, err, wanted)
		case err == nil && size != len(decoded):
			t.Errorf("%q: %d bytes, want %d", text, size, len(decoded))
		}
	})
}

func TestBase64CostsNoMemory(t *testing.T) {
	long := strings.Repeat("YWJj", 100_000)
	if n := testing.AllocsPerRun(3, func() { _, _ = Base64(long) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
