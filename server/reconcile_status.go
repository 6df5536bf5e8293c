package server

import (
	"fmt"

	"github.com/stratagem-dev/stratagem/server/rollout"
)

// The states of a revision besides Active and Superseded.
const (
	stateVerified   = "Verified"   // it may be served, and is not
	stateRolledBack = "RolledBack" // it was tried, and somebody or something put an end to it
	stateInactive   = "Inactive"   // of a plugin: no revision answers, and nobody has disabled it
)

// follow makes the status tell what an activation says; nil is no activation. served is what this server serves, if it does.
func (s *strategyPlugin) follow(a *activation, served *activePlugin) {
	if a == nil {
		s.notActive()
		return
	}
	if s.Status.ActiveRevision != a.Revision || s.Status.Digest != "sha256:"+a.Digest {
		s.followActive(a, served)
	}
	if a.Trial != nil {
		s.followTrial(a.Trial)
		return
	}
	if a.ended(s) || s.Spec.Rollout != nil && s.Spec.Rollout.Revision == a.Revision {
		s.Spec.Rollout = nil
	}
	s.followEnd(a.Ended)
}

// notActive tells that nothing answers, where that is not what an operator wanted: a server that pushed has ended too early.
func (s *strategyPlugin) notActive() {
	if s.Status.State == stateDisabled || s.Status.ActiveRevision == 0 {
		return
	}
	was := s.Status.ActiveRevision
	s.setState(was, stateVerified)
	s.Spec.Revision, s.Status.ActiveRevision, s.Status.Digest, s.Status.Version = 0, 0, "", ""
	s.Status.State = stateInactive
	s.setCondition(conditionActive, "False", "NotActivated", fmt.Sprintf("revision %d has not come into force; push it again, or roll back to it", was))
}

// followActive tells which revision answers, where the status says another: a server has ended between the two.
func (s *strategyPlugin) followActive(a *activation, served *activePlugin) {
	wanted := s.Status.ActiveRevision
	if served != nil && served.activation.Revision == a.Revision {
		s.activate(a.Revision, served.module)
	} else {
		s.Spec.Revision, s.Status.ActiveRevision, s.Status.Digest, s.Status.State = a.Revision, a.Revision, "sha256:"+a.Digest, stateActive
		s.setState(a.Revision, stateActive)
		for _, r := range s.Status.Revisions {
			if r.Revision == a.Revision {
				s.Status.Version, s.Status.ABI = r.Version, r.ABI
			}
		}
	}
	if wanted > a.Revision {
		s.setState(wanted, stateVerified) // it never came into force
	}
}

// followTrial tells which revision is tried.
func (s *strategyPlugin) followTrial(t *activeTrial) {
	if !sameTrial(s.Spec.Rollout, &t.Spec) {
		return // the activation is about to follow
	}
	s.setState(t.Revision, string(t.Mode))
	if s.Status.Rollout == nil || s.Status.Rollout.StartedAt != t.StartedAt {
		s.Status.Rollout = &rolloutStatus{Revision: t.Revision, Mode: t.Mode, StartedAt: t.StartedAt}
		s.Status.Rollout.Summary = s.Status.Rollout.summary()
	}
	s.setCondition(conditionTrial, "True", string(t.Mode), trialMessage(&t.Spec))
}

// trialMessage is a trial in a sentence.
func trialMessage(spec *rollout.Spec) string {
	which := fmt.Sprintf("%d%% of the writes", spec.Share())
	if spec.NamespaceSelector != nil {
		which += " in the selected namespaces"
	}
	if spec.Mode == rollout.Canary {
		return fmt.Sprintf("revision %d answers %s", spec.Revision, which)
	}
	return fmt.Sprintf("revision %d runs beside the active one on %s", spec.Revision, which)
}

// followEnd tells why the last trial is over, where that has not been told.
func (s *strategyPlugin) followEnd(ended *endedTrial) {
	if ended == nil {
		return
	}
	if s.Status.Rollout == nil || s.Status.Rollout.StartedAt < ended.StartedAt {
		s.Status.Rollout = &rolloutStatus{Revision: ended.Revision, Mode: ended.Mode, StartedAt: ended.StartedAt}
	}
	if s.Status.Rollout.StartedAt != ended.StartedAt || s.Status.Rollout.EndedAt != "" {
		return
	}
	s.Status.Rollout.EndedAt = ended.EndedAt
	s.Status.Rollout.Summary = s.Status.Rollout.summary()
	if ended.Revision != s.Status.ActiveRevision {
		s.setState(ended.Revision, stateRolledBack)
		s.setMessage(ended.Revision, ended.Message)
	}
	s.setCondition(conditionTrial, "False", ended.Reason, ended.Message)
}

// setState notes the state of a revision; what was in a state that only one can have becomes superseded.
func (s *strategyPlugin) setState(revision int64, state string) {
	for i := range s.Status.Revisions {
		r := &s.Status.Revisions[i]
		switch {
		case r.Revision == revision:
			r.State, r.Message = state, ""
		case r.State == state && state == stateActive:
			r.State = stateSuperseded
		case r.State == state && (state == string(rollout.Shadow) || state == string(rollout.Canary)):
			r.State = stateRolledBack
		}
	}
}

func (s *strategyPlugin) setMessage(revision int64, message string) {
	for i := range s.Status.Revisions {
		if s.Status.Revisions[i].Revision == revision {
			s.Status.Revisions[i].Message = message
		}
	}
}
