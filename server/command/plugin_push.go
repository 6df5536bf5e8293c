package command

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/artifact"
)

const pluginsPath = "/apis/stratagem.dev/v1alpha1/strategyplugins"

func pushCommand() *cobra.Command {
	var config, name string
	var dryRun bool
	var f sourceFlags
	var trial trialFlags
	cmd := &cobra.Command{
		Use: "push [NAME] SOURCE", Short: "Upload a module; it is live, or in shadow or canary, when the command returns", Args: cobra.RangeArgs(1, 2),
		Long: "SOURCE is a file, an https:// URL with --sha256, or oci://REGISTRY/REPOSITORY:TAG or …@sha256:DIGEST. This command fetches the module and\n" +
			"its signatures, with the credentials of docker's config file, and uploads them; the server keeps the source, with the digest of\n" +
			"an artifact's manifest, in the record of the revision. NAME is the StrategyPlugin's; without it it is the file's name without .wasm, or the\n" +
			"last part of the repository.",
		RunE: func(cmd *cobra.Command, args []string) error {
			source := args[len(args)-1]
			if len(args) == 2 {
				name = args[0]
			}
			a, err := f.fetch(cmd.Context(), source)
			if err != nil {
				return err
			}
			for _, text := range a.Skipped {
				fmt.Fprintln(cmd.ErrOrStderr(), "a signature is left out:", text)
			}
			name = orName(name, source)
			query, err := trial.query()
			if err != nil {
				return err
			}
			client, err := newClient(config)
			if err != nil {
				return err
			}
			if dryRun {
				query.Set("dryRun", "All")
			}
			path := pluginsPath + "/" + url.PathEscape(name) + "/module?" + query.Encode()
			answer, err := client.putModule(cmd.Context(), path, a)
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), pushed(name, answer, dryRun))
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().StringVar(&name, "name", "", "name of the StrategyPlugin, in place of NAME")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "verify only")
	f.add(cmd)
	trial.add(cmd.Flags())
	return cmd
}

// putModule uploads a module with its signatures.
func (c *apiClient) putModule(ctx context.Context, path string, a artifact.Artifact) ([]byte, error) {
	answer, _, err := c.exchange(ctx, http.MethodPut, path, moduleHeader(a), a.Wasm)
	return answer, err
}

// moduleHeader is what goes along with a module.
func moduleHeader(a artifact.Artifact) http.Header {
	header := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/wasm"}}
	for _, s := range a.Signatures {
		header.Add(server.SignatureHeader, base64.StdEncoding.EncodeToString(s.Document))
	}
	if a.Source != "" {
		header.Set(server.SourceHeader, a.Source)
	}
	return header
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
