package command

import (
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
)

func promoteCommand() *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use: "promote NAME", Short: "Make the revision that is in shadow or canary the active one", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := newClient(config)
			if err != nil {
				return err
			}
			answer, err := client.do(cmd.Context(), "POST", pluginsPath+"/"+url.PathEscape(args[0])+"/promote", "application/json", "application/json", nil)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "strategyplugin/%s revision %d is active\n", args[0], gjson.GetBytes(answer, "status.activeRevision").Int())
			return nil
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	return cmd
}
