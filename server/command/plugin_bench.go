package command

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/authoring/trial"
)

func benchCommand() *cobra.Command {
	var f hookFlags
	var lasting time.Duration
	cmd := &cobra.Command{
		Use: "bench FILE.wasm -f OBJECT.yaml", Short: "Measure every hook on an object: fuel, and time over many calls", Args: cobra.ExactArgs(1),
		Long: "Fuel is of one call from the module's snapshot, the same on every machine (~ where the module has none). Time is the mean of calls one after the other, as\n" +
			"the server makes them: with the resets between requests that it makes by default.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withModule(cmd.Context(), args[0], func(m *host.Module, _ []byte) error {
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 3, ' ', tabwriter.AlignRight)
				fmt.Fprintln(w, "hook\tfuel\tns/call\tcalls\tsent\treceived\t")
				for hook := engine.Default; hook <= engine.LastHook; hook++ {
					if err := benchHook(cmd.Context(), w, m, &f, hook, lasting); err != nil {
						return err
					}
				}
				return w.Flush()
			})
		},
	}
	f.register(cmd)
	cmd.Flags().DurationVar(&lasting, "time", time.Second, "how long to call each hook")
	return cmd
}

// benchHook measures a hook, if the module has it.
func benchHook(ctx context.Context, w *tabwriter.Writer, m *host.Module, f *hookFlags, hook engine.Hook, lasting time.Duration) error {
	h, err := f.call(hook)
	if err != nil {
		return err
	}
	strategy, call, err := h.Prepare(m)
	if errors.Is(err, trial.ErrNoHook) {
		return nil
	}
	if err != nil {
		return err
	}
	_, cost, err := strategy.Measure(ctx, engine.HooksOf(hook), call)
	if err != nil {
		return err
	}
	calls, began := 0, time.Now()
	for time.Since(began) < lasting {
		if _, err := strategy.Run(ctx, engine.HooksOf(hook), call); err != nil {
			return err
		}
		calls++
	}
	each := time.Since(began).Nanoseconds() / int64(max(calls, 1))
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t\n", hook, cost.FuelText(), each, calls, cost.Sent, cost.Received)
	return nil
}
