package gc

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deleteDependents looks at an object that is being deleted in the foreground: its dependents are looked at, and once
// none is left that blocks it, its finalizer goes.
func (c *Collector) deleteDependents(ctx context.Context, item item) error {
	// A dependent that was there before the deletion began must not be overlooked.
	if err := c.feed.Reached(ctx, item.revision); err != nil {
		return err
	}
	item, ok := c.graph.view(item.uid)
	if !ok {
		return nil
	}
	blocked := false
	for _, d := range item.dependents {
		blocked = blocked || d.blocks
		if !d.deleting {
			c.queue.Add(d.uid)
		}
	}
	if !blocked {
		return c.objects.Update(ctx, item.ref, "", dropFinalizer{item.uid, metav1.FinalizerDeleteDependents})
	}
	for _, d := range c.graph.inCycle(item.uid) {
		c.log.Info("dependent and owner block each other; the dependent gives way", "owner", item.ref.String(), "dependent", d.ref.String())
		if err := c.objects.Update(ctx, d.ref, "", unblockOwner{d.uid, item.uid}); err != nil {
			return err
		}
	}
	return nil
}
