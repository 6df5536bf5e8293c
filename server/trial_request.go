package server

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// choose decides, for a write of a resource whose plugin has a revision on trial, whether it is one that the revision is tried
// on. The request that a canary is chosen for is served by it to its end.
func (r *request) choose(name string) {
	if !r.runsLifecycle() {
		return
	}
	gr := r.store.Resource.GroupResource()
	r.chosen = r.trial.Chooses(gr, r.info.Namespace, name, r.server.plugins.labelsOf(r.http.Context()))
	if r.chosen && r.trial.Spec.Mode == rollout.Canary {
		r.store = r.trial.twins[gr].Candidate
		if r.trace != nil {
			r.store = r.trace.Store(r.store)
		}
	}
}

// tried notes what came of a request for a resource whose plugin has a canary. One that fails too often is at an end before the request
// is answered.
func (r *request) tried(err error, took time.Duration) {
	if r.trial.Spec.Mode != rollout.Canary || r.trace != nil {
		return
	}
	if !r.runsLifecycle() {
		return
	}
	if !r.chosen {
		r.trial.Passed(took)
		return
	}
	if why := r.trial.Answered(err, took); why != "" {
		r.server.plugins.breach(r.http.Context(), r.trial, why)
	}
}

// shadow has a chosen request that has been answered made again, where the revision is in shadow.
func (r *request) shadow(job rollout.Job, result engine.Result, err error) {
	if r.trial.Spec.Mode != rollout.Shadow || r.trace != nil || isStale(err) {
		return
	}
	info := *r.info
	job.Trial, job.Twins, job.Storage, job.Info = r.trial.Trial, r.trial.twins[r.store.Resource.GroupResource()], r.server.options.Storage, &info
	if err == nil {
		job.Answered = result.Object
	}
	job.Bytes = int64(len(r.body.data) + len(job.Answered))
	r.server.shadow.Add(&job)
}

// trialFor is what a resource's plugin has on trial, nil where it has nothing.
func (v *View) trialFor(gr schema.GroupResource) *trial {
	if v.trials == nil {
		return nil
	}
	return v.trials[gr]
}
