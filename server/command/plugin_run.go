package command

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/authoring/trial"
	"github.com/stratagem-dev/stratagem/server/jsondiff"
)

// hookFlags say what a hook is called with.
type hookFlags struct{ hook, file, old, options, subresource string }

func (f *hookFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "filename", "f", "", `file with the object, YAML or JSON; "-" is standard input`)
	flags.StringVar(&f.old, "old", "", "file with the old object, for the hooks of an update (default: the object)")
	flags.StringVar(&f.options, "options", "", "file with DeleteOptions, with the posted body, or with {desiredAPIVersion: …} for Convert")
	flags.StringVar(&f.subresource, "subresource", "", "subresource whose hook is meant")
	_ = cmd.MarkFlagRequired("filename")
}

// call reads the files.
func (f *hookFlags) call(hook engine.Hook) (call trial.HookCall, err error) {
	call = trial.HookCall{Hook: hook, Subresource: f.subresource}
	for _, part := range []struct {
		file string
		into *engine.Object
	}{{f.file, &call.Object}, {f.old, &call.Old}, {f.options, &call.Options}} {
		if part.file == "" {
			continue
		}
		if *part.into, err = readObject(part.file); err != nil {
			return call, err
		}
	}
	return call, nil
}

func runCommand() *cobra.Command {
	var f hookFlags
	cmd := &cobra.Command{
		Use: "run FILE.wasm --hook NAME -f OBJECT.yaml", Short: "Run one hook on one object and show its answer", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			hook, known := engine.HookByName(f.hook)
			if !known {
				return fmt.Errorf("--hook %q: is none of the hooks", f.hook)
			}
			call, err := f.call(hook)
			if err != nil {
				return err
			}
			return withModule(cmd.Context(), args[0], func(m *host.Module, _ []byte) error {
				reply, cost, err := call.Run(cmd.Context(), m)
				if err != nil {
					return err
				}
				return printReply(cmd.OutOrStdout(), hook, call.Object, reply, cost)
			})
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.hook, "hook", "", "hook to run: Default, Validate, Canonicalize, …")
	_ = cmd.MarkFlagRequired("hook")
	return cmd
}

// printReply prints what a hook answered: the change first, then the object.
func printReply(out io.Writer, hook engine.Hook, before engine.Object, reply engine.Reply, cost host.Cost) error {
	fmt.Fprintf(out, "%s: fuel %s, %s, %d bytes sent, %d received\n", hook, cost.FuelText(), cost.Time, cost.Sent, cost.Received)
	for _, e := range reply.Errors {
		fmt.Fprintln(out, "error  ", e)
	}
	if reply.Refusal != nil {
		fmt.Fprintf(out, "refusal %s: %s\n", reply.Refusal.Reason, reply.Refusal.Message)
	}
	for _, text := range reply.Warnings {
		fmt.Fprintln(out, "warning", text)
	}
	if len(reply.Result) > 0 {
		fmt.Fprintf(out, "answer  %s\n", reply.Result)
	}
	after := reply.Object
	if len(reply.Items) == 1 {
		after = reply.Items[0]
	}
	if after == nil {
		return nil
	}
	patch, err := jsondiff.Diff(before, after)
	if err != nil || len(patch) == 0 {
		return err
	}
	for _, op := range patch {
		fmt.Fprintf(out, "%-7s %s %s\n", op.Op, op.Path, op.Value)
	}
	text, err := yaml.JSONToYAML(after)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "---\n%s", text)
	return err
}
