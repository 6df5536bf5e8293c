package command

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server/signing"
)

func keygenCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "keygen", Short: "Make an ed25519 key that signs modules", Args: cobra.NoArgs,
		Long: "Writes PREFIX.key, the private key (PKCS 8 in PEM, not encrypted, mode 0600), and PREFIX.pub, the public key that a policy takes.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := signing.GenerateKey()
			if err != nil {
				return err
			}
			private, err := key.PEM()
			if err != nil {
				return err
			}
			public, err := key.Public()
			if err != nil {
				return err
			}
			if err := writeNew(out+".key", private, 0o600); err != nil {
				return err
			}
			if err := writeNew(out+".pub", public.PEM(), 0o644); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s.key, %s.pub: key %s\n", out, out, public.ID)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output-prefix", "o", "plugin", "names of the files, without .key and .pub")
	return cmd
}

// writeNew writes a file that must not be there yet.
func writeNew(name string, text []byte, mode os.FileMode) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

func signCommand() *cobra.Command {
	var keyFile, out string
	cmd := &cobra.Command{
		Use: "sign FILE.wasm --key PREFIX.key", Short: "Sign a module with an ed25519 key", Args: cobra.ExactArgs(1),
		Long: "Adds a signature to FILE.wasm.sig, from where push and publish take it. Signatures of other modules, left from an earlier build, are\n" +
			"dropped. Modules may as well be signed with cosign: cosign sign-blob --key cosign.key --bundle FILE.wasm.sig FILE.wasm",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := os.ReadFile(keyFile)
			if err != nil {
				return fmt.Errorf("--key: %w", err)
			}
			key, err := signing.ParsePrivateKey(text)
			if err != nil {
				return fmt.Errorf("--key %s: %w", keyFile, err)
			}
			wasm, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			s, err := signing.Sign(key, wasm)
			if err != nil {
				return err
			}
			if out == "" {
				out = args[0] + signatureSuffix
			}
			if err := addToFile(out, s, wasm); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", out, describeSignatures([]signing.Signature{s})[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&keyFile, "key", "", "private key, as keygen writes it")
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to add the signature to (default: FILE.wasm.sig)")
	_ = cmd.MarkFlagRequired("key")
	return cmd
}

// addToFile adds a signature to those of the same module in a file.
func addToFile(file string, s signing.Signature, wasm []byte) error {
	had, err := addSignatures(nil, file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	all := []signing.Signature{s}
	for _, old := range had {
		if old.CheckDigest(wasm) != nil || old.Digest() == s.Digest() {
			continue
		}
		if all, err = signing.Append(all, old); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return writeSignatures(file, all)
}
