package host

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
)

//go:generate sh testdata/assemble.sh

// The assembled guests are those of the texts.
func TestGuestsAreAssembled(t *testing.T) {
	for _, folder := range []string{"testdata/hostile", "testdata/guests"} {
		sums, err := os.ReadFile(filepath.Join(folder, "SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]string{}
		for scanner := bufio.NewScanner(bytes.NewReader(sums)); scanner.Scan(); {
			sum, path, _ := strings.Cut(scanner.Text(), "  ")
			known[filepath.Base(path)] = sum
		}
		texts, err := filepath.Glob(filepath.Join(folder, "*.wat"))
		if err != nil || len(texts) == 0 {
			t.Fatalf("%d guests in %s, %v", len(texts), folder, err)
		}
		for _, path := range texts {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, sum := filepath.Base(path), sha256.Sum256(text)
			if known[name] != hex.EncodeToString(sum[:]) {
				t.Errorf("%s has changed since it was assembled: go generate", path)
			}
			delete(known, name)
		}
		if len(known) > 0 {
			t.Errorf("%s: assembled without a text: %v", folder, known)
		}
	}
}

// load loads a guest of testdata/guests and closes it with the test.
func load(t testing.TB, name string, options Options) *Strategy {
	t.Helper()
	wasm, err := os.ReadFile("testdata/guests/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	m, err := Load(t.Context(), wasm, name+"@1", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m.Resources[0].Strategy.(*Strategy)
}

var warn = engine.HooksOf(engine.WarningsOnCreate)

// warningOf calls WarningsOnCreate for an object of that size in the namespace, and returns its only warning.
func warningOf(t testing.TB, s *Strategy, namespace string, padding int) string {
	t.Helper()
	call := widgetCall(padding)
	call.Items, call.Request.Namespace = nil, namespace
	reply, err := s.Run(t.Context(), warn, call)
	if err != nil || len(reply.Warnings) > 1 {
		t.Fatalf("%q, %v", reply.Warnings, err)
	}
	return strings.Join(reply.Warnings, "")
}
