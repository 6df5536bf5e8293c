package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
)

func rollbackCommand() *cobra.Command {
	var config string
	var revision int64
	cmd := &cobra.Command{
		Use: "rollback NAME", Short: "End the shadow or canary that runs, or make an earlier revision active again", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := newClient(config)
			if err != nil {
				return err
			}
			body := fmt.Appendf(nil, `{"revision":%d}`, revision)
			answer, err := client.do(cmd.Context(), "POST", pluginsPath+"/"+args[0]+"/rollback", "application/json", "application/json", body)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "strategyplugin/%s revision %d is active\n", args[0], gjson.GetBytes(answer, "status.activeRevision").Int())
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().Int64Var(&revision, "to-revision", 0, "revision to go back to (default: where a shadow or canary runs, only that ends; else the one before the active one)")
	return cmd
}
