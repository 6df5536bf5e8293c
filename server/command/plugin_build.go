package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host/meter"
)

func buildCommand() *cobra.Command {
	var out, compiler string
	cmd := &cobra.Command{
		Use: "build [DIR]", Short: "Compile the plugin in a folder: with TinyGo when it is on PATH, else with Go", Args: cobra.MaximumNArgs(1),
		Long: "Compiles the main package in DIR (default: this folder) to a strategy plugin. Where DIR holds a schema.json, an\nOpenAPI components document, it becomes the module's custom section stratagem.openapi.",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Base(abs) + ".wasm"
			}
			return buildPlugin(cmd.Context(), abs, out, compiler)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: the folder's name with .wasm)")
	cmd.Flags().StringVar(&compiler, "compiler", "", `"tinygo" or "go" (default: tinygo when it is on PATH)`)
	return cmd
}

// compilerCommand is how each compiler is called: what comes before the output file.
var compilerCommand = map[string][]string{
	"tinygo": {"tinygo", "build", "-target=wasip1", "-buildmode=c-shared", "-opt=2", "-no-debug", "-scheduler=none", "-gc=precise",
		"-ldflags=-extldflags --initial-memory=4194304", "-o"},
	"go": {"go", "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w", "-o"},
}

// buildPlugin compiles a folder and adds its schema.
func buildPlugin(ctx context.Context, dir, out, compiler string) error {
	if compiler == "" {
		compiler = "go"
		if _, err := exec.LookPath("tinygo"); err == nil {
			compiler = "tinygo"
		}
	}
	args, known := compilerCommand[compiler]
	if !known {
		return fmt.Errorf(`--compiler %q: must be "tinygo" or "go"`, compiler)
	}
	// The compiler leaves a file alone that it takes for up to date, so it never gets to see ours.
	scratch, err := os.MkdirTemp("", "stratagem-build")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	compiled := filepath.Join(scratch, "plugin.wasm")
	build := exec.CommandContext(ctx, args[0], append(args[1:], compiled, ".")...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("%s: %w", compiler, err)
	}
	wasm, err := os.ReadFile(compiled)
	if err != nil {
		return err
	}
	schema, err := os.ReadFile(filepath.Join(dir, "schema.json"))
	if err == nil {
		wasm, err = meter.AppendCustomSection(wasm, "stratagem.openapi", schema)
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("schema.json: %w", err)
	}
	return os.WriteFile(out, wasm, 0o644)
}
