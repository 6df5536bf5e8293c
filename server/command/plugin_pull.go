package command

import (
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
)

func pullCommand() *cobra.Command {
	var config, out string
	var revision int64
	cmd := &cobra.Command{
		Use: "pull NAME", Short: "Download the module of a revision", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := newClient(config)
			if err != nil {
				return err
			}
			path := pluginsPath + "/" + url.PathEscape(args[0]) + "/module"
			if revision != 0 {
				path += fmt.Sprintf("?revision=%d", revision)
			}
			wasm, err := client.do(cmd.Context(), "GET", path, "application/wasm", "", nil)
			if err != nil {
				return err
			}
			if out == "" {
				out = args[0] + ".wasm"
			}
			if err := os.WriteFile(out, wasm, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, sha256:%s\n", out, len(wasm), host.Digest(wasm))
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: NAME.wasm)")
	cmd.Flags().Int64Var(&revision, "revision", 0, "revision to download (default: the active one)")
	return cmd
}
