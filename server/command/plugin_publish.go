package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server/artifact"
)

func publishCommand() *cobra.Command {
	var f sourceFlags
	cmd := &cobra.Command{
		Use: "publish FILE.wasm oci://REGISTRY/REPOSITORY:TAG", Short: "Upload a module and its signatures to an OCI registry", Args: cobra.ExactArgs(2),
		Long: "Uploads a module to an OCI registry in the CNCF's Wasm artifact layout, and each of its signatures as an artifact that refers to it.\n" +
			"The same module gives the same digest, whenever and by whomever it is published. Credentials are those of docker's config file.\n" +
			"FILE.wasm may also be an oci:// reference or an https:// URL: then the module is copied with its signatures.",
		RunE: func(cmd *cobra.Command, args []string) error {
			ref, err := artifact.ParseReference(args[1])
			if err != nil {
				return err
			}
			a, err := f.fetch(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for _, s := range a.Signatures {
				if err := s.CheckDigest(a.Wasm); err != nil {
					return err
				}
			}
			client, err := f.client()
			if err != nil {
				return err
			}
			pinned, err := client.Push(cmd.Context(), ref, a)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d bytes, %d signatures\n", pinned, len(a.Wasm), len(a.Signatures))
			return nil
		},
	}
	f.add(cmd)
	return cmd
}
