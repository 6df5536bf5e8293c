package host

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/host/meter"
)

// guestFile reads an assembled guest.
func guestFile(t testing.TB, path string) []byte {
	t.Helper()
	wasm, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func withSection(t *testing.T, wasm []byte, data string) []byte {
	t.Helper()
	out, err := meter.AppendCustomSection(wasm, openAPISection, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What cannot be said in the text format is refused as well.
func TestLoadRefuses(t *testing.T) {
	good := guestFile(t, "testdata/guests/counts.wasm")
	marked := `{"type":"object","x-kubernetes-group-version-kind":[{"group":"hostile.example","version":"v1","kind":"Widget"}]}`
	second := withSection(t, []byte("\x00asm\x01\x00\x00\x00"), "{}")[8:]
	for name, c := range map[string]struct {
		wasm       []byte
		limits     Limits
		step, text string
	}{
		"nothing":               {nil, Limits{}, "wasm", ""},
		"text":                  {[]byte("(module)"), Limits{}, "wasm", ""},
		"a component":           {[]byte("\x00asm\x0d\x00\x01\x00"), Limits{}, "wasm", ""},
		"the first half":        {good[:len(good)/2], Limits{}, "wasm", ""},
		"bytes behind it":       {append(bytes.Clone(good), 1, 2, 3), Limits{}, "wasm", ""},
		"a large file":          {good, Limits{ModuleBytes: 100}, "size", "at most 100 are allowed"},
		"a large description":   {good, Limits{DescribeBytes: 10}, "describe", "at most 10 are allowed"},
		"a large section":       {withSection(t, good, strings.Repeat(" ", 1000)), Limits{DescribeBytes: 999}, "describe", "custom section stratagem.openapi has 1000 bytes, at most 999 are allowed"},
		"a section in YAML":     {withSection(t, good, "components: {}"), Limits{}, "describe", "custom section stratagem.openapi: invalid character"},
		"a component of 5":      {withSection(t, good, `{"components":{"schemas":{"A":5}}}`), Limits{}, "describe", "component A"},
		"a kind with two":       {withSection(t, good, `{"components":{"schemas":{"A":`+marked+`,"B":`+marked+`}}}`), Limits{}, "describe", "is the kind of two components, A and B"},
		"a section two times":   {append(withSection(t, good, "{}"), second...), Limits{}, "wasm", "second section"},
		"a bad component":       {withSection(t, good, `{"components":{"schemas":{"A\"":`+strings.Replace(marked, "object", "subject", 1)+`}}}`), Limits{}, "describe", "schema"},
		"too much time":         {good, Limits{LoadTime: 1}, "", "deadline exceeded"},
		"a memory that is full": {good, Limits{MemoryPages: 3}, "wasm", ""},
	} {
		m, err := Load(t.Context(), c.wasm, "test@1", Options{Limits: c.limits})
		var refused *LoadError
		if !errors.As(err, &refused) || c.step != "" && refused.Step != c.step || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %s: %s", name, err, c.step, c.text)
		}
		if m != nil {
			t.Errorf("%s: a module comes with the error", name)
		}
	}
}

// A component with the kind's mark is the schema of a version without one, whatever its name.
func TestLoadFindsTheSchema(t *testing.T) {
	good := guestFile(t, "testdata/guests/counts.wasm")
	section := `{"components":{"schemas":{"io.example.Widget":{"type":"object","properties":{"spec":{"type":"object"}},` +
		`"x-kubernetes-group-version-kind":[{"group":"hostile.example","version":"v1","kind":"Widget"}]}}}}`
	m, err := Load(t.Context(), withSection(t, good, section), "test@1", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(t.Context())
	if m.Resources[0].Versions[0].Schema == nil {
		t.Error("the version has no schema")
	}
	plain, err := Load(t.Context(), good, "test@1", Options{})
	if err != nil || plain.Resources[0].Versions[0].Schema != nil || plain.Digest == m.Digest {
		t.Errorf("without a section: %v, digests %s and %s", err, plain.Digest, m.Digest)
	}
}

// Compiled code is kept in the folder, and used when the same module comes again.
func TestLoadUsesTheCache(t *testing.T) {
	good := guestFile(t, "testdata/guests/counts.wasm")
	dir := t.TempDir()
	for range 2 {
		m, err := Load(t.Context(), good, "test@1", Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
		t.Errorf("the folder is empty: %v", err)
	}
	if _, err := Load(t.Context(), good, "test@1", Options{CacheDir: "/dev/null/x"}); err == nil {
		t.Error("a folder that cannot be is taken")
	}
}
