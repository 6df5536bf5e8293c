//go:build wasip1 && !tinygo

package sdk

import (
	"runtime"
	"syscall"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// reportPanic logs a panic with the frames between it and the SDK, and ends the program: the server
// takes that as a trap and throws the instance away. It must be deferred directly.
func reportPanic() {
	p := recover()
	if p == nil {
		return
	}
	stack := make([]byte, 16<<10)
	stack = stack[:runtime.Stack(stack, false)]
	logLine(LogError, "panic: "+panicText(p)+"\n"+trimStack(string(stack)))
	syscall.ProcExit(2)
}

func panicText(p any) string {
	switch p := p.(type) {
	case string:
		return p
	case error:
		return p.Error()
	}
	text, _ := jsontext.Append(nil, p)
	return string(text)
}
