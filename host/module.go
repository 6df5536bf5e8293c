package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host/meter"
)

// ABIVersion is the version of the guest ABI that the host speaks.
const ABIVersion = 1

// Options are what all modules of a host share.
type Options struct {
	// Limits bound each module.
	Limits Limits
	// CacheDir keeps compiled code between starts; "" keeps none. It must not be writable by others.
	CacheDir string
	// Metering is how runaway guests are stopped; the zero value is Fuel.
	Metering Metering
	// Reset is when an instance forgets what it has seen, unless its author asks for less and ResetAllowed allows it.
	Reset Reset
	// ResetAllowed is the fewest resets that an author may ask for in the description; the zero value is after every call.
	ResetAllowed Reset
	// Log takes what guests log; nil takes slog's default.
	Log *slog.Logger
	// Reader is what the module's guests may read of other objects; nil is nothing.
	Reader Reader
	// Metrics count what modules do; nil counts nothing.
	Metrics *Metrics
}

// Metering is how a runaway guest is stopped.
type Metering uint8

// The ways to stop a runaway guest. All but Fuel are there for benchmarks to compare with.
const (
	Fuel     Metering = iota // the module is rewritten to pay for what it runs
	Deadline                 // wazero's WithCloseOnContextDone and a deadline for each call
	Unbound                  // nothing stops it
)

// deadline is what a call may take under Deadline.
const deadline = 5 * time.Second

// Module is a loaded plugin: verified, compiled, described, ready to be called. It is safe for concurrent use.
type Module struct {
	Name      string // as it describes itself
	Version   string // the author's
	Digest    string // sha256 of the file, in hex
	Resources []*engine.Resource

	options  Options
	revision string
	runtime  wazero.Runtime
	cache    wazero.CompilationCache // nil without CacheDir
	compiled wazero.CompiledModule
	rewrite  *meter.Module // nil unless Metering is Fuel
	pool     *pool
	whole    bool // its guests take all hooks of a write in one call
	reset    Reset
	snapshot *snapshot // nil until warmUp has taken it, and for modules that have none

	logBudget                  logBudget
	failing                    failing
	pace                       pace
	startTime                  time.Duration // what a new instance takes
	metrics                    *moduleMetrics
	started, resets, discarded atomic.Int64
}

// Counts are what has become of a module's instances.
type Counts struct {
	Started, Resets, Discarded int64
}

// Counts are the module's since it was loaded.
func (m *Module) Counts() Counts {
	return Counts{m.started.Load(), m.resets.Load(), m.discarded.Load()}
}

// Digest is the name by which a module is addressed.
func Digest(wasm []byte) string {
	sum := sha256.Sum256(wasm)
	return hex.EncodeToString(sum[:])
}

// compile verifies what can be seen from outside and compiles the module, in a runtime of its own, so that closing
// the module frees all of it.
func compile(ctx context.Context, wasm []byte, options Options) (*Module, error) {
	limits := options.Limits
	if len(wasm) > limits.ModuleBytes {
		return nil, &LoadError{"size", exceeds(LimitModuleBytes, fmt.Errorf("the module has %d bytes, at most %d are allowed", len(wasm), limits.ModuleBytes))}
	}
	m := &Module{Digest: Digest(wasm), options: options}
	code := wasm
	if options.Metering == Fuel {
		rewritten, err := meter.Rewrite(wasm, limits.InitFuel, meter.Limits{})
		if err != nil {
			return nil, &LoadError{"wasm", err}
		}
		m.rewrite, code = rewritten, rewritten.Wasm
	}
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(wasmPages).
		WithCloseOnContextDone(options.Metering == Deadline).WithDebugInfoEnabled(true)
	if options.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(options.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("compilation cache %s: %w", options.CacheDir, err)
		}
		m.cache = cache
		config = config.WithCompilationCache(cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := m.link(ctx, code); err != nil {
		_ = m.free(context.WithoutCancel(ctx))
		return nil, err
	}
	return m, nil
}

// link provides the imports and compiles.
func (m *Module) link(ctx context.Context, code []byte) error {
	if err := instantiateWASI(ctx, m.runtime); err != nil {
		return err
	}
	if _, err := buildReads(buildLog(m.runtime.NewHostModuleBuilder("stratagem"))).Instantiate(ctx); err != nil {
		return err
	}
	compiled, err := m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), code)
	if err != nil {
		return &LoadError{"wasm", err}
	}
	m.compiled = compiled
	if err := verify(compiled); err != nil {
		return err
	}
	_, m.whole = compiled.ExportedFunctions()["stratagem_invoke_whole"]
	for _, memory := range compiled.ExportedMemories() {
		if least, most := memory.Min(), m.options.Limits.MemoryPages; least > most {
			return &LoadError{"wasm", exceeds(LimitMemory, fmt.Errorf("its memory begins with %d pages, at most %d are allowed", least, most))}
		}
	}
	return nil
}

// wasmPages is the most that a memory can have. The limit is that of linearMemory, which notes when it is reached.
const wasmPages = 1 << 16

// Close frees the module. Calls that run are let finish, later ones fail. When ctx ends first, Close returns its error and
// the module is freed when the last call ends. A module that nothing holds any more is freed without Close as well.
func (m *Module) Close(ctx context.Context) error {
	if m.pool.close(ctx) {
		return m.free(context.WithoutCancel(ctx))
	}
	go func() {
		<-m.pool.drained
		_ = m.free(context.WithoutCancel(ctx))
	}()
	return ctx.Err()
}

// free gives back the code. No guest may be running.
func (m *Module) free(ctx context.Context) error {
	err := m.runtime.Close(ctx)
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(ctx))
	}
	return err
}

// Revision is how errors name the module: "crontabs@3".
func (m *Module) Revision() string { return m.revision }

// LoadError reports a module that is refused, and the step that found out: 422 on upload.
type LoadError struct {
	Step string // size, wasm, imports, exports, start, abi, describe
	Err  error
}

func (e *LoadError) Error() string {
	return cut(strings.ToValidUTF8(fmt.Sprintf("%s: %v", e.Step, e.Err), "\ufffd"), maxMessageRunes)
}
func (e *LoadError) Unwrap() error { return e.Err }

// LoadedWith tells whether the module is bounded and reset as the options say.
func (m *Module) LoadedWith(options Options) bool {
	return m.options.Limits == options.Limits.withDefaults() && m.options.Reset == options.Reset && m.options.ResetAllowed == options.ResetAllowed
}
