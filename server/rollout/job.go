package rollout

import (
	"context"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine"
)

// Job is a request that has been answered and is to be made again. Of Create, Update and Delete it has one.
type Job struct {
	Trial *Trial
	Twins *Twins
	// Storage is what the stores keep their objects in.
	Storage engine.Storage

	Info   *engine.RequestInfo
	Create *engine.CreateRequest
	Update *engine.UpdateRequest
	Delete *engine.DeleteRequest

	// Answered is the object that was answered with, nil where the request was refused.
	Answered engine.Object
	// Bytes is about what the job holds in memory.
	Bytes int64
}

// generatedSuffix ends the names that replays give to objects with a generateName.
const generatedSuffix = "shado"

// name is the name of the object that the request was for.
func (j *Job) name() string {
	if j.Create == nil {
		return j.Info.Name
	}
	if name := j.Create.Object.Name(); name != "" {
		return name
	}
	return j.Create.Object.Get("metadata", "generateName").Str + generatedSuffix
}

func (j *Job) namespace() string {
	if j.Twins.Active.Resource.Namespaced {
		return j.Info.Namespace
	}
	return ""
}

// past is what was there before the request. A write bears its revision, so that what was there is what was read one revision before;
// a PUT that changed nothing bears the revision that it named.
func (j *Job) past(ctx context.Context) (*past, error) {
	revision, _ := strconv.ParseInt(j.Answered.ResourceVersion(), 10, 64)
	if j.Info.DryRun {
		revision = 0
	}
	if j.Update != nil && revision > 0 {
		if put, ok := j.Update.Change.(engine.Replace); ok && put.Object.ResourceVersion() == j.Answered.ResourceVersion() {
			revision++
		}
	}
	return before(ctx, j.Storage, j.Twins.Active.Key(j.namespace(), j.name()), revision)
}
