package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
)

const pluginsPath = "/apis/stratagem.dev/v1alpha1/strategyplugins"

func pushCommand() *cobra.Command {
	var config, name string
	var dryRun bool
	cmd := &cobra.Command{
		Use: "push FILE.wasm", Short: "Upload a module; it is live when the command returns", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wasm, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(args[0]), ".wasm")
			}
			client, err := newClient(config)
			if err != nil {
				return err
			}
			path := pluginsPath + "/" + name + "/module"
			if dryRun {
				path += "?dryRun=All"
			}
			answer, err := client.do(cmd.Context(), "PUT", path, "application/json", "application/wasm", wasm)
			if err != nil {
				return err
			}
			status := gjson.GetBytes(answer, "status")
			verb := "is active"
			if dryRun {
				verb = "would be taken (dry run)"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "strategyplugin/%s revision %d %s: %s\n", name, status.Get("activeRevision").Int(), verb, status.Get("resourceNames").String())
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().StringVar(&name, "name", "", "name of the StrategyPlugin (default: the file's name without .wasm)")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "verify only")
	return cmd
}

func listCommand() *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use: "list", Short: "Show the strategy plugins of a server", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := newClient(config)
			if err != nil {
				return err
			}
			answer, err := client.do(cmd.Context(), "GET", pluginsPath, "application/json;as=Table;v=v1;g=meta.k8s.io", "", nil)
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), answer)
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	return cmd
}
