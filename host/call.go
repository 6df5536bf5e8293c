package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
)

// errBudget marks calls that ran out of fuel or over their deadline.
var errBudget = errors.New("it ran out of its budget")

// call is callOn without a request. It returns a copy.
func (in *instance) call(hooks engine.Hooks, segments [][]byte) ([]byte, error) {
	frame, err := in.callOn(nil, hooks, segments)
	return bytes.Clone(frame), err
}

// callOn runs the hooks on the segments of a request frame, on the request's account, and returns the reply frame, which lies in the guest's
// memory: it is gone when the instance runs again or is given back. After an error the instance must not be used again.
func (in *instance) callOn(account *engine.Account, hooks engine.Hooks, segments [][]byte) ([]byte, error) {
	limits := &in.module.options.Limits
	size := frameSize(segments)
	if size > math.MaxInt32 {
		return nil, fmt.Errorf("the request frame has %d bytes", size)
	}
	in.calls++
	invoke, fuel := in.invoke, limits.fuel(size)
	if hooks&whole != 0 {
		invoke, fuel = in.invokeWhole, 2*fuel // it is two calls in one
	}
	in.refuel(fuel)
	in.budgetLimit = LimitFuelPerHook
	if account != nil {
		if err := in.holdTo(account, size); err != nil {
			return nil, err
		}
		defer func() { account.Add(in.module, in.used(), int64(size)) }()
	}
	in.quick = longFuel + longFuelPerByte*int64(size)
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

	in.stack[0], in.stack[1] = uint64(hooks&^whole), uint64(size)
	if err := invoke.CallWithStack(ctx, in.stack[:]); err != nil {
		return nil, in.explain(err)
	}
	return in.reply(in.stack[0], limits.ReplyBytes)
}

// holdTo lowers the budget of a call to what its request has left.
func (in *instance) holdTo(account *engine.Account, size int) error {
	limits := &in.module.options.Limits
	fuel, bytes := account.Spent(in.module)
	left := limits.FuelPerRequest + limits.FuelPerByte*(bytes+int64(size)) - fuel
	if left >= in.budget {
		return nil
	}
	in.refuel(max(0, left))
	if in.budgetLimit = LimitFuelPerRequest; left <= 0 {
		return exceeds(LimitFuelPerRequest, fmt.Errorf("%w: its request has used %d units of fuel", errBudget, fuel))
	}
	return nil
}

// reply is pointed for a reply frame.
func (in *instance) reply(packed uint64, limit uint32) ([]byte, error) {
	frame, err := in.pointed(packed, limit)
	if err != nil && uint32(packed) > limit {
		err = exceeds(LimitReplyBytes, err)
	}
	return frame, err
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

// pointed is what a guest's ptr<<32|len points to, in its memory.
func (in *instance) pointed(packed uint64, limit uint32) ([]byte, error) {
	ptr, n := uint32(packed>>32), uint32(packed)
	if n > limit {
		return nil, malformed("it has %d bytes, at most %d are allowed", n, limit)
	}
	view, ok := in.mod.Memory().Read(ptr, n)
	if !ok {
		return nil, malformed("it lies at %d with %d bytes, outside the memory", ptr, n)
	}
	return view, nil
}

// explain turns wazero's error into ours.
func (in *instance) explain(err error) error {
	if in.stopped != nil {
		return in.stopped
	}
	outOfFuel := in.guest.fuel != nil && in.guest.fuel.left() < 0
	switch {
	case outOfFuel || errors.Is(err, errOutOfFuel):
		err = fmt.Errorf("%w of %d units of fuel", errBudget, in.budget)
		if in.budgetLimit != limitCount {
			err = exceeds(in.budgetLimit, err)
		}
		return err
	case in.depth != nil && int32(in.depth.Get()) < 0:
		return exceeds(LimitCallDepth, fmt.Errorf("its functions call each other more than %d deep", in.module.options.Limits.CallDepth))
	case strings.Contains(err.Error(), stackOverflow):
		return exceeds(LimitCallDepth, errDeep)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w of %s", errBudget, deadline)
	}
	text := firstLine(err.Error())
	if said := in.guest.log.String(); said != "" {
		text += ": " + trimPanic(said)
	}
	if in.memory != nil && in.memory.refused {
		return exceeds(LimitMemory, fmt.Errorf("%s; it was refused more than %s of memory", text, LimitMemory.Format(in.module.options.Limits.Get(LimitMemory))))
	}
	return errors.New(text)
}

// stackOverflow is how wazero says that its own stack has ended, which calls that are not too deep can bring about with huge frames.
const stackOverflow = "stack overflow"

var errDeep = errors.New("its functions call each other too deeply for the size of their frames")
