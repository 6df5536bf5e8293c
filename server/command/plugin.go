package command

import "github.com/spf13/cobra"

func pluginCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "plugin", Short: "Write, build, test and upload strategy plugins"}
	cmd.AddCommand(initCommand(), buildCommand(), pushCommand(), listCommand(), checkCommand(), inspectCommand(), testCommand(), runCommand(), benchCommand(), explainCommand(), pullCommand(), publishCommand(), keygenCommand(), signCommand(), verifyCommand(), rollbackCommand(), promoteCommand(), statusCommand(), diffCommand(), disableCommand())
	return cmd
}
