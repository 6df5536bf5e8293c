package server

import (
	"slices"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// The types of a StrategyPlugin's conditions besides the policy's.
const (
	conditionUploaded = "Uploaded" // the last module that was sent
	conditionVerified = "Verified" // whether that module may be served
	conditionActive   = "Active"   // whether a revision answers
	conditionTrial    = "Rollout"  // whether a revision is tried beside it
)

// The reasons of the condition Rollout, the modes of a trial besides.
const (
	reasonErrorRate  = "ErrorRateExceeded"
	reasonPromoted   = "Promoted"
	reasonRolledBack = "RolledBack"
	reasonReplaced   = "Replaced"
	reasonEnded      = "Ended"
	reasonDisabled   = "Disabled"
	reasonRefused    = "Refused"
)

// setCondition puts a condition in the place of the one of its type. The time of the last transition is that of a change of its status.
func (s *strategyPlugin) setCondition(kind, status, reason, message string) {
	now := pluginCondition{
		Type: kind, Status: status, Reason: reason, Message: message, ObservedGeneration: s.generation(),
		LastTransitionTime: time.Now().UTC().Format(time.RFC3339),
	}
	i := slices.IndexFunc(s.Status.Conditions, func(c pluginCondition) bool { return c.Type == kind })
	if i < 0 {
		s.Status.Conditions = append(s.Status.Conditions, now)
		return
	}
	was := &s.Status.Conditions[i]
	if was.Status == status {
		now.LastTransitionTime = was.LastTransitionTime
	}
	if was.Status == status && was.Reason == reason && was.Message == message {
		return
	}
	*was = now
}

// generation is that of the object as it was read, 0 where it is new.
func (s *strategyPlugin) generation() int64 {
	meta := engine.ParseFields(s.Metadata)
	return meta.Int("generation")
}
