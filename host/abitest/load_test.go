package abitest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// wasm builds a plugin with the Go toolchain, from the folder of its module.
func wasm(module, folder string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "abitest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "plugin.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", out, folder)
	build.Dir = module
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

var (
	partWasm     = sync.OnceValues(func() ([]byte, error) { return wasm(".", "./guest") })
	crontabsWasm = sync.OnceValues(func() ([]byte, error) { return wasm("../../plugins", "./crontabs") })
)

// compiled keeps the code that the tests compile, so that each plugin is compiled once.
var compiled string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "abitest")
	if err != nil {
		panic(err)
	}
	compiled = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// load loads a plugin that was built, and closes it with the test.
func load(t testing.TB, built func() ([]byte, error), options host.Options) *host.Module {
	t.Helper()
	code, err := built()
	if err != nil {
		t.Fatal(err)
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.CacheDir = compiled
	m, err := host.Load(t.Context(), code, "test@1", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m
}

func strategy(m *host.Module, subresource string) *host.Strategy {
	r := m.Resources[0]
	if subresource == "" {
		return r.Strategy.(*host.Strategy)
	}
	return r.Subresource(subresource).Strategy.(*host.Strategy)
}

// partCall is a call for a part with the given spec.
func partCall(t testing.TB, spec string) *engine.Call {
	t.Helper()
	obj, _, err := engine.ParseObject([]byte(`{"apiVersion":"abi.example/v1","kind":"Part","metadata":{"name":"p","namespace":"default","uid":"u"},"spec":` + spec + `,"status":{"old":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &engine.Call{
		Request: &engine.RequestInfo{
			Verb: "create", Group: "abi.example", Version: "v1", Resource: "parts", Namespace: "default", Name: "p",
			User: engine.User{Name: "tester"}, Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
		},
		Object: obj,
	}
}

// failure is the error of a call that has to fail.
func failure(t *testing.T, err error) *engine.HookError {
	t.Helper()
	var failed *engine.HookError
	if !errors.As(err, &failed) {
		t.Fatalf("%v is not a HookError", err)
	}
	return failed
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q has no %q", text, part)
		}
	}
}
