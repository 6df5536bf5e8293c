package command

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

func checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE.wasm", Short: "Hold a module of any language to the ABI, rule by rule", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wasm, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			findings, module, err := host.Check(cmd.Context(), wasm, host.Options{Log: slog.New(slog.DiscardHandler)})
			if module != nil {
				defer module.Close(cmd.Context())
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, f := range findings {
				fmt.Fprintf(w, "%s\t%s\t%s\n", f.Verdict, f.Rule, f.Detail)
			}
			if err := w.Flush(); err != nil {
				return err
			}
			if !host.Conforms(findings) {
				return fmt.Errorf("%s does not conform to the ABI", args[0])
			}
			fmt.Fprintf(cmd.OutOrStdout(), "\n%s %s, sha256:%s, conforms to version %d of the ABI\n", module.Name, module.Version, module.Digest, host.ABIVersion)
			for _, r := range module.Resources {
				fmt.Fprintln(cmd.OutOrStdout(), describeResource(r))
			}
			return nil
		},
	}
}

// describeResource is one line on a resource: name, versions, hooks, subresources.
func describeResource(r *engine.Resource) string {
	var versions, subresources []string
	for _, v := range r.Versions {
		versions = append(versions, v.Name)
	}
	for _, s := range r.Subresources {
		subresources = append(subresources, s.Name)
	}
	hooks := "none"
	if r.Strategy != nil {
		hooks = strings.Join(hookNames(r.Strategy.Hooks()), ",")
	}
	return fmt.Sprintf("%s kind=%s versions=%s hooks=%s subresources=%s", r.GroupResource().String(), r.Kind, strings.Join(versions, ","), hooks, strings.Join(subresources, ","))
}

func hookNames(hooks engine.Hooks) (names []string) {
	for h := engine.Default; h <= engine.LastHook; h++ {
		if hooks.Has(h) {
			names = append(names, h.String())
		}
	}
	return names
}
