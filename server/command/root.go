// Package command is the command line of stratagem: one file a command.
package command

import "github.com/spf13/cobra"

// Version is the version of this build.
const Version = "v0.1.0"

// New is the whole command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use: "stratagem", Short: "A Kubernetes-compatible API server whose resources are WebAssembly plugins",
		Version: Version, SilenceUsage: true, SilenceErrors: true,
	}
	root.AddCommand(serveCommand(), pluginCommand(), explainCommand(), migrateCommand())
	return root
}
