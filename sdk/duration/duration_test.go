package duration

import (
	"testing"
	"time"
)

func TestHumanDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-5 * time.Second: "<invalid>", 0: "0s", 119 * time.Second: "119s", 125 * time.Second: "2m5s", 9 * time.Minute: "9m", 179 * time.Minute: "179m",
		3 * time.Hour: "3h", 7*time.Hour + 3*time.Minute: "7h3m", 47 * time.Hour: "47h", 50 * time.Hour: "2d2h", 10 * 24 * time.Hour: "10d", 800 * 24 * time.Hour: "2y70d", 9 * 365 * 24 * time.Hour: "9y",
	} {
		if got := HumanDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
