package command

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/artifact"
	"github.com/stratagem-dev/stratagem/server/signing"
)

func pullCommand() *cobra.Command {
	var config, out string
	var revision int64
	var f sourceFlags
	cmd := &cobra.Command{
		Use: "pull NAME | oci://REGISTRY/REPOSITORY:TAG | https://…", Short: "Download the module of a revision, or one from a registry", Args: cobra.ExactArgs(1),
		Long: "Writes the module, and beside it FILE.sig with its signatures, where it has some.",
		RunE: func(cmd *cobra.Command, args []string) error {
			var a artifact.Artifact
			var err error
			if artifact.IsReference(args[0]) || artifact.IsURL(args[0]) {
				a, err = f.fetch(cmd.Context(), args[0])
			} else {
				a, err = pullRevision(cmd.Context(), config, args[0], revision)
			}
			if err != nil {
				return err
			}
			if out == "" {
				out = nameOf(args[0]) + ".wasm"
			}
			if err := os.WriteFile(out, a.Wasm, 0o644); err != nil {
				return err
			}
			if err := writeSignatures(out+signatureSuffix, a.Signatures); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, sha256:%s, %d signatures\n", out, len(a.Wasm), host.Digest(a.Wasm), len(a.Signatures))
			for _, text := range a.Skipped {
				fmt.Fprintln(cmd.ErrOrStderr(), "a signature is left out:", text)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: NAME.wasm)")
	cmd.Flags().Int64Var(&revision, "revision", 0, "revision to download (default: the active one)")
	f.fetchFlags.add(cmd)
	cmd.Flags().StringVar(&f.sha256, "sha256", "", "sha256 that the module must have, in hexadecimal; https:// needs it")
	return cmd
}

// pullRevision downloads a module and its signatures from a server.
func pullRevision(ctx context.Context, config, name string, revision int64) (artifact.Artifact, error) {
	client, err := newClient(config)
	if err != nil {
		return artifact.Artifact{}, err
	}
	path := pluginsPath + "/" + url.PathEscape(name) + "/module"
	if revision != 0 {
		path += fmt.Sprintf("?revision=%d", revision)
	}
	wasm, header, err := client.exchange(ctx, http.MethodGet, path, http.Header{"Accept": {"application/wasm"}}, nil)
	if err != nil {
		return artifact.Artifact{}, err
	}
	a := artifact.Artifact{Wasm: wasm}
	for _, value := range header.Values(server.SignatureHeader) {
		document, err := base64.StdEncoding.DecodeString(value)
		var s signing.Signature
		if err == nil {
			s, err = signing.Parse(document)
		}
		if err != nil {
			return a, fmt.Errorf("the server's header %s: %w", server.SignatureHeader, err)
		}
		a.Signatures = append(a.Signatures, s)
	}
	return a, nil
}
