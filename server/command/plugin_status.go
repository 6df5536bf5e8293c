package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// pluginState is the part of a StrategyPlugin that `plugin status` shows.
type pluginState struct {
	Status struct {
		ActiveRevision int64  `json:"activeRevision"`
		State          string `json:"state"`
		ResourceNames  string `json:"resourceNames"`
		Revisions      []struct {
			Revision                                            int64
			Digest, Version, State, PushedAt, PushedBy, Message string
		} `json:"revisions"`
		Conditions []struct{ Type, Status, Reason, Message string } `json:"conditions"`
		Rollout    *struct {
			Revision           int64
			Mode               string
			StartedAt, EndedAt string
			Counts             rollout.Counts
			Samples            []rollout.Sample
			Replicas           []struct{ Name string }
		} `json:"rollout"`
	} `json:"status"`
}

func statusCommand() *cobra.Command {
	var config string
	cmd := &cobra.Command{
		Use: "status NAME", Short: "Show the revisions of a plugin, and what came of the one that is tried", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := newClient(config)
			if err != nil {
				return err
			}
			answer, err := client.do(cmd.Context(), "GET", pluginsPath+"/"+url.PathEscape(args[0]), "application/json", "", nil)
			if err != nil {
				return err
			}
			var state pluginState
			if err := json.Unmarshal(answer, &state); err != nil {
				return fmt.Errorf("the StrategyPlugin cannot be read: %w", err)
			}
			return state.print(cmd.OutOrStdout(), args[0])
		},
	}
	cmd.Flags().StringVar(&config, "kubeconfig", "", "kubeconfig to use (default: $KUBECONFIG, then ~/.kube/config)")
	return cmd
}

func (p *pluginState) print(out io.Writer, name string) error {
	s := &p.Status
	fmt.Fprintf(out, "strategyplugin/%s: %s, revision %d serves %s\n\n", name, s.State, s.ActiveRevision, s.ResourceNames)
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintln(w, "REVISION\tVERSION\tDIGEST\tPUSHED\tBY\tSTATE")
	for _, r := range s.Revisions {
		fmt.Fprintf(w, "%d\t%s\t%.19s\t%s\t%s\t%s\n", r.Revision, r.Version, r.Digest, r.PushedAt, r.PushedBy, r.State)
	}
	fmt.Fprintln(w, "\nCONDITION\tSTATUS\tREASON\tMESSAGE")
	for _, c := range s.Conditions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Type, c.Status, c.Reason, c.Message)
	}
	if err := w.Flush(); err != nil || s.Rollout == nil {
		return err
	}
	r := s.Rollout
	fmt.Fprintf(out, "\n%s of revision %d since %s", r.Mode, r.Revision, r.StartedAt)
	if r.EndedAt != "" {
		fmt.Fprintf(out, ", ended %s", r.EndedAt)
	}
	servers := "servers"
	if len(r.Replicas) == 1 {
		servers = "server"
	}
	fmt.Fprintf(out, ", counted by %d %s\n", len(r.Replicas), servers)
	for _, line := range countLines(&r.Counts) {
		fmt.Fprintln(out, "  "+line)
	}
	for i := range r.Samples {
		printSample(out, &r.Samples[i])
	}
	return nil
}

// countLines are the counts that are not zero, a line each.
func countLines(c *rollout.Counts) []string {
	lines := []string{fmt.Sprintf("%d requests", c.Requests)}
	for _, part := range []struct {
		n    int64
		what string
	}{
		{c.ActiveRequests, "requests beside it were answered by the active revision"}, {c.Failed, "failed in the plugin"}, {c.Rejected, "were rejected"},
		{c.NewlyRejected, "newly rejected"}, {c.NewlyTaken, "newly taken"}, {c.DifferentErrors, "rejected for other reasons"},
		{c.DifferentObjects, "with a different object"}, {c.DifferentWarnings, "with different warnings"}, {c.Dropped, "dropped without a comparison"},
	} {
		if part.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if c.Requests > 0 && c.ActiveFuel > 0 {
		lines = append(lines, "fuel for each: "+host.FuelText(c.Fuel/c.Requests, c.FuelApproximate)+", active "+host.FuelText(c.ActiveFuel/c.Requests, c.FuelApproximate))
	}
	compared := c.Requests
	if c.ActiveRequests > 0 {
		compared = c.ActiveRequests
	}
	if c.Requests > 0 && compared > 0 {
		mean := func(micros, n int64) time.Duration { return time.Duration(micros/n) * time.Microsecond }
		lines = append(lines, fmt.Sprintf("time for each: %s, active %s", mean(c.Microseconds, c.Requests), mean(c.ActiveMicroseconds, compared)))
	}
	return lines
}

func printSample(out io.Writer, s *rollout.Sample) {
	target := s.Resource
	if s.Subresource != "" {
		target += "/" + s.Subresource
	}
	fmt.Fprintf(out, "\n%s: %s %s %s\n", s.Kind, s.Verb, target, strings.TrimPrefix(s.Namespace+"/"+s.Name, "/"))
	for _, text := range s.Active {
		fmt.Fprintln(out, "  active    "+text)
	}
	for _, text := range s.Candidate {
		fmt.Fprintln(out, "  candidate "+text)
	}
	for _, op := range s.Patch {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("  %-7s %s %s", op.Op, op.Path, op.Value), " "))
	}
	if s.Omitted > 0 {
		fmt.Fprintf(out, "  and %d more\n", s.Omitted)
	}
}
