package command

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/artifact"
	"github.com/stratagem-dev/stratagem/server/policy"
	"github.com/stratagem-dev/stratagem/server/signing"
)

func verifyCommand() *cobra.Command {
	var f sourceFlags
	var keys []string
	var policyFile, name string
	cmd := &cobra.Command{
		Use: "verify SOURCE (--key PREFIX.pub | --policy FILE)", Short: "Verify the signatures of a module with keys, or hold it against a policy", Args: cobra.ExactArgs(1),
		Long: "SOURCE is FILE.wasm with its FILE.wasm.sig, an oci:// reference or an https:// URL. With --key one of the keys must have signed the\n" +
			"module; with --policy it must be one that a server with that policy takes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(keys) == 0) == (policyFile == "") {
				return errors.New("exactly one of --key and --policy must be given")
			}
			a, err := f.fetch(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var how string
			if policyFile != "" {
				how, err = holdAgainst(policyFile, orName(name, args[0]), a)
			} else {
				how, err = verifyWith(keys, a)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: sha256:%s: %s\n", args[0], host.Digest(a.Wasm), how)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringSliceVar(&keys, "key", nil, "public keys, one of which must have signed the module")
	cmd.Flags().StringVar(&policyFile, "policy", "", "policy that the module is held against, as serve --plugin-policy does")
	cmd.Flags().StringVar(&name, "name", "", "name of the plugin, for --policy (default: from SOURCE)")
	return cmd
}

func orName(name, source string) string {
	if name != "" {
		return name
	}
	return nameOf(source)
}

func holdAgainst(file, name string, a artifact.Artifact) (string, error) {
	p, err := policy.Open(file, slog.Default())
	if err != nil {
		return "", fmt.Errorf("--policy: %w", err)
	}
	rules, _ := p.Current()
	verdict, err := rules.Check(policy.Module{Plugin: name, Digest: "sha256:" + host.Digest(a.Wasm), Wasm: a.Wasm, Signatures: a.Signatures})
	return verdict.Reason, err
}

// verifyWith looks for a signature by one of the keys.
func verifyWith(files []string, a artifact.Artifact) (string, error) {
	if len(a.Signatures) == 0 {
		return "", errors.New("the module is not signed")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		var key signing.PublicKey
		if err == nil {
			key, err = signing.ParsePublicKey(text)
		}
		if err != nil {
			return "", fmt.Errorf("--key %s: %w", file, err)
		}
		for _, s := range a.Signatures {
			if s.Verify(key, a.Wasm) == nil {
				return fmt.Sprintf("signed with %s (%s, key %s)", file, s.Format, key.ID), nil
			}
		}
	}
	var errs []error
	for _, s := range a.Signatures {
		if err := s.CheckDigest(a.Wasm); err != nil {
			errs = append(errs, err)
		}
	}
	return "", errors.Join(append([]error{signing.ErrMismatch}, errs...)...)
}
