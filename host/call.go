package host

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/stratagem-dev/stratagem/engine"
)

// errBudget marks calls that ran out of fuel or over their deadline.
var errBudget = errors.New("it ran out of its budget")

// call runs the hooks on the segments of a request frame and returns a copy of the reply frame. After an
// error the instance must not be used again.
func (in *instance) call(hooks engine.Hooks, segments [][]byte) ([]byte, error) {
	limits := &in.module.options.Limits
	size := frameSize(segments)
	if size > math.MaxInt32 {
		return nil, fmt.Errorf("the request frame has %d bytes", size)
	}
	in.calls++
	in.refuel(limits.fuel(size))
	ctx, cancel := in.callContext()
	defer cancel()

	in.stack[0] = uint64(size)
	if err := in.reserve.CallWithStack(ctx, in.stack[:]); err != nil {
		return nil, in.explain(err)
	}
	place, ok := in.mod.Memory().Read(uint32(in.stack[0]), uint32(size))
	if !ok {
		return nil, malformed("stratagem_reserve(%d) returned %d, outside the memory", size, uint32(in.stack[0]))
	}
	writeFrame(place, segments)

	in.stack[0], in.stack[1] = uint64(hooks), uint64(size)
	if err := in.invoke.CallWithStack(ctx, in.stack[:]); err != nil {
		return nil, in.explain(err)
	}
	return in.copyOut(in.stack[0], limits.ReplyBytes)
}

// callExport runs an exported function without parameters that has one result.
func (in *instance) callExport(name string) (uint64, error) {
	in.refuel(in.module.options.Limits.InitFuel)
	ctx, cancel := in.callContext()
	defer cancel()
	results, err := in.mod.ExportedFunction(name).Call(ctx)
	if err != nil {
		return 0, in.explain(err)
	}
	return results[0], nil
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

// explain turns wazero's error into ours.
func (in *instance) explain(err error) error {
	outOfFuel := in.guest.fuel != nil && int64(in.guest.fuel.Get()) < 0
	switch {
	case outOfFuel || errors.Is(err, errOutOfFuel):
		return fmt.Errorf("%w of %d units of fuel", errBudget, in.budget)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w of %s", errBudget, deadline)
	}
	if said := in.guest.log.String(); said != "" {
		return fmt.Errorf("%s: %s", firstLine(err.Error()), trimPanic(said))
	}
	return errors.New(firstLine(err.Error()))
}
