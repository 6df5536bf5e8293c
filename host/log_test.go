package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestLogBudget(t *testing.T) {
	var b logBudget
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		after             time.Duration
		bytes, suppressed int
		ok                bool
	}{
		{0, 80, 0, true},
		{0, 21, 0, false},
		{0, 30, 0, false},
		{6 * time.Second, 30, 51, true}, // a tenth of a minute brings ten bytes
		{0, 1, 0, false},
		{time.Hour, 100, 1, true}, // never more than a minute's worth
		{0, 1, 0, false},
	} {
		now = now.Add(c.after)
		if suppressed, ok := b.take(c.bytes, 100, now); suppressed != c.suppressed || ok != c.ok {
			t.Errorf("step %d: %d suppressed, %v; want %d, %v", i, suppressed, ok, c.suppressed, c.ok)
		}
	}
}

func TestLogLines(t *testing.T) {
	var out bytes.Buffer
	s := load(t, "logs", Options{Limits: Limits{LogBytesPerMinute: 15, LogBytes: 6}, Log: slog.New(slog.NewTextHandler(&out, nil))})
	for range 5 {
		if _, err := s.Run(t.Context(), warn, widgetCall(0)); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `level=WARN msg="all\x01 w" plugin=hostile revision=logs@1 resource=widgets droppedBytes=4`) {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}
