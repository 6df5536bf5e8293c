package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server/authoring/project"
	"github.com/stratagem-dev/stratagem/server/bundle"
)

func initCommand() *cobra.Command {
	var dir string
	spec := project.Spec{Stratagem: Version}
	cmd := &cobra.Command{
		Use: "init NAME", Short: "Write the project of a new plugin: strategy, tests, schema, Makefile, CI", Args: cobra.ExactArgs(1),
		Long: "Writes a complete Go project into a new folder. NAME is the plugin's, and the plural name of its resource.\nThe SDK's sources come with it, so it builds without a network.",
		RunE: func(cmd *cobra.Command, args []string) error {
			spec.Name = args[0]
			if dir == "" {
				dir = spec.Name
			}
			sdk, err := bundle.SDK()
			if err != nil {
				return err
			}
			if err := project.Write(dir, spec, sdk); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written; next: cd %s && make test\n", dir, dir)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder to write (default: NAME)")
	cmd.Flags().StringVar(&spec.Group, "group", "example.com", "API group of the resource")
	cmd.Flags().StringVar(&spec.Kind, "kind", "", "kind of the resource (default: made of NAME)")
	return cmd
}
