// Command stratagem serves Kubernetes' API for resources that WebAssembly plugins define, and helps to write those plugins.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/stratagem-dev/stratagem/server/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command.New().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "stratagem:", err)
		os.Exit(1)
	}
}
