package namespaces

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// finalizerEstimate is how long finalizers are expected to take.
const finalizerEstimate = 15 * time.Second

// first are the resources that go before all others, which they may depend on while they end.
var first = schema.GroupResource{Resource: "pods"}

// content is what a look at a namespace found to be left in it.
type content struct {
	undiscovered error   // why not all resources are known
	failures     []error // of single resources
	remaining    map[schema.GroupResource]int
	finalizers   map[string]int
	estimate     time.Duration // how long it may take until what is left goes by itself; 0: nothing is left
}

func (f *content) err() error {
	return errors.Join(append([]error{f.undiscovered}, f.failures...)...)
}

// deleteContent deletes all objects in a namespace of all namespaced resources that are served, and looks what remains.
func (c *Controller) deleteContent(ctx context.Context, namespace string) *content {
	found := &content{remaining: map[schema.GroupResource]int{}, finalizers: map[string]int{}}
	found.undiscovered = c.objects.Cluster.Refresh(ctx)
	snapshot, _ := c.objects.Cluster.Snapshot()
	if store := snapshot.Store(first.Group, first.Resource); store != nil && store.Resource.Namespaced {
		found.delete(ctx, store, c.objects.User, namespace)
		if len(found.remaining) > 0 || len(found.failures) > 0 {
			return found
		}
	}
	for _, r := range snapshot.Resources() {
		if r.Namespaced && r.GroupResource() != first {
			found.delete(ctx, snapshot.Store(r.Group, r.Plural), c.objects.User, namespace)
		}
	}
	return found
}

// delete deletes the objects of one resource.
func (f *content) delete(ctx context.Context, store *engine.Store, user engine.User, namespace string) {
	r := store.Resource
	info := &engine.RequestInfo{
		Verb: "deletecollection", Group: r.Group, Version: r.StorageVersion().Name, Resource: r.Plural, Namespace: namespace, User: user, Time: time.Now(),
	}
	policy := metav1.DeletePropagationBackground
	if _, err := store.DeleteCollection(ctx, engine.ListRequest{Info: info}, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		f.failures = append(f.failures, err)
	}
	reading := *info
	reading.Verb, reading.Version = "list", ""
	list, err := store.List(ctx, engine.ListRequest{Info: &reading})
	if err != nil {
		f.failures = append(f.failures, err)
		return
	}
	if len(list.Items) > 0 {
		f.add(r, list.Items, namespace, info.Time)
	}
}

// add takes account of the objects of one resource that remain.
func (f *content) add(r *engine.Resource, items []engine.Listed, namespace string, now time.Time) {
	f.remaining[r.GroupResource()] = len(items)
	var estimate time.Duration
	for _, item := range items {
		meta := item.Object.Meta()
		for _, name := range item.Object.Get("metadata", "finalizers").Array() {
			f.finalizers[name.String()]++
			estimate = max(estimate, finalizerEstimate)
		}
		// An object in its grace period is expected to be gone at its deletionTimestamp.
		if ends, err := time.Parse(time.RFC3339, meta.String("deletionTimestamp")); err == nil {
			estimate = max(estimate, ends.Sub(now))
		}
	}
	if f.estimate = max(f.estimate, estimate); estimate == 0 {
		gvr := r.GroupResource().WithVersion(r.StorageVersion().Name)
		f.failures = append(f.failures, fmt.Errorf("unexpected items still remain in namespace: %s for gvr: %v", namespace, gvr))
	}
}
