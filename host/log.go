package host

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

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

// buildLog adds the function by which guests log.
func buildLog(builder wazero.HostModuleBuilder) wazero.HostModuleBuilder {
	call := api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		g.charge(hostCallFuel)
		text, ok := mod.Memory().Read(uint32(stack[1]), uint32(stack[2]))
		if !ok {
			panic(errors.New("stratagem.log: the text lies outside the memory"))
		}
		g.log.level = max(g.log.level, guestLevel(int32(uint32(stack[0]))))
		g.log.write(text)
		g.log.write([]byte("\n"))
	})
	return builder.NewFunctionBuilder().WithGoModuleFunction(call, []api.ValueType{i32, i32, i32}, nil).Export("log")
}

// guestLevel is the level that a guest means; numbers that mean nothing are taken as the nearest.
func guestLevel(number int32) slog.Level {
	switch {
	case number <= 0:
		return slog.LevelDebug
	case number == 1:
		return slog.LevelInfo
	case number == 2:
		return slog.LevelWarn
	default:
		return slog.LevelError
	}
}
