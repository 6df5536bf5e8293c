package host

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// instance is one running copy of a module. It serves one call at a time.
type instance struct {
	module      *Module
	mod         api.Module
	memory      *linearMemory
	globals     []api.MutableGlobal // all that the guest can change; with the memory they are its state
	depth       api.MutableGlobal   // how much deeper its functions may call each other; nil in unmetered modules
	reserve     api.Function
	invoke      api.Function
	invokeWhole api.Function // nil where the guest has none
	guest       *guest
	ctx         context.Context // carries guest to the host functions
	stack       [2]uint64
	budget      int64           // of the call that runs
	quick       int64           // what it may use before it counts as long
	request     context.Context // that waits for the call; nil where none does
	waited      time.Duration   // in it, for others
	stopped     error           // why it was made to end early
	// budgetLimit is the limit that the budget comes from; limitCount for those that nobody sets.
	budgetLimit Limit

	calls     int    // since it was last pristine
	began     uint32 // bytes of memory then
	namespace string // of the last call
}

// newInstance makes an instance that is as the module's snapshot has it; before there is one, it is initialized.
func (m *Module) newInstance(ctx context.Context) (*instance, error) {
	in := &instance{module: m, guest: &guest{clock: firstTime, log: guestLog{limit: m.options.Limits.LogBytes}}}
	in.ctx = withGuest(context.WithoutCancel(ctx), in.guest)
	in.refuel(m.options.Limits.InitFuel)
	if err := in.instantiate(); err != nil {
		return nil, err
	}
	m.started.Add(1)
	m.metrics.start()
	if m.snapshot != nil {
		if !in.restore(m.snapshot) {
			in.close()
			return nil, fmt.Errorf("a new instance has no room for %d bytes of memory", len(m.snapshot.memory))
		}
		return in, nil
	}
	if err := in.initialize(); err != nil {
		in.close()
		return nil, err
	}
	in.began = in.mod.Memory().Size()
	return in, nil
}

// instantiate makes the instance, and with it runs the start function where the module has one.
func (in *instance) instantiate() error {
	ctx, cancel := in.callContext()
	defer cancel()
	allocator := experimental.MemoryAllocatorFunc(func(first, most uint64) experimental.LinearMemory {
		if m := in.module.rewrite; m != nil {
			most = min(most, uint64(m.Memory.Max)*pageBytes)
		}
		in.memory = newLinearMemory(first, min(most, uint64(in.module.options.Limits.MemoryPages)*pageBytes))
		return in.memory
	})
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	mod, err := in.module.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), in.module.compiled, config)
	if err != nil {
		if in.memory != nil {
			in.memory.Free() // wazero leaves the memory of a module that did not start
		}
		if err = in.explain(err); in.module.rewrite != nil && strings.Contains(err.Error(), "unreachable") {
			err = fmt.Errorf("%w (which running out of its %d units of fuel looks like, too)", err, in.budget)
		}
		return fmt.Errorf("the start function failed, or the memory could not be filled: %w", err)
	}
	in.mod = mod
	in.reserve = mod.ExportedFunction("stratagem_reserve")
	in.invoke = mod.ExportedFunction("stratagem_invoke")
	in.invokeWhole = mod.ExportedFunction("stratagem_invoke_whole")
	if m := in.module.rewrite; m != nil {
		in.guest.fuel = newTank(m, mod)
		in.memory.turn = func() bool {
			yields := in.guest.fuel.yields()
			if yields {
				in.giveWay()
			}
			return yields
		}
		in.depth = mod.ExportedGlobal(m.Depth).(api.MutableGlobal)
		in.depth.Set(uint64(in.module.options.Limits.CallDepth))
		for _, name := range m.Globals {
			in.globals = append(in.globals, mod.ExportedGlobal(name).(api.MutableGlobal))
		}
	}
	return nil
}

// initialize runs _initialize where the module has it.
func (in *instance) initialize() error {
	start := in.mod.ExportedFunction("_initialize")
	if start == nil {
		return nil
	}
	in.refuel(in.module.options.Limits.InitFuel)
	ctx, cancel := in.callContext()
	defer cancel()
	if _, err := start.Call(ctx); err != nil {
		return fmt.Errorf("_initialize: %w", in.explain(err))
	}
	return nil
}

// callContext is what a call of the guest runs under: without a deadline when fuel bounds it.
func (in *instance) callContext() (context.Context, context.CancelFunc) {
	if in.module.options.Metering == Deadline {
		return context.WithTimeout(in.ctx, deadline)
	}
	return in.ctx, func() {}
}

// refuel sets the budget of the next call and forgets what the last one logged.
func (in *instance) refuel(fuel int64) {
	in.budget, in.guest.budget, in.guest.pending, in.budgetLimit = fuel, fuel, 0, limitCount
	in.waited, in.stopped = 0, nil
	if in.memory != nil {
		in.memory.refused = false
	}
	if in.guest.fuel != nil {
		in.guest.fuel.fill(fuel)
	}
	in.guest.log.reset()
}

// used is the fuel that has been used since refuel.
func (in *instance) used() int64 {
	if in.guest.fuel == nil {
		return in.guest.pending
	}
	return in.budget - in.guest.fuel.left()
}

// close frees the instance.
func (in *instance) close() {
	in.module.metrics.end()
	_ = in.mod.Close(in.ctx)
}
