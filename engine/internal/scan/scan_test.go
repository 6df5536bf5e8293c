package scan

import (
	"math/rand/v2"
	"testing"
)

func TestPlainStopsAtTheFirstByteThatIsNot(t *testing.T) {
	const bytes = "ab ~\x7f\x1f\x00\n\"\\\x80\xff\xe9{}"
	random := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			if b[i] = 'x'; random.IntN(8) == 0 {
				b[i] = bytes[random.IntN(len(bytes))]
			}
		}
		from := random.IntN(len(b) + 1)
		want := from
		for want < len(b) && b[want] >= ' ' && b[want] < 0x80 && b[want] != '"' && b[want] != '\\' {
			want++
		}
		if got := Plain(b, from); got != want {
			t.Fatalf("%q from %d: got %d, want %d", b, from, got, want)
		}
	}
}
