package crd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

const (
	// cleanWorkers is how many definitions are cleaned up after at once, as many as in Kubernetes.
	cleanWorkers = 5
	// lookAgain is how long a look at remaining objects waits for the next one; what leaves makes it come earlier.
	lookAgain = 5 * time.Second
)

var definitions = schema.GroupResource{Group: Group, Resource: Plural}

// Cleaner deletes the custom resources of definitions that are being deleted, and then lets these go. It is a sink of a feed.
type Cleaner struct {
	objects controllers.Objects
	queue   *controllers.Queue
	log     *slog.Logger

	mu     sync.Mutex
	ending map[schema.GroupResource]string // names of the definitions that are being deleted, by what they define
}

// NewCleaner returns a cleaner that has seen nothing.
func NewCleaner(cluster controllers.Cluster, log *slog.Logger) *Cleaner {
	return &Cleaner{
		objects: controllers.Objects{Cluster: cluster, User: controllers.User("customresourcedefinition-finalizer")},
		queue:   controllers.NewQueue(), log: log, ending: map[schema.GroupResource]string{},
	}
}

// Run cleans up until ctx ends.
func (c *Cleaner) Run(ctx context.Context) { c.queue.Run(ctx, cleanWorkers, c.clean) }

// Seen takes note of a definition that is being deleted.
func (c *Cleaner) Seen(kind *controllers.Kind, obj engine.Object, _ int64) {
	if kind.GroupResource != definitions || !obj.Deleting() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending[definedBy(obj)] = obj.Name()
	c.queue.Add(obj.Name())
}

// Gone looks again at a definition that an object has left.
func (c *Cleaner) Gone(kind *controllers.Kind, obj engine.Object, _ int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kind.GroupResource == definitions {
		delete(c.ending, definedBy(obj))
		return
	}
	if name := c.ending[kind.GroupResource]; name != "" {
		c.queue.Add(name)
	}
}

// Listed is of no interest: a look at a definition reads everything.
func (c *Cleaner) Listed(*controllers.Kind, map[string]struct{}, int64) {}

// Dropped is of no interest either.
func (c *Cleaner) Dropped(*controllers.Kind) {}

// definedBy is what a definition, of whatever version, defines.
func definedBy(obj engine.Object) schema.GroupResource {
	return schema.GroupResource{Group: obj.Get("spec", "group").Str, Resource: obj.Get("spec", "names", "plural").Str}
}

// clean is one look at a definition.
func (c *Cleaner) clean(ctx context.Context, name string) (again time.Duration, err error) {
	ref := controllers.Ref{GroupResource: definitions, Name: name}
	obj, err := c.objects.Get(ctx, ref)
	if err != nil || obj == nil || !obj.Deleting() || !finalizersOf(obj).Has(Finalizer) {
		return 0, err
	}
	in, err := internal(obj)
	if err != nil {
		return 0, err
	}
	if !apiextensions.IsCRDConditionTrue(in, apiextensions.Established) {
		if err := c.setTerminating(ctx, ref, obj.UID(), apiextensions.ConditionFalse, "NeverEstablished", "resource was never established"); err != nil {
			return 0, err
		}
		return 0, c.release(ctx, ref, obj.UID())
	}
	if err := c.setTerminating(ctx, ref, obj.UID(), apiextensions.ConditionTrue, "InstanceDeletionInProgress", "CustomResource deletion is in progress"); err != nil {
		return 0, err
	}
	remaining, err := c.deleteObjects(ctx, definedBy(obj))
	var stale *engine.StaleError
	switch {
	case errors.As(err, &stale):
		return 0, err // the definition has changed meanwhile: nothing has failed, it has to be read again
	case err != nil:
		return 0, errors.Join(err, c.setTerminating(ctx, ref, obj.UID(), apiextensions.ConditionTrue, "InstanceDeletionFailed", fmt.Sprintf("could not issue all deletes: %v", err)))
	case remaining > 0:
		return lookAgain, nil
	}
	if err := c.setTerminating(ctx, ref, obj.UID(), apiextensions.ConditionFalse, "InstanceDeletionCompleted", "removed all instances"); err != nil {
		return 0, err
	}
	return 0, c.release(ctx, ref, obj.UID())
}

// deleteObjects deletes all objects of a resource and tells how many remain, for finalizers or grace.
//
//   - Objects are taken in the version that they are stored in: what cannot be converted can be deleted.
func (c *Cleaner) deleteObjects(ctx context.Context, gr schema.GroupResource) (remaining int, err error) {
	if err := c.objects.Cluster.Refresh(ctx); err != nil {
		c.log.Warn("not all that is defined can be served", "error", err)
	}
	store, err := c.objects.Store(gr)
	if err != nil {
		return 0, err
	}
	info := &engine.RequestInfo{Verb: "deletecollection", Group: gr.Group, Resource: gr.Resource, User: c.objects.User, Time: time.Now()}
	if _, err := store.DeleteCollection(ctx, engine.ListRequest{Info: info}, metav1.DeleteOptions{}); err != nil {
		return 0, err
	}
	list, err := store.List(ctx, engine.ListRequest{Info: info, Limit: 1})
	return len(list.Items), err
}

// setTerminating writes the condition that tells of the deletion.
func (c *Cleaner) setTerminating(ctx context.Context, ref controllers.Ref, uid string, status apiextensions.ConditionStatus, reason, message string) error {
	return c.objects.Update(ctx, ref, "status", change{uid, func(obj engine.Object) (engine.Object, error) {
		return edit(obj, func(in *apiextensions.CustomResourceDefinition) {
			condition := apiextensions.CustomResourceDefinitionCondition{Type: apiextensions.Terminating, Status: status, Reason: reason, Message: message}
			if !apiextensions.IsCRDConditionEquivalent(&condition, apiextensions.FindCRDCondition(in, condition.Type)) {
				apiextensions.SetCRDCondition(in, condition)
			}
		})
	}})
}

// release takes the finalizer off, with which the definition goes.
func (c *Cleaner) release(ctx context.Context, ref controllers.Ref, uid string) error {
	return c.objects.Update(ctx, ref, "", change{uid, func(obj engine.Object) (engine.Object, error) {
		var kept []string
		for _, f := range obj.Get("metadata", "finalizers").Array() {
			kept = append(kept, f.String())
		}
		meta := obj.Meta()
		meta.SetStrings("finalizers", slices.DeleteFunc(kept, func(f string) bool { return f == Finalizer }))
		return obj.WithMeta(meta), nil
	}})
}

// change is a change of the definition of one uid.
type change struct {
	uid   string
	apply func(engine.Object) (engine.Object, error)
}

// Replaces is false.
func (c change) Replaces() bool { return false }

// Apply changes the definition.
func (c change) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() != c.uid {
		return nil, nil, controllers.ErrGone
	}
	obj, err := c.apply(current)
	return obj, nil, err
}

var (
	_ controllers.Sink = (*Cleaner)(nil)
	_ engine.Change    = change{}
)
