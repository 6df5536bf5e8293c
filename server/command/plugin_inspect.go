package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

func inspectCommand() *cobra.Command {
	return &cobra.Command{
		Use: "inspect FILE.wasm", Short: "Show what a module imports, exports and describes, and what starting it takes", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withModule(cmd.Context(), args[0], func(m *host.Module, wasm []byte) error {
				i, err := m.Inspect(cmd.Context(), wasm)
				if err != nil {
					return err
				}
				printInspection(cmd.OutOrStdout(), m, len(wasm), i)
				return printSignatures(cmd.OutOrStdout(), args[0], wasm)
			})
		},
	}
}

// withModule loads a module, does something with it and closes it.
func withModule(ctx context.Context, file string, do func(*host.Module, []byte) error) error {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := host.Load(ctx, wasm, "this module", host.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer m.Close(context.WithoutCancel(ctx))
	return do(m, wasm)
}

func printInspection(out io.Writer, m *host.Module, size int, i host.Inspection) {
	fmt.Fprintf(out, "plugin    %s %s\ndigest    sha256:%s\nabi       %d\nsize      %d bytes\n", m.Name, m.Version, m.Digest, host.ABIVersion, size)
	fmt.Fprintf(out, "memory    %d bytes declared, %d once started\n", i.DeclaredBytes, i.StartedBytes)
	if i.SnapshotBytes > 0 {
		fmt.Fprintf(out, "snapshot  %d bytes, which instances are brought back to\n", i.SnapshotBytes)
	} else {
		fmt.Fprintln(out, "snapshot  none: instances are replaced")
	}
	fmt.Fprintf(out, "fuel      %d to start, %d to describe\n", i.StartFuel, i.DescribeFuel)
	for _, s := range i.Sections {
		fmt.Fprintf(out, "section   %-28s %d bytes\n", s.Name, s.Bytes)
	}
	for _, text := range i.Imports {
		fmt.Fprintln(out, "import   ", text)
	}
	for _, text := range i.Exports {
		fmt.Fprintln(out, "export   ", text)
	}
	for _, r := range m.Resources {
		fmt.Fprintln(out, "resource ", describeResource(r))
		for _, v := range r.Versions {
			schema := "no schema"
			if v.Schema != nil {
				schema = "schema"
			}
			fmt.Fprintf(out, "version   %s served=%t storage=%t hooks=%t columns=%d %s\n", v.Name, v.Served, v.Storage, v.Hooks, len(v.Columns), schema)
		}
		for _, s := range r.Subresources {
			printSubresource(out, s)
		}
	}
}

func printSubresource(out io.Writer, s engine.Subresource) {
	var hooks []string
	if s.Strategy != nil {
		hooks = hookNames(s.Strategy.Hooks())
	}
	fmt.Fprintf(out, "sub       %s hooks=%v\n", s.Name, hooks)
}

// printSignatures shows the signatures beside a module. Whose they are, verify tells.
func printSignatures(out io.Writer, file string, wasm []byte) error {
	all, err := addSignatures(nil, file+signatureSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, text := range describeSignatures(all) {
		if err := all[i].CheckDigest(wasm); err != nil {
			text += ": " + err.Error()
		}
		fmt.Fprintln(out, "signature", text)
	}
	return nil
}
