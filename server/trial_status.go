package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stratagem-dev/stratagem/server/rollout"
)

// rolloutStatus is what a StrategyPlugin tells of the trial that runs, or of the last one.
type rolloutStatus struct {
	Revision  int64        `json:"revision"`
	Mode      rollout.Mode `json:"mode"`
	StartedAt string       `json:"startedAt"`
	EndedAt   string       `json:"endedAt,omitempty"`
	Summary   string       `json:"summary,omitempty"` // for the table
	// Counts are the sums of what the replicas report.
	Counts   rollout.Counts   `json:"counts"`
	Samples  []rollout.Sample `json:"samples,omitempty"`
	Replicas []replicaReport  `json:"replicas,omitempty"`
}

// replicaReport is what one server has counted. It alone writes its own.
type replicaReport struct {
	Name       string         `json:"name"`
	ReportedAt string         `json:"reportedAt"`
	Counts     rollout.Counts `json:"counts"`
}

// The bounds of the reports: what servers have counted that are gone for long is added up in one.
const (
	maxReplicas  = 16
	replicasGone = "others"
)

// report writes what this server has counted into its entry of a StrategyPlugin, and adds all up again.
func (p *Plugins) report(ctx context.Context, t *trial) {
	counts, samples, fresh := t.Report()
	if !fresh {
		return
	}
	var written *rollout.Counts
	_, err := p.modify(ctx, t.plugin, func(plugin *strategyPlugin) {
		status := plugin.Status.Rollout
		if status == nil || status.StartedAt != t.named.StartedAt {
			return
		}
		if t.told.reported != nil && !status.knows(p.server.replica) {
			t.told.folded.Add(t.told.reported) // into the sum of those that are gone for long
			t.told.reported = nil
		}
		var own rollout.Counts
		own.Add(&counts)
		own.Subtract(&t.told.folded)
		status.add(replicaReport{p.server.replica, time.Now().UTC().Format(time.RFC3339), own})
		written = &own
		status.Samples = rollout.Merge(status.Samples, samples)
	})
	if err != nil {
		t.Unreported()
		p.server.log.Warn("what was counted could not be reported", "plugin", t.plugin, "error", err)
	} else if written != nil {
		t.told.reported = written
	}
}

// knows tells whether a server has an entry.
func (s *rolloutStatus) knows(replica string) bool {
	return slices.ContainsFunc(s.Replicas, func(r replicaReport) bool { return r.Name == replica })
}

// add puts a server's report in the place of its last one.
func (s *rolloutStatus) add(report replicaReport) {
	i := slices.IndexFunc(s.Replicas, func(r replicaReport) bool { return r.Name == report.Name })
	if i >= 0 {
		s.Replicas[i] = report
	} else {
		s.Replicas = append(s.Replicas, report)
	}
	for len(s.Replicas) > maxReplicas {
		s.forgetOldest()
	}
	s.Counts = rollout.Counts{}
	for i := range s.Replicas {
		s.Counts.Add(&s.Replicas[i].Counts)
	}
	s.Summary = s.summary()
}

// forgetOldest adds the two reports up that have not changed for longest.
func (s *rolloutStatus) forgetOldest() {
	slices.SortStableFunc(s.Replicas, func(a, b replicaReport) int {
		if a.Name == replicasGone || b.Name == replicasGone {
			return cmp.Compare(b2i(a.Name != replicasGone), b2i(b.Name != replicasGone))
		}
		return cmp.Compare(a.ReportedAt, b.ReportedAt)
	})
	sum := replicaReport{Name: replicasGone, ReportedAt: s.Replicas[1].ReportedAt}
	sum.Counts.Add(&s.Replicas[0].Counts)
	sum.Counts.Add(&s.Replicas[1].Counts)
	s.Replicas = append([]replicaReport{sum}, s.Replicas[2:]...)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// summary is the trial in a few words: "Shadow of 3: 120 requests, 4 newly rejected".
func (s *rolloutStatus) summary() string {
	text := fmt.Sprintf("%s of %d: %d requests", s.Mode, s.Revision, s.Counts.Requests)
	for _, part := range []struct {
		n    int64
		what string
	}{
		{s.Counts.Failed, "failed"}, {s.Counts.Rejected, "rejected"}, {s.Counts.NewlyRejected, "newly rejected"}, {s.Counts.NewlyTaken, "newly taken"},
		{s.Counts.DifferentErrors + s.Counts.DifferentObjects + s.Counts.DifferentWarnings, "different"}, {s.Counts.Dropped, "dropped"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	if s.EndedAt != "" {
		text += " (ended)"
	}
	return text
}
