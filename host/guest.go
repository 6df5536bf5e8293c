package host

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostCallFuel is what every call of a host function costs: about its time in guest instructions.
const hostCallFuel = 200

// errOutOfFuel is the trap of a host function that the guest can no longer pay.
var errOutOfFuel = errors.New("out of fuel")

// guest is what the host functions know of the instance that calls them. It travels in the context of the call,
// since wazero hands nothing else through.
type guest struct {
	fuel    api.MutableGlobal // nil before instantiation has ended, and in unmetered modules
	pending int64             // charged while fuel was nil
	budget  int64             // for pending
	log     guestLog
}

type guestKey struct{}

func withGuest(ctx context.Context, g *guest) context.Context {
	return context.WithValue(ctx, guestKey{}, g)
}

func guestOf(ctx context.Context) *guest { return ctx.Value(guestKey{}).(*guest) }

// charge takes the cost of a host function from the guest's fuel, so that it cannot make the host work for free.
func (g *guest) charge(cost int64) {
	if g.fuel == nil {
		if g.pending += cost; g.pending > g.budget {
			panic(errOutOfFuel)
		}
		return
	}
	left := int64(g.fuel.Get()) - cost
	g.fuel.Set(uint64(left))
	if left < 0 {
		panic(errOutOfFuel)
	}
}

// guestLog is what a guest wrote during one call: to stratagem.log, standard output or standard error.
type guestLog struct {
	limit   int
	text    []byte
	dropped int
	level   slog.Level
}

func (l *guestLog) reset() { l.text, l.dropped, l.level = l.text[:0], 0, slog.LevelDebug }

func (l *guestLog) write(text []byte) {
	n := min(len(text), max(0, l.limit-len(l.text)))
	l.text = append(l.text, text[:n]...)
	l.dropped += len(text) - n
}

// String is the log in valid UTF-8, without the blank at its ends.
func (l *guestLog) String() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(l.text), "\ufffd"))
}

// instantiateLog gives a runtime the module "stratagem" with its one function.
func instantiateLog(ctx context.Context, runtime wazero.Runtime) error {
	call := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		g.charge(hostCallFuel)
		text, ok := mod.Memory().Read(uint32(stack[1]), uint32(stack[2]))
		if !ok {
			panic(errors.New("stratagem.log: the text lies outside the memory"))
		}
		level := slog.Level(4 * (int32(uint32(stack[0])) - 1)) // 0 debug, 1 info, 2 warning, 3 error
		g.log.level = max(g.log.level, min(max(level, slog.LevelDebug), slog.LevelError))
		g.log.write(text)
		g.log.write([]byte("\n"))
	})
	_, err := runtime.NewHostModuleBuilder("stratagem").NewFunctionBuilder().
		WithGoModuleFunction(call, []api.ValueType{i32, i32, i32}, nil).Export("log").Instantiate(ctx)
	return err
}
