package meter

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

//go:generate sh -c "for f in testdata/*/*.wat; do wat2wasm $DOLLAR{f} -o $DOLLAR{f%.wat}.wasm; done"

// guests are the modules of one folder of testdata, by name.
func guests(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.wat"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no guests in %s: %v", folder, err)
	}
	found := map[string][]byte{}
	for _, p := range paths {
		wasm, err := os.ReadFile(strings.TrimSuffix(p, ".wat") + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		found[strings.TrimSuffix(filepath.Base(p), ".wat")] = wasm
	}
	return found
}

func rewrite(t testing.TB, wasm []byte, initialFuel int64, limits Limits) *Module {
	t.Helper()
	m, err := Rewrite(wasm, initialFuel, limits)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newRuntime(t testing.TB) wazero.Runtime {
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithMemoryLimitPages(1024)
	rt := wazero.NewRuntimeWithConfig(context.Background(), config)
	t.Cleanup(func() { rt.Close(context.Background()) })
	return rt
}

func instantiate(t testing.TB, rt wazero.Runtime, wasm []byte) api.Module {
	t.Helper()
	ctx, ready := withAllocator(bytes.Contains(wasm, []byte(FuelExport)))
	i, err := rt.InstantiateWithConfig(ctx, wasm,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	ready(i)
	return i
}

// pages is a memory that refuses what a guest asks for to give way, as a host's has to.
type pages struct {
	bytes []byte
	slice api.Global
	turns int
}

// withAllocator has an instance use such a memory; ready makes it known to it.
func withAllocator(metered bool) (ctx context.Context, ready func(api.Module)) {
	p := &pages{}
	allocator := experimental.MemoryAllocatorFunc(func(_, most uint64) experimental.LinearMemory {
		if metered && most < maxPages<<16 {
			most -= 1 << 16 // which the module did not have
		}
		p.bytes = make([]byte, 0, min(most, 1024<<16))
		return p
	})
	return experimental.WithMemoryAllocator(context.Background(), allocator), func(i api.Module) { p.slice = i.ExportedGlobal(FuelExport) }
}

func (p *pages) Reallocate(size uint64) []byte {
	if p.slice != nil && int64(p.slice.Get()) == YieldMark {
		p.turns++
		return nil
	}
	if size > uint64(cap(p.bytes)) {
		return nil
	}
	p.bytes = p.bytes[:size]
	return p.bytes
}

func (p *pages) Free() {}

// tank is the fuel of an instance, as a host fills and reads it.
type tank struct{ slice, reserve api.MutableGlobal }

func fuelOf(i api.Module) tank {
	return tank{i.ExportedGlobal(FuelExport).(api.MutableGlobal), i.ExportedGlobal(ReserveExport).(api.MutableGlobal)}
}

func (t tank) Get() int64 { return int64(t.slice.Get() + t.reserve.Get()) }

// Set fills the tank, with the first slice as small as it goes: what follows is taken from the reserve.
func (t tank) Set(fuel int64) {
	t.slice.Set(0)
	t.reserve.Set(uint64(fuel))
}

// outcome is all that can be seen of a call.
type outcome struct {
	result uint64
	trap   string // first line of the error
	memory string
}

func call(i api.Module, function string, args ...uint64) (o outcome) {
	results, err := i.ExportedFunction(function).Call(context.Background(), args...)
	if err != nil {
		o.trap, _, _ = strings.Cut(err.Error(), "\n")
	}
	if len(results) > 0 {
		o.result = results[0]
	}
	if m := i.ExportedMemory("memory"); m != nil {
		content, _ := m.Read(0, m.Size())
		o.memory = string(bytes.TrimRight(content, "\x00"))
	}
	return o
}

func TestRewriteStopsGuests(t *testing.T) {
	const budget = 1_000_000
	rt := newRuntime(t)
	for name, wasm := range guests(t, "stopped") {
		t.Run(name, func(t *testing.T) {
			m := rewrite(t, wasm, budget, Limits{})
			left := make([]int64, 2)
			for round := range left {
				i := instantiate(t, rt, m.Wasm)
				depthOf(i).Set(math.MaxInt32)
				o := call(i, "run")
				left[round] = fuelOf(i).Get()
				if !strings.Contains(o.trap, "unreachable") || left[round] >= 0 {
					t.Fatalf("trap %q with %d left, want out of fuel", o.trap, left[round])
				}
				if name == "memory_fill" && o.memory != "" || name == "memory_copy" && o.memory != "\x00\x01" {
					t.Errorf("memory was written before it was paid for")
				}
			}
			if left[0] != left[1] {
				t.Errorf("%d and %d left of the same budget", left[0], left[1])
			}
		})
	}
}

func TestRewriteStopsStart(t *testing.T) {
	start := sec(secStart, 0)
	m := rewrite(t, mod(oneType, oneFunction, start, code(opLoop, typeEmpty, opBr, 0, opEnd)), 1000, Limits{})
	_, err := newRuntime(t).Instantiate(context.Background(), m.Wasm)
	if err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Fatalf("error %v, want unreachable", err)
	}
}

func TestRewriteKeepsResults(t *testing.T) {
	const budget = 1 << 40
	rt := newRuntime(t)
	for name, wasm := range guests(t, "equal") {
		t.Run(name, func(t *testing.T) {
			m := rewrite(t, wasm, budget, Limits{})
			sliced := rewrite(t, wasm, budget, Limits{Slice: 10})
			plain, metered, again := instantiate(t, rt, wasm), instantiate(t, rt, m.Wasm), instantiate(t, rt, sliced.Wasm)
			for _, arg := range []uint64{0, 1, 2, 3, 5, 6, 7, 27, 255, 1023, 97_531, 1<<31 - 1, 1<<32 - 1} {
				want := call(plain, "run", arg)
				if got := call(metered, "run", arg); got != want {
					t.Errorf("run(%d): %v, want %v", arg, got, want)
				}
				call(again, "run", arg)
				if a, b := fuelOf(metered).Get(), fuelOf(again).Get(); a != b || a < 0 {
					t.Errorf("run(%d): %d and %d left of the same budget", arg, a, b)
				}
			}
		})
	}
}

// The host decides by the fuel left whether a trap was the guest's own.
func TestRewriteTellsTrapsApart(t *testing.T) {
	wasm := mod(oneType, oneFunction, sec(secExport, 1, "run", 0, 0), code(opLoop, typeEmpty, opUnreachable, opBr, 0, opEnd))
	i := instantiate(t, newRuntime(t), rewrite(t, wasm, 0, Limits{}).Wasm)
	for _, budget := range []int64{0, 1, 2, 1000} {
		fuelOf(i).Set(budget)
		o := call(i, "run")
		if left := fuelOf(i).Get(); o.trap == "" || (left < 0) != (budget < 2) {
			t.Errorf("budget %d: trap %q with %d left", budget, o.trap, left)
		}
	}
}

func TestRewriteExportsGlobals(t *testing.T) {
	m := rewrite(t, guests(t, "equal")["globals"], 1000, Limits{})
	want := "stratagem.global.0 stratagem.global.2 stratagem.global.3 stratagem.global.4"
	if got := strings.Join(m.Globals, " "); got != want {
		t.Fatalf("globals %s, want %s", got, want)
	}
	i := instantiate(t, newRuntime(t), m.Wasm)
	if i.ExportedGlobal("counter") == nil {
		t.Error("the module's own export of a global is gone")
	}
	var snapshot []uint64
	for _, name := range m.Globals {
		snapshot = append(snapshot, i.ExportedGlobal(name).Get())
	}
	first := call(i, "run", 21)
	if changed := call(i, "run", 21); changed == first {
		t.Fatal("a second call does not differ: the test shows nothing")
	}
	for n, name := range m.Globals {
		i.ExportedGlobal(name).(api.MutableGlobal).Set(snapshot[n])
	}
	if again := call(i, "run", 21); again != first {
		t.Errorf("from the snapshot: %v, want %v", again, first)
	}
}
