package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
)

const migrationsPath = "/apis/" + migration.Group + "/" + migration.Version + "/" + migration.Plural

// migrateFlags are the flags of migrate.
type migrateFlags struct {
	config  string
	noWait  bool
	timeout time.Duration
}

func migrateCommand() *cobra.Command {
	var f migrateFlags
	cmd := &cobra.Command{
		Use: "migrate RESOURCE[.GROUP]", Short: "Rewrite all objects of a resource in its storage version", Args: cobra.ExactArgs(1),
		Long: "Creates a StorageVersionMigration and shows its progress until it has ended. The server does the work: it goes on when this\n" +
			"command is interrupted, and after a restart. At the end no object is stored in an older version, which may then be dropped.",
		Example: "  stratagem migrate crontabs.stable.example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.migrate(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	flags.BoolVar(&f.noWait, "no-wait", false, "return when the migration has been created")
	flags.DurationVar(&f.timeout, "timeout", 0, "how long to wait for the migration's end, 0 for ever; the migration itself goes on")
	return cmd
}

func (f *migrateFlags) migrate(ctx context.Context, out io.Writer, resource string) error {
	if f.timeout < 0 {
		return fmt.Errorf("--timeout %s: must not be negative", f.timeout)
	}
	client, err := newClient(f.config)
	if err != nil {
		return err
	}
	gr, err := client.findResource(ctx, resource)
	if err != nil {
		return err
	}
	name, err := createMigration(ctx, client, gr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "storageversionmigration/%s created\n", name)
	if f.noWait {
		return nil
	}
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	return followMigration(ctx, client, out, name)
}

// createMigration asks for a migration and returns its name.
func createMigration(ctx context.Context, client *apiClient, gr schema.GroupResource) (string, error) {
	body, err := json.Marshal(map[string]any{
		"apiVersion": migration.Group + "/" + migration.Version, "kind": "StorageVersionMigration", "metadata": map[string]any{"generateName": gr.String() + "-"},
		"spec": map[string]any{"resource": metav1.GroupResource{Group: gr.Group, Resource: gr.Resource}},
	})
	if err != nil {
		return "", err
	}
	created, err := client.do(ctx, "POST", migrationsPath, "application/json", "application/json", body)
	if err != nil {
		return "", fmt.Errorf("creating a StorageVersionMigration: %w", err)
	}
	return gjson.GetBytes(created, "metadata.name").String(), nil
}

const (
	// migrationPoll is how often the progress is asked for.
	migrationPoll = 200 * time.Millisecond
	// unreachablePatience is how long the server may not answer, as while it is restarted.
	unreachablePatience = 2 * time.Minute
)

// followMigration shows what a migration tells of itself until it has ended. A failure is an error.
func followMigration(ctx context.Context, client *apiClient, out io.Writer, name string) error {
	ticker := time.NewTicker(migrationPoll)
	defer ticker.Stop()
	told, answered := "", time.Now()
	for {
		obj, err := client.do(ctx, "GET", migrationsPath+"/"+name, "application/json", "", nil)
		var refused *answerError
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("storageversionmigration/%s has not ended yet, and goes on: %w", name, ctx.Err())
		case errors.As(err, &refused) && refused.code < 500:
			return fmt.Errorf("storageversionmigration/%s: %w", name, err)
		case err != nil && time.Since(answered) > unreachablePatience:
			return err
		case err == nil:
			answered = time.Now()
			phase := migration.Phase(engine.Object(obj))
			message := gjson.GetBytes(obj, `status.conditions.#(status=="True").message`).String()
			if phase == migration.Failed {
				return fmt.Errorf("storageversionmigration/%s failed: %s", name, message)
			}
			if message != told {
				fmt.Fprintf(out, "storageversionmigration/%s: %s\n", name, message)
				told = message
			}
			if phase == migration.Succeeded {
				return nil
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}
