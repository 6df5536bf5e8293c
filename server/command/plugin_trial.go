package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/authoring/trial"
)

func testCommand() *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use: "test FILE.wasm [DIR|FILE.yaml…]", Short: "Take a module through lifecycle cases in the real engine", Args: cobra.MinimumNArgs(1),
		Long: "Runs the cases in YAML files (default: the folder cases beside the module) against a compiled module, over an etcd of their own.\n" +
			"A case is a document with name, operation (create, update, patch, get, delete or a subresource), input, old, others (what\n" +
			"hooks may read: lists of objects by the name of their resource), and expect (object, errors, warnings, message, deleted, maxFuel).",
		RunE: func(cmd *cobra.Command, args []string) error {
			paths := args[1:]
			if len(paths) == 0 {
				paths = []string{filepath.Join(filepath.Dir(args[0]), "cases")}
			}
			files, err := trial.Files(paths...)
			if err != nil {
				return err
			}
			return withWorld(cmd.Context(), args[0], func(w *trial.World) error {
				return runCases(cmd.Context(), cmd.OutOrStdout(), w, files, write)
			})
		},
	}
	cmd.Flags().BoolVar(&write, "write", false, "make what comes out what is expected, in the files")
	return cmd
}

// withWorld loads a module, does something with it, and throws all away.
func withWorld(ctx context.Context, file string, do func(*trial.World) error) error {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	w, err := trial.NewWorld(ctx, wasm, host.Options{Log: log, Limits: host.Limits{FailingTime: time.Second}}) // cases may expect failures, one after the other
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return errors.Join(do(w), w.Close(context.WithoutCancel(ctx)))
}

// runCases prints a line for each case, and below it how it differs.
func runCases(ctx context.Context, out io.Writer, w *trial.World, files []*trial.File, write bool) error {
	passed, failed := 0, 0
	for _, file := range files {
		for i := range file.Cases {
			ok, err := runCase(ctx, out, w, file, i, write)
			if err != nil {
				return fmt.Errorf("%s, case %q: %w", file.Path, file.Cases[i].Name, err)
			}
			if ok {
				passed++
			} else {
				failed++
			}
		}
		if write {
			if err := file.Write(); err != nil {
				return err
			}
		}
	}
	switch {
	case passed+failed == 0:
		return errors.New("there are no cases")
	case failed > 0:
		return fmt.Errorf("%d of %d cases failed", failed, passed+failed)
	}
	fmt.Fprintf(out, "%d cases passed\n", passed)
	return nil
}

func runCase(ctx context.Context, out io.Writer, w *trial.World, file *trial.File, i int, write bool) (ok bool, err error) {
	c := &file.Cases[i]
	req, err := c.Request()
	if err != nil {
		return false, err
	}
	result, err := w.Run(ctx, req)
	if err != nil {
		return false, err
	}
	if write {
		fmt.Fprintf(out, "WRITE  %s  (fuel %s)\n", c.Name, result.Explanation.FuelText())
		return true, file.Record(i, result)
	}
	differences, err := c.Expect.Compare(result)
	verdict := "PASS"
	if len(differences) > 0 {
		verdict = "FAIL"
	}
	fmt.Fprintf(out, "%s  %s  (fuel %s)\n", verdict, c.Name, result.Explanation.FuelText())
	for _, d := range differences {
		fmt.Fprintln(out, d)
	}
	return len(differences) == 0, err
}
