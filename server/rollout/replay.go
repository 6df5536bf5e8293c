package rollout

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
)

// outcome is what a request came to when it was made again.
type outcome struct {
	verdict  Verdict
	failure  engine.FailureKind
	object   engine.Object
	warnings []string
	err      error
	cost
}

// Twins are the stores of a resource whose plugin has a revision on trial.
type Twins struct {
	// Active is the store in force, Candidate the same with the hooks of the revision that is tried.
	Active, Candidate *engine.Store

	meter                             meter
	measuredActive, measuredCandidate *engine.Store
}

// NewTwins makes the store of a revision beside the one in force.
func NewTwins(active *engine.Store, candidate *engine.Resource) *Twins {
	return Pair(active, active.With(candidate))
}

// Pair makes twins of two stores of the same objects.
func Pair(active, candidate *engine.Store) *Twins {
	t := &Twins{Active: active, Candidate: candidate}
	t.measuredActive, t.measuredCandidate = t.meter.store(t.Active), t.meter.store(t.Candidate)
	return t
}

// replay makes the request of a job again on what was there before it, by one store. Nothing is stored.
func (t *Twins) replay(ctx context.Context, j *Job, store *engine.Store, then *past) outcome {
	info := *j.Info
	info.Account = t.meter.begin()
	result, err := again(ctx, j, &info, store.Over(then))
	out := outcome{object: result.Object, warnings: result.Warnings, err: err, cost: t.meter.end(info.Account)}
	out.verdict, out.failure = VerdictOf(err)
	return out
}

// again makes the request of a job in a store.
func again(ctx context.Context, j *Job, info *engine.RequestInfo, store *engine.Store) (engine.Result, error) {
	switch {
	case j.Create != nil:
		req := *j.Create
		req.Info = info
		if req.Object.Name() == "" {
			meta := req.Object.Meta()
			meta.SetString("name", j.name())
			req.Object = req.Object.WithMeta(meta)
		}
		return store.Create(ctx, req)
	case j.Update != nil:
		req := *j.Update
		req.Info = info
		return store.Update(ctx, req)
	default:
		req := *j.Delete
		req.Info = info
		return store.Delete(ctx, req)
	}
}
