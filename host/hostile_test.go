package host

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine"
)

// want is one line of what a hostile guest has to come to:
//
//	load STEP: TEXT                  Load refuses it at that step, with a text that contains TEXT
//	call HOOK+… KIND: TEXT           a call of these hooks fails in that way, with such a text
//	call HOOK+… ok: N errors, …      a call gives that reply
//	whole HOOK+… KIND: TEXT          the same of a call of a whole write
//	repeat HOOK+… KIND: TEXT         the same call is repeated until it fails
type want struct {
	verb, subject, text string
	hooks               engine.Hooks
}

func parseWant(t *testing.T, line string) want {
	t.Helper()
	head, text, ok := strings.Cut(line, ": ")
	verb, rest, ok2 := strings.Cut(head, " ")
	if !ok {
		head, ok = strings.TrimSuffix(line, " "), true
		verb, rest, ok2 = strings.Cut(head, " ")
	}
	if !ok2 {
		t.Fatalf("cannot read %q", line)
	}
	w := want{verb: verb, subject: rest, text: text}
	if verb == "load" {
		return w
	}
	names, kind, _ := strings.Cut(rest, " ")
	for _, name := range strings.Split(names, "+") {
		hook, known := engine.HookByName(name)
		if !known {
			t.Fatalf("no hook %q in %q", name, line)
		}
		w.hooks |= engine.HooksOf(hook)
	}
	w.subject = kind
	return w
}

// hostileGuest is one file of testdata/hostile.
type hostileGuest struct {
	name  string
	wasm  []byte
	wants []want
}

func hostileGuests(t *testing.T) (guests []hostileGuest) {
	t.Helper()
	texts, err := filepath.Glob("testdata/hostile/*.wat")
	if err != nil || len(texts) < 40 {
		t.Fatalf("%d guests, %v", len(texts), err)
	}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wasm, err := os.ReadFile(strings.TrimSuffix(path, ".wat") + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		g := hostileGuest{name: strings.TrimSuffix(filepath.Base(path), ".wat"), wasm: wasm}
		for line := range strings.Lines(string(text)) {
			if line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ";; want: "); ok {
				g.wants = append(g.wants, parseWant(t, line))
			}
		}
		if len(g.wants) == 0 {
			t.Fatalf("%s does not say what it has to come to", path)
		}
		guests = append(guests, g)
	}
	return guests
}

// Every hostile guest fails as it says, takes nothing with it but its instance, and the module goes on.
func TestHostileGuests(t *testing.T) {
	for _, g := range hostileGuests(t) {
		t.Run(g.name, func(t *testing.T) {
			m, err := Load(t.Context(), g.wasm, "hostile@1", Options{Reset: Reset{Every: Never}, Limits: Limits{FailingTime: time.Second}, Log: slog.New(slog.DiscardHandler)})
			if g.wants[0].verb == "load" {
				wantLoadError(t, err, g.wants[0])
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close(t.Context())
			strategy := m.Resources[0].Strategy.(*Strategy)
			wantGood(t, strategy)
			for _, w := range g.wants {
				wantCall(t, strategy, w)
				wantGood(t, strategy)
			}
		})
	}
}

func wantLoadError(t *testing.T, err error, w want) {
	t.Helper()
	var refused *LoadError
	if !errors.As(err, &refused) {
		t.Fatalf("loaded with %v, want a LoadError", err)
	}
	if text := refused.Err.Error(); refused.Step != w.subject || !strings.Contains(text, w.text) {
		t.Errorf("step %q: %s\nwant %q: %s", refused.Step, text, w.subject, w.text)
	}
	if text := err.Error(); utf8.RuneCountInString(text) > maxMessageRunes || !utf8.ValidString(text) {
		t.Errorf("an error of %d bytes: %.200q", len(text), text)
	}
}

// widget is the object that the hostile guests know; with padding the frame has more than 2000 bytes.
func widget(padding int) engine.Object {
	return engine.Object(`{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"creationTimestamp":"2024-01-01T00:00:00Z",` +
		`"managedFields":[{"manager":"a"}],"name":"w","namespace":"default","resourceVersion":"7","uid":"u-1"},"spec":{"x":"` + strings.Repeat("x", padding) + `"}}`)
}

func widgetCall(padding int) *engine.Call {
	obj := widget(padding)
	return &engine.Call{
		Request: &engine.RequestInfo{Verb: "create", Group: "hostile.example", Version: "v1", Resource: "widgets", Namespace: "default", Name: "w"},
		Object:  obj, Old: obj, Options: engine.Object(`{}`), Items: []engine.Object{obj, obj},
	}
}

// wantGood makes a call that every guest answers well.
func wantGood(t *testing.T, s *Strategy) {
	t.Helper()
	call := widgetCall(0)
	call.Items = nil
	reply, err := s.Run(t.Context(), engine.HooksOf(engine.Canonicalize), call)
	if err != nil || !bytes.Equal(reply.Object, call.Object) {
		t.Fatalf("a good call: %s, %v", reply.Object, err)
	}
}

func wantCall(t *testing.T, s *Strategy, w want) {
	t.Helper()
	before := s.module.Counts()
	var reply engine.Reply
	var err error
	for range 200 {
		if w.verb == "whole" {
			reply, _, err = s.RunWhole(t.Context(), w.hooks, widgetCall(2000))
		} else {
			reply, err = s.Run(t.Context(), w.hooks, widgetCall(2000))
		}
		if w.verb != "repeat" || err != nil {
			break
		}
	}
	discarded := s.module.Counts().Discarded - before.Discarded
	if w.subject == "ok" {
		runes := 0
		for _, warning := range reply.Warnings {
			runes += utf8.RuneCountInString(warning)
		}
		got := fmt.Sprintf("%d errors, %d warnings of %d runes", len(reply.Errors), len(reply.Warnings), runes)
		if err != nil || got != w.text || discarded != 0 {
			t.Errorf("%s, %v, %d discarded\nwant %s", got, err, discarded, w.text)
		}
		return
	}
	var failed *engine.HookError
	if !errors.As(err, &failed) {
		t.Fatalf("%v is not a HookError", err)
	}
	kinds := string(failed.Kind)
	if w.subject == "" { // recursion: fuel or stack, whichever is used up first
		kinds = ""
	}
	if kinds != w.subject || !strings.Contains(failed.Err.Error(), w.text) || failed.Plugin != "hostile" || failed.Revision != "hostile@1" {
		t.Errorf("%v\nwant %s: %s", err, w.subject, w.text)
	}
	for name := range strings.SplitSeq(failed.Hook, "+") {
		if hook, ok := engine.HookByName(name); !ok || !w.hooks.Has(hook) {
			t.Errorf("the error names hook %q", failed.Hook)
		}
	}
	kept := int64(0)
	if failed.Kind == engine.FailedError {
		kept = 1
	}
	if discarded != 1-kept {
		t.Errorf("%d instances thrown away", discarded)
	}
	if text := err.Error(); len(text) > 2*maxMessageRunes {
		t.Errorf("an error of %d bytes", len(text))
	}
}
