package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// instance is one running copy of a module. It serves one call at a time.
type instance struct {
	module  *Module
	mod     api.Module
	reserve api.Function
	invoke  api.Function
	guest   *guest
	ctx     context.Context // carries guest to the host functions
	stack   [2]uint64
}

// newInstance instantiates and initializes a module.
func (m *Module) newInstance(ctx context.Context) (*instance, error) {
	limits := m.options.Limits
	in := &instance{module: m, guest: &guest{budget: limits.InitFuel, log: guestLog{limit: limits.LogBytes}}}
	in.ctx = withGuest(context.WithoutCancel(ctx), in.guest)
	callCtx, cancel := in.callContext()
	defer cancel()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	mod, err := m.runtime.InstantiateModule(callCtx, m.compiled, config)
	if err != nil {
		return nil, in.explain(err)
	}
	in.mod = mod
	in.reserve = mod.ExportedFunction("stratagem_reserve")
	in.invoke = mod.ExportedFunction("stratagem_invoke")
	if m.rewrite != nil {
		fuel, ok := mod.ExportedGlobal(m.rewrite.Fuel).(api.MutableGlobal)
		if !ok {
			return nil, fmt.Errorf("the fuel global is missing")
		}
		in.guest.fuel = fuel
	}
	return in, nil
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
	if in.guest.fuel != nil {
		in.guest.fuel.Set(uint64(fuel))
	}
	in.guest.log.reset()
}

// used is the fuel that a call with this budget has used.
func (in *instance) used(budget int64) int64 {
	if in.guest.fuel == nil {
		return 0
	}
	return budget - int64(in.guest.fuel.Get())
}

// errBudget marks calls that ran out of fuel or over their deadline.
var errBudget = errors.New("it ran out of its budget")

// explain turns wazero's error into ours.
func (in *instance) explain(err error) error {
	outOfFuel := in.guest.fuel != nil && int64(in.guest.fuel.Get()) < 0
	switch {
	case outOfFuel || errors.Is(err, errOutOfFuel):
		return fmt.Errorf("%w of %d units of fuel", errBudget, in.module.options.Limits.Fuel)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w of %s", errBudget, deadline)
	}
	if said := in.guest.log.String(); said != "" {
		return fmt.Errorf("%s: %s", firstLine(err.Error()), trimPanic(said))
	}
	return errors.New(firstLine(err.Error()))
}

// call runs the hooks on the segments of a request frame and returns a copy of the reply frame. After an
// error the instance must not be used again.
func (in *instance) call(hooks uint64, segments [][]byte) ([]byte, error) {
	limits := in.module.options.Limits
	in.refuel(limits.Fuel)
	ctx, cancel := in.callContext()
	defer cancel()

	size := frameSize(segments)
	in.stack[0] = uint64(size)
	if err := in.reserve.CallWithStack(ctx, in.stack[:]); err != nil {
		return nil, in.explain(err)
	}
	place, ok := in.mod.Memory().Read(uint32(in.stack[0]), uint32(size))
	if !ok {
		return nil, malformed("stratagem_reserve(%d) returned %d, outside the memory", size, uint32(in.stack[0]))
	}
	writeFrame(place, segments)

	in.stack[0], in.stack[1] = hooks, uint64(size)
	if err := in.invoke.CallWithStack(ctx, in.stack[:]); err != nil {
		return nil, in.explain(err)
	}
	return in.copyOut(in.stack[0], limits.ReplyBytes)
}

// copyOut copies what a guest's ptr<<32|len points to.
func (in *instance) copyOut(packed uint64, limit uint32) ([]byte, error) {
	ptr, n := uint32(packed>>32), uint32(packed)
	if n > limit {
		return nil, malformed("it has %d bytes, at most %d are allowed", n, limit)
	}
	view, ok := in.mod.Memory().Read(ptr, n)
	if !ok {
		return nil, malformed("it lies at %d with %d bytes, outside the memory", ptr, n)
	}
	return append([]byte(nil), view...), nil
}

// callForBytes runs a function without parameters that returns ptr<<32|len.
func (in *instance) callForBytes(name string, limit uint32) ([]byte, error) {
	in.refuel(in.module.options.Limits.InitFuel)
	ctx, cancel := in.callContext()
	defer cancel()
	results, err := in.mod.ExportedFunction(name).Call(ctx)
	if err != nil {
		return nil, in.explain(err)
	}
	return in.copyOut(results[0], limit)
}

// abiVersion asks the guest for its version of the ABI.
func (in *instance) abiVersion() (uint32, error) {
	in.refuel(in.module.options.Limits.InitFuel)
	ctx, cancel := in.callContext()
	defer cancel()
	results, err := in.mod.ExportedFunction("stratagem_abi_version").Call(ctx)
	if err != nil {
		return 0, in.explain(err)
	}
	return uint32(results[0]), nil
}

// close frees the instance.
func (in *instance) close() { _ = in.mod.Close(in.ctx) }
