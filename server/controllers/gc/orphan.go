package gc

import (
	"context"
	"errors"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// orphanWorkers is how many dependents of one owner are changed at once.
const orphanWorkers = 8

// orphanDependents takes the references to an owner off all of its dependents, then its finalizer.
func (c *Collector) orphanDependents(ctx context.Context, item item) error {
	// A dependent that was there before the deletion began must not be overlooked: without its owner it would be deleted.
	if err := c.feed.Reached(ctx, item.revision); err != nil {
		return err
	}
	item, ok := c.graph.view(item.uid)
	if !ok {
		return nil
	}
	var (
		mu      sync.Mutex
		errs    []error
		running sync.WaitGroup
		slots   = make(chan struct{}, orphanWorkers)
	)
	for _, d := range item.dependents {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			if err := c.objects.Update(ctx, d.ref, "", dropOwners{d.uid, []string{item.uid}}); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return c.objects.Update(ctx, item.ref, "", dropFinalizer{item.uid, metav1.FinalizerOrphanDependents})
}
