package abitest

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

var validateUpdate = engine.HooksOf(engine.ValidateUpdate)

// brokenCall is an update of the status of a part that breaks the strategy in the named way.
func brokenCall(t *testing.T, what string) *engine.Call {
	t.Helper()
	call := partCall(t, `{"do":"`+what+`"}`)
	call.Request.Verb, call.Request.Subresource, call.Old = "update", "status", call.Object
	return call
}

func TestPanicsReachTheOperator(t *testing.T) {
	m := load(t, partWasm, host.Options{})
	s := strategy(m, "status")
	for what, want := range map[string]string{
		"panic":               "panic: the part p is broken",
		"panic with an error": "panic: the part is at fault",
		"index":               "panic: runtime error: slice bounds out of range [:1] with length 0",
		"nil":                 "panic: runtime error: invalid memory address or nil pointer dereference",
		"write":               "panic: ",
	} {
		before := m.Counts().Discarded
		_, err := s.Run(t.Context(), validateUpdate, brokenCall(t, what))
		failed := failure(t, err)
		if failed.Kind != engine.FailedTrap || failed.Plugin != "parts" || failed.Revision != "test@1" || failed.Hook != "ValidateUpdate" {
			t.Errorf("%s: %v", what, err)
		}
		text := err.Error()
		contains(t, text, want, "Broken.ValidateUpdate", "part/part.go:")
		if strings.Contains(text, "\n") || strings.Contains(text, "runtime.gopanic") || len(text) > 2000 {
			t.Errorf("%s: not trimmed: %s", what, text)
		}
		if m.Counts().Discarded != before+1 {
			t.Errorf("%s: the instance is kept", what)
		}
		if reply, err := s.Run(t.Context(), validateUpdate, brokenCall(t, "")); err != nil || len(reply.Errors) != 0 {
			t.Errorf("after %s: %v %v", what, reply.Errors, err)
		}
	}
}

func TestRunawaysAreStopped(t *testing.T) {
	s := strategy(load(t, partWasm, host.Options{Limits: host.Limits{FailingTime: time.Second}}), "status")
	for what, want := range map[string]string{
		"spin":    "it ran out of its budget of ",
		"recurse": "",
		"hoard":   "",
		"wait":    "",
	} {
		_, err := s.Run(t.Context(), validateUpdate, brokenCall(t, what))
		if failed := failure(t, err); failed.Kind != engine.FailedBudget && failed.Kind != engine.FailedTrap || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := s.Run(t.Context(), validateUpdate, brokenCall(t, "")); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
	}
}

// What a hook leaves running does not run in the next call, nor on its fuel.
func TestGoroutinesEndWithTheirCall(t *testing.T) {
	s := strategy(load(t, partWasm, host.Options{Reset: host.Reset{Every: 1}, Limits: host.Limits{Instances: 1}}), "status")
	_, first, err := s.Measure(t.Context(), validateUpdate, brokenCall(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), validateUpdate, brokenCall(t, "leave something running")); err != nil {
		failure(t, err)
	}
	for range 3 {
		if _, cost, err := s.Measure(t.Context(), validateUpdate, brokenCall(t, "")); err != nil || cost.Fuel != first.Fuel {
			t.Errorf("%d units, before %d (%v)", cost.Fuel, first.Fuel, err)
		}
	}
}

func TestErrorOfTheAuthor(t *testing.T) {
	m := load(t, partWasm, host.Options{})
	_, err := strategy(m, "status").Run(t.Context(), validateUpdate, brokenCall(t, "fail"))
	if failed := failure(t, err); failed.Kind != engine.FailedError || failed.Err.Error() != "the parts catalogue is closed" {
		t.Errorf("%v", err)
	}
	if c := m.Counts(); c.Discarded != 0 {
		t.Errorf("the instance was thrown away: %+v", c)
	}
}

func TestLogReachesTheServer(t *testing.T) {
	var out bytes.Buffer
	s := strategy(load(t, partWasm, host.Options{Log: slog.New(slog.NewTextHandler(&out, nil))}), "status")
	if _, err := s.Run(t.Context(), validateUpdate, brokenCall(t, "log")); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "level=INFO", `msg="looking at p"`, "plugin=parts", "revision=test@1", "resource=parts")
}
