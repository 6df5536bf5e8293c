package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stratagem-dev/stratagem/host"
)

// How many revisions a StrategyPlugin remembers, where its spec does not say, and at most.
const (
	defaultHistory = 10
	maxHistory     = 100
)

func (s *strategyPlugin) lastRevision() (last int64) {
	for _, r := range s.Status.Revisions {
		last = max(last, r.Revision)
	}
	return last
}

// activeIsBundled tells whether what is active came with a server, or what would be, had the server not ended that installed it.
func (s *strategyPlugin) activeIsBundled() bool {
	wanted := s.Status.ActiveRevision
	if wanted == 0 && s.Status.State != stateDisabled {
		wanted = s.lastRevision()
	}
	for _, r := range s.Status.Revisions {
		if r.Revision == wanted {
			return r.Bundled
		}
	}
	return false
}

// awaitsFirst tells that no module has been pushed yet, and that one is welcome.
func (s *strategyPlugin) awaitsFirst() bool {
	return len(s.Status.Revisions) == 0 && s.Status.State != stateDisabled
}

// addRevision appends a verified revision.
func (s *strategyPlugin) addRevision(in push, revision int64, module *host.Module) {
	s.Status.Revisions = append(s.Status.Revisions, pluginRevision{
		Revision: revision, Digest: "sha256:" + module.Digest, Version: module.Version, ABI: host.ABIVersion, Bytes: int64(len(in.wasm)),
		PushedAt: time.Now().UTC().Format(time.RFC3339), PushedBy: in.by, Bundled: in.bundled, Source: in.source, State: stateVerified,
	})
	s.trimHistory()
	s.setCondition(conditionUploaded, "True", "Pushed", fmt.Sprintf("revision %d, sha256:%s of %d bytes, was pushed by %s", revision, module.Digest, len(in.wasm), in.by))
	s.setCondition(conditionVerified, "True", "Verified", fmt.Sprintf("revision %d has passed all checks", revision))
}

// trimHistory forgets the oldest revisions, but neither the newest nor one that is served.
func (s *strategyPlugin) trimHistory() {
	limit := defaultHistory
	if s.Spec.RevisionHistoryLimit != nil {
		limit = int(min(max(*s.Spec.RevisionHistoryLimit, 1), maxHistory))
	}
	for i := 0; len(s.Status.Revisions) > limit && i < len(s.Status.Revisions)-1; {
		r := s.Status.Revisions[i].Revision
		if r == s.Status.ActiveRevision || s.Spec.Rollout != nil && r == s.Spec.Rollout.Revision {
			i++
			continue
		}
		s.Status.Revisions = slices.Delete(s.Status.Revisions, i, i+1)
	}
}

// activate makes a revision, which module is, the active one.
func (s *strategyPlugin) activate(revision int64, module *host.Module) {
	s.setState(revision, stateActive)
	s.Spec.Revision, s.Spec.Rollout = revision, nil
	s.Status.ActiveRevision, s.Status.Digest, s.Status.Version = revision, "sha256:"+module.Digest, module.Version
	s.Status.ABI, s.Status.State = host.ABIVersion, stateActive
	s.setResources(module)
	s.setCondition(conditionActive, "True", "Verified", fmt.Sprintf("revision %d verified and serves %s", revision, s.Status.ResourceNames))
}

// tellRefused notes in a StrategyPlugin that a module was refused. What answers is not touched.
func (p *Plugins) tellRefused(ctx context.Context, in push, refused *host.LoadError) {
	_, err := p.modify(ctx, in.name, func(plugin *strategyPlugin) {
		sent := fmt.Sprintf("sha256:%s of %d bytes, pushed by %s", host.Digest(in.wasm), len(in.wasm), in.by)
		plugin.setCondition(conditionUploaded, "True", "Pushed", sent)
		plugin.setCondition(conditionVerified, "False", reasonRefused, sent+", was refused: "+refused.Error())
	})
	if err != nil {
		p.server.log.Warn("a StrategyPlugin could not be told of a module that was refused", "plugin", in.name, "error", err)
	}
}
