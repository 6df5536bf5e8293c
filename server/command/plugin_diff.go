package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/artifact"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// errDiffers makes the command end with 1, as diff does.
var errDiffers = errors.New("the candidate makes something else of stored objects")

func diffCommand() *cobra.Command {
	var config, output string
	var revision int64
	var f sourceFlags
	cmd := &cobra.Command{
		Use: "diff NAME [SOURCE]", Short: "Show what a module would make of all stored objects", Args: cobra.RangeArgs(1, 2),
		Long: "Has the server run a module, or a revision of the plugin's history (--revision), over all stored objects of the plugin's resources, and\n" +
			"compare with the active revision: each object is put as clients read it, and created anew. Nothing is written. SOURCE is as in push.\n" +
			"The command fails when there are differences.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 2) == (revision > 0) {
				return errors.New("either SOURCE or --revision is required")
			}
			if output != "" && output != "json" {
				return fmt.Errorf(`--output %q: must be "json"`, output)
			}
			var a artifact.Artifact
			var err error
			if len(args) == 2 {
				if a, err = f.fetch(cmd.Context(), args[1]); err != nil {
					return err
				}
			}
			client, err := newClient(config)
			if err != nil {
				return err
			}
			diff, err := client.diff(cmd.Context(), cmd.ErrOrStderr(), args[0], revision, a)
			if err != nil {
				return err
			}
			if output == "json" {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(diff)
			} else {
				printDiff(cmd.OutOrStdout(), diff)
			}
			if err == nil && diff.Differs() {
				err = errDiffers
			}
			return err
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	cmd.Flags().Int64Var(&revision, "revision", 0, "revision of the plugin's history, in place of SOURCE")
	cmd.Flags().StringVarP(&output, "output", "o", "", `"json": the PluginDiff as the server answers it`)
	f.add(cmd)
	return cmd
}

// diff asks a server for a diff and tells of its progress meanwhile.
func (c *apiClient) diff(ctx context.Context, progress io.Writer, name string, revision int64, a artifact.Artifact) (*server.PluginDiff, error) {
	query := url.Values{"progress": {"true"}}
	if revision > 0 {
		query.Set("revision", strconv.FormatInt(revision, 10))
	}
	resp, err := c.open(ctx, http.MethodPost, pluginsPath+"/"+url.PathEscape(name)+"/diff?"+query.Encode(), moduleHeader(a), a.Wasm)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("the answer ended before its last line: %w", err)
		}
		var kind metav1.TypeMeta
		if err := json.Unmarshal(line, &kind); err != nil {
			return nil, fmt.Errorf("the answer is no JSON: %w", err)
		}
		switch kind.Kind {
		case "DiffProgress":
			var p server.DiffProgress
			if err := json.Unmarshal(line, &p); err != nil {
				return nil, err
			}
			fmt.Fprintf(progress, "%s: %d of %d objects\n", p.Resource, p.Done, p.Objects)
		case "PluginDiff":
			diff := new(server.PluginDiff)
			return diff, json.Unmarshal(line, diff)
		default:
			var status metav1.Status
			if err := json.Unmarshal(line, &status); err != nil {
				return nil, err
			}
			return nil, errors.New(status.Message)
		}
	}
}

// printDiff prints a diff for people to read.
func printDiff(out io.Writer, d *server.PluginDiff) {
	fmt.Fprintf(out, "strategyplugin/%s: %.19s beside the active revision %d\n", d.Plugin, d.Candidate, d.Active)
	var missing []string
	for resource := range d.Missing {
		missing = append(missing, resource)
	}
	slices.Sort(missing)
	for _, resource := range missing {
		fmt.Fprintf(out, "\n%s is no longer defined; there are %d objects\n", resource, d.Missing[resource])
	}
	for i := range d.Resources {
		r := &d.Resources[i]
		fmt.Fprintf(out, "\n%s: %d objects at resourceVersion %s, %d of them differ\n", r.Resource, r.Objects, r.ResourceVersion, r.Differing)
		if r.Unreadable > 0 {
			fmt.Fprintf(out, "  %d cannot be read by the active revision\n", r.Unreadable)
		}
		for _, part := range []struct {
			what   string
			counts *rollout.Counts
		}{{"put as they are", &r.Update}, {"created anew", &r.Create}} {
			fmt.Fprintln(out, "  "+part.what)
			for _, line := range countLines(part.counts) {
				fmt.Fprintln(out, "    "+line)
			}
		}
		for i := range r.Samples {
			printSample(out, &r.Samples[i])
		}
	}
}
