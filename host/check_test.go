package host

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
)

// check checks a module and closes it.
func check(t *testing.T, wasm []byte) []Finding {
	t.Helper()
	findings, m, err := Check(t.Context(), wasm, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if m != nil {
		defer m.Close(context.Background())
	}
	return findings
}

// What Load refuses fails at the step that found out, with the same text, and nothing behind it is tried.
func TestCheckFindsWhatLoadRefuses(t *testing.T) {
	for _, g := range hostileGuests(t) {
		if g.wants[0].verb != "load" {
			continue
		}
		findings := check(t, g.wasm)
		at := slices.IndexFunc(findings, func(f Finding) bool { return f.Verdict == Failed })
		if at < 0 || findings[at].Rule != g.wants[0].subject || !strings.Contains(findings[at].Detail, g.wants[0].text) || Conforms(findings) {
			t.Errorf("%s: %+v", g.name, findings)
			continue
		}
		for i, f := range findings {
			if i < at && f.Verdict != Passed || i > at && f.Verdict != Skipped {
				t.Errorf("%s: %+v", g.name, f)
			}
		}
	}
}

// No guest whose hooks misbehave passes, and the hook that does is named.
func TestCheckCallsTheHooks(t *testing.T) {
	details := map[string]string{
		"convert_nothing": "hook widgets Convert: malformed reply: it has 0 items, not 1", "element_out_of_range": "hook widgets Validate: wasm error: invalid table access",
		"endless_loop": "hook widgets Validate: it ran out of its budget",
	}
	for _, g := range hostileGuests(t) {
		if g.wants[0].verb == "load" {
			continue
		}
		findings := check(t, g.wasm)
		if Conforms(findings) {
			t.Errorf("%s passes: %+v", g.name, findings)
		}
		want, named := details[g.name]
		delete(details, g.name)
		if named && !slices.ContainsFunc(findings, func(f Finding) bool {
			return f.Verdict == Failed && strings.HasPrefix(f.Rule+": "+f.Detail, want)
		}) {
			t.Errorf("%s: %+v, want %s", g.name, findings, want)
		}
	}
	if len(details) > 0 {
		t.Errorf("no guests %v", details)
	}
}

// A guest that keeps a count is pristine each time, so the same call comes to the same.
func TestCheckBeginsFromTheSnapshot(t *testing.T) {
	wasm, err := os.ReadFile("testdata/guests/counts.wasm")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range check(t, wasm) {
		if strings.HasPrefix(f.Rule, "hook ") && f.Verdict != Passed {
			t.Errorf("%+v", f)
		}
	}
}
