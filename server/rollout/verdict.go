package rollout

import (
	"errors"

	"github.com/stratagem-dev/stratagem/engine"
)

// Verdict is what came of a request.
type Verdict string

// The verdicts.
const (
	Taken    Verdict = "Taken"
	Rejected Verdict = "Rejected" // 4xx: field errors, conflicts, refusals
	Failed   Verdict = "Failed"   // the plugin trapped, ran out of its budget, gave a malformed reply or an error
	Undone   Verdict = "Undone"   // it did not come to a verdict: no instance was free, the storage failed
)

// VerdictOf is the verdict that an error of the engine stands for, with the kind of failure.
func VerdictOf(err error) (Verdict, engine.FailureKind) {
	if err == nil {
		return Taken, ""
	}
	var hook *engine.HookError
	if errors.As(err, &hook) {
		return Failed, hook.Kind
	}
	var (
		invalid   *engine.InvalidError
		bad       *engine.BadRequestError
		forbidden *engine.ForbiddenError
		missing   *engine.NotFoundError
		exists    *engine.AlreadyExistsError
		conflict  *engine.ConflictError
		refused   *engine.RefusedError
	)
	for _, target := range []any{&invalid, &bad, &forbidden, &missing, &exists, &conflict, &refused} {
		if errors.As(err, target) {
			return Rejected, ""
		}
	}
	return Undone, ""
}
