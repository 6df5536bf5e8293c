package meter

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// goGuest is testdata/goguest as stock Go compiles it.
var goGuest = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "goguest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	wasm := filepath.Join(dir, "guest.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", wasm, ".")
	build.Dir = filepath.Join("testdata", "goguest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	return os.ReadFile(wasm)
})

func newGoRuntime(t testing.TB) (rt wazero.Runtime, wasm []byte) {
	wasm, err := goGuest()
	if err != nil {
		t.Fatal(err)
	}
	rt = newRuntime(t)
	wasi_snapshot_preview1.MustInstantiate(t.Context(), rt)
	return rt, wasm
}

func TestRewriteGoGuest(t *testing.T) {
	rt, wasm := newGoRuntime(t)
	const initial, budget = 50_000_000, 1 << 40
	m := rewrite(t, wasm, initial, Limits{})
	plain, metered, again := instantiate(t, rt, wasm), instantiate(t, rt, m.Wasm), instantiate(t, rt, m.Wasm)
	if left := fuelOf(metered).Get(); left >= initial || left < 0 {
		t.Fatalf("%d of %d left after _initialize", left, initial)
	}
	fuelOf(metered).Set(budget)
	fuelOf(again).Set(budget)
	for _, name := range []string{"fib", "encode", "order", "recovers", "channels"} {
		for _, arg := range []uint64{1, 7, 20} {
			want, got := call(plain, name, arg), call(metered, name, arg)
			call(again, name, arg)
			if got.result != want.result || got.trap != "" || want.trap != "" {
				t.Errorf("%s(%d): %d %q, want %d %q", name, arg, got.result, got.trap, want.result, want.trap)
			}
			if a, b := fuelOf(metered).Get(), fuelOf(again).Get(); a != b {
				t.Errorf("%s(%d): %d and %d left of the same budget", name, arg, a, b)
			}
		}
	}
}

func TestRewriteStopsGoGuest(t *testing.T) {
	rt, wasm := newGoRuntime(t)
	m := rewrite(t, wasm, 50_000_000, Limits{})
	for _, name := range []string{"spin", "recurse", "allocate"} {
		i := instantiate(t, rt, m.Wasm)
		fuelOf(i).Set(10_000_000)
		if o := call(i, name, 1); o.trap == "" || fuelOf(i).Get() >= 0 {
			t.Errorf("%s: trap %q with %d left, want out of fuel", name, o.trap, fuelOf(i).Get())
		}
	}
}

// Most jumps of Go's code have to be found and threaded: that is what pays for the metering.
func TestScanKnowsGoCode(t *testing.T) {
	_, wasm := newGoRuntime(t)
	threaded, heads, backs := countPoints(t, wasm)
	if threaded < 5*backs || heads > backs/20 {
		t.Errorf("%d threaded jumps, %d back edges, %d loops that pay at their head", threaded, backs, heads)
	}
}
