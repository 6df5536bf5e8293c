package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server"
)

func disableCommand() *cobra.Command {
	var config string
	var f serveFlags
	cmd := &cobra.Command{
		Use: "disable NAME", Short: "Switch a plugin off: its resources are no longer served, its objects stay", Args: cobra.ExactArgs(1),
		Long: "Asks a server to switch a plugin off; with --etcd-servers, or with --data-dir and the server stopped, it is switched off in\n" +
			"etcd, without any server and without the plugin being loaded. A rollback or a push brings it back.",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if len(f.etcd.Endpoints) > 0 || f.dataDir != "" {
				err = disableStored(cmd.Context(), f, args[0])
			} else {
				err = disableOnline(cmd.Context(), config, args[0])
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "strategyplugin/%s is disabled; `stratagem plugin rollback %s` brings it back\n", args[0], args[0])
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	flags.StringVar(&f.dataDir, "data-dir", "", "data dir of a server that is stopped, and had etcd inside")
	flags.StringSliceVar(&f.etcd.Endpoints, "etcd-servers", nil, "URLs of the external etcd")
	flags.StringVar(&f.etcdPrefix, "etcd-prefix", "/registry", "what stands in front of every key in etcd")
	flags.StringVar(&f.etcd.CAFile, "etcd-cafile", "", "authority of the external etcd's certificate")
	flags.StringVar(&f.etcd.CertFile, "etcd-certfile", "", "client certificate for the external etcd")
	flags.StringVar(&f.etcd.KeyFile, "etcd-keyfile", "", "key of --etcd-certfile")
	cmd.MarkFlagsMutuallyExclusive("data-dir", "etcd-servers", "kubeconfig")
	return cmd
}

func disableOnline(ctx context.Context, config, name string) error {
	client, err := newClient(config)
	if err != nil {
		return err
	}
	_, err = client.do(ctx, "POST", pluginsPath+"/"+url.PathEscape(name)+"/disable", "application/json", "application/json", nil)
	return err
}

// disableStored needs no server: it changes what is stored. A data dir that has no etcd in it is a mistake, not a new one.
func disableStored(ctx context.Context, f serveFlags, name string) error {
	if f.dataDir != "" {
		if _, err := os.Stat(filepath.Join(f.dataDir, "etcd")); err != nil {
			return fmt.Errorf("--data-dir: %w", err)
		}
	}
	storage, err := openStorage(f, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	_, err = server.DisableStored(ctx, storage.Storage, name)
	return errors.Join(err, storage.close())
}
