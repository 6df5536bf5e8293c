package gc

import (
	"context"
	"errors"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// owners are the owners of one object, as live reads found them.
type owners struct {
	solid    []string // are there and stay
	dangling []string // are not there
	waiting  []string // are being deleted in the foreground, and wait for their dependents
	revision int64    // of the newest of those that wait
}

// collect looks at an object whose owners may be gone: it is deleted where none is left, and loses the references to
// those that are gone where others stay.
func (c *Collector) collect(ctx context.Context, item item) error {
	latest, err := c.objects.Get(ctx, item.ref)
	if err != nil {
		return err
	}
	if latest == nil || latest.UID() != item.uid {
		return errBehind // until the graph hears that it has gone
	}
	found, err := c.classify(ctx, item, ownersOf(latest))
	if errors.Is(err, errScope) {
		c.log.Warn("a cluster-scoped object refers to a namespaced owner, which cannot be", "object", item.ref.String())
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case len(found.solid) > 0:
		if drop := append(found.dangling, found.waiting...); len(drop) > 0 {
			return c.objects.Update(ctx, item.ref, "", dropOwners{item.uid, drop})
		}
		if seen, ok := c.graph.view(item.uid); ok && seen.unseen {
			return errUnseen
		}
		return nil
	case len(found.dangling)+len(found.waiting) == 0:
		return nil // it has no owners any more
	}
	policy := propagationOf(latest)
	if len(found.waiting) > 0 {
		// Its own dependents go before it, those too that the graph has yet to see.
		if err := c.feed.Reached(ctx, found.revision); err != nil {
			return err
		}
		if seen, _ := c.graph.view(item.uid); len(seen.dependents) > 0 {
			policy = metav1.DeletePropagationForeground
		}
	}
	return c.delete(ctx, item, latest, policy)
}

// propagationOf honours the finalizers that an object already has.
func propagationOf(obj engine.Object) metav1.DeletionPropagation {
	switch orphan, foreground := finalizersOf(obj); {
	case orphan:
		return metav1.DeletePropagationOrphan
	case foreground:
		return metav1.DeletePropagationForeground
	}
	return metav1.DeletePropagationBackground
}

// delete deletes an object, provided that it is as it was read.
func (c *Collector) delete(ctx context.Context, item item, latest engine.Object, policy metav1.DeletionPropagation) error {
	uid, version := types.UID(latest.UID()), latest.ResourceVersion()
	c.log.Debug("deleting an object whose owners are gone", "object", item.ref.String(), "uid", item.uid, "propagationPolicy", policy)
	return c.objects.Delete(ctx, item.ref, metav1.DeleteOptions{
		PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
	})
}

// errScope reports a reference that can never be right.
var errScope = errors.New("cluster-scoped objects cannot refer to namespaced owners")

// classify reads the owners that an object names.
func (c *Collector) classify(ctx context.Context, item item, refs []owner) (found owners, err error) {
	for _, ref := range refs {
		resource, err := c.objects.ResourceOf(ref.apiVersion, ref.kind)
		if err != nil {
			return owners{}, err
		}
		if resource.Namespaced && item.ref.Namespace == "" {
			return owners{}, errScope
		}
		at := controllers.Ref{GroupResource: resource.GroupResource(), Name: ref.name}
		if resource.Namespaced {
			at.Namespace = item.ref.Namespace
		}
		gones := c.graph.gones(at.GroupResource)
		obj, err := c.objects.Get(ctx, at)
		if err != nil {
			return owners{}, err
		}
		if obj == nil || obj.UID() != ref.uid {
			found.dangling = append(found.dangling, ref.uid)
			continue
		}
		revision, err := strconv.ParseInt(obj.ResourceVersion(), 10, 64)
		if err != nil {
			return owners{}, err
		}
		c.queue.Add(c.graph.confirm(at.GroupResource, obj, revision, gones)...)
		if obj.Deleting() && waitsForDependents(obj) {
			found.waiting, found.revision = append(found.waiting, ref.uid), max(found.revision, revision)
		} else {
			found.solid = append(found.solid, ref.uid)
		}
	}
	return found, nil
}

func waitsForDependents(obj engine.Object) bool {
	_, foreground := finalizersOf(obj)
	return foreground
}
