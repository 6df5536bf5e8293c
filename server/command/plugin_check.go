package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

func checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE.wasm", Short: "Verify a module as the server would, and show what it describes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wasm, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			module, err := host.Load(cmd.Context(), wasm, args[0], host.Options{})
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			defer module.Close(cmd.Context())
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "plugin   %s %s\ndigest   sha256:%s\nabi      %d\nsize     %d bytes\n", module.Name, module.Version, module.Digest, host.ABIVersion, len(wasm))
			for _, r := range module.Resources {
				fmt.Fprintf(out, "resource %s\n", describeResource(r))
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
		var names []string
		for h := engine.Default; h <= engine.Convert; h++ {
			if r.Strategy.Hooks().Has(h) {
				names = append(names, h.String())
			}
		}
		hooks = strings.Join(names, ",")
	}
	return fmt.Sprintf("%s kind=%s versions=%s hooks=%s subresources=%s", r.GroupResource().String(), r.Kind, strings.Join(versions, ","), hooks, strings.Join(subresources, ","))
}
