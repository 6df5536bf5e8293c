package migration

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// run is one migration that is worked on.
type run struct {
	*Controller
	ref      controllers.Ref
	uid      string
	resource schema.GroupResource
	status   status
}

// migrate does a migration, from where it stands. It returns an error where it is to be tried again, and nil when the
// migration has ended, well or not, or is gone.
func (c *Controller) migrate(ctx context.Context, obj engine.Object) error {
	r := &run{
		Controller: c, ref: controllers.Ref{GroupResource: migrations, Name: obj.Name()}, uid: obj.UID(), resource: ResourceOf(obj), status: statusOf(obj),
	}
	store, err := r.begin(ctx)
	if err == nil {
		err = r.pass(ctx, store)
	}
	if err == nil {
		err = r.ended(ctx, store.Resource, false)
	}
	var failure *failure
	switch {
	case errors.As(err, &failure):
		return r.fail(ctx, store, failure)
	case errors.Is(err, controllers.ErrGone):
		return nil
	case err != nil:
		return errors.Join(err, r.tell(ctx, fmt.Sprintf("The migration is running and tried again: %v", err)))
	}
	return r.succeed(ctx)
}

// begin notes that a pass over the objects begins, or goes on, and returns the store that they are in.
func (r *run) begin(ctx context.Context) (*engine.Store, error) {
	store, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.begun(ctx, store.Resource, r.ref.Name); err != nil {
		return nil, err
	}
	if store, err = r.store(ctx); err != nil {
		return nil, err
	}
	definition := definitionOf(store.Resource)
	if p := r.status.Progress; p == nil || p.Definition != definition {
		r.status.Progress = &progress{Definition: definition, StorageVersion: store.Resource.StorageVersion().Name}
	}
	return store, r.tell(ctx, "")
}

// store finds the store of the resource as it is defined now.
func (r *run) store(ctx context.Context) (*engine.Store, error) {
	incomplete := r.objects.Cluster.Refresh(ctx)
	store, err := r.objects.Store(r.resource)
	var missing *meta.NoResourceMatchError
	if errors.As(err, &missing) {
		if incomplete != nil {
			return nil, incomplete
		}
		return nil, &failure{"resource does not exist in discovery"}
	}
	return store, err
}

// pageSize is how many objects are looked at between two notes of the progress.
const pageSize = 500

// pass looks at all objects, page by page, from where an earlier pass under the same definition has stopped.
func (r *run) pass(ctx context.Context, store *engine.Store) error {
	p := r.status.Progress
	for {
		if err := r.checkDefinition(); err != nil {
			return err
		}
		list, err := r.page(ctx, store, p.Continue)
		if err != nil {
			return failed(err, "")
		}
		if r.status.ResourceVersion == "" {
			r.status.ResourceVersion = fmt.Sprint(list.Revision)
		}
		if p.Continue == "" {
			p.Objects, p.Seen, p.Rewritten = int64(len(list.Items))+max(list.Remaining, 0), 0, 0
		}
		rewritten, err := r.rewrite(ctx, store, list.Items)
		if err != nil {
			return err
		}
		p.Seen, p.Rewritten, p.Continue = p.Seen+int64(len(list.Items)), p.Rewritten+rewritten, list.Continue
		if p.Continue == "" {
			return r.checkDefinition()
		}
		if err := r.tell(ctx, ""); err != nil {
			return err
		}
	}
}

// checkDefinition is ErrMoved where the resource is no longer defined as when the pass began. Another try begins anew.
func (r *run) checkDefinition() error {
	now, err := r.objects.Store(r.resource)
	if err != nil || definitionOf(now.Resource) != r.status.Progress.Definition {
		return ErrMoved
	}
	return nil
}

// page lists objects as they are stored. A place that etcd has compacted away is gone on from as things are now.
func (r *run) page(ctx context.Context, store *engine.Store, from string) (engine.List, error) {
	req := engine.ListRequest{Limit: pageSize, Continue: from, Info: &engine.RequestInfo{
		Verb: "list", Group: r.resource.Group, Resource: r.resource.Resource, User: r.objects.User, Time: time.Now(),
	}}
	list, err := store.List(ctx, req)
	var expired *engine.ExpiredError
	if errors.As(err, &expired) && expired.Continue != "" {
		req.Continue = expired.Continue
		return store.List(ctx, req)
	}
	return list, err
}

// tell writes the status of a migration that is running; without a message it tells the progress.
func (r *run) tell(ctx context.Context, message string) error {
	if r.status.Progress == nil && message == "" {
		return nil
	}
	if message == "" {
		message = "The migration is running: " + r.status.Progress.String()
	}
	r.status.set(Running, runningReason, message)
	return r.write(ctx)
}

// succeed ends the migration.
func (r *run) succeed(ctx context.Context) error {
	r.status.set(Succeeded, succeededReason, "The migration has succeeded: "+r.status.Progress.String())
	r.metrics.migrations.WithLabelValues(r.resource.Group, r.resource.Resource, Succeeded).Inc()
	return r.write(ctx)
}

// fail ends the migration with the reason why. The store is nil where there is none.
func (r *run) fail(ctx context.Context, store *engine.Store, why *failure) error {
	if store != nil {
		if err := r.ended(ctx, store.Resource, true); err != nil {
			return err
		}
	}
	r.status.set(Failed, failedReason, why.message)
	r.metrics.migrations.WithLabelValues(r.resource.Group, r.resource.Resource, Failed).Inc()
	return r.write(ctx)
}

// write writes the status; a migration that has gone meanwhile ends the run.
func (r *run) write(ctx context.Context) error {
	store, err := r.objects.Store(migrations)
	if err != nil {
		return err
	}
	info := &engine.RequestInfo{
		Verb: "update", Group: Group, Version: Version, Resource: Plural, Subresource: "status", Name: r.ref.Name, User: r.objects.User, Time: time.Now(),
	}
	_, err = store.Update(ctx, engine.UpdateRequest{Info: info, Change: setStatus{r.uid, r.status}})
	var missing *engine.NotFoundError
	if errors.As(err, &missing) {
		return controllers.ErrGone
	}
	return err
}
