package engine

import (
	"context"
	"errors"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deleteWorkers is how many objects of a collection are deleted at once.
const deleteWorkers = 8

// DeleteCollection deletes the objects that a list names and returns that list. It is not atomic: after an error a
// part of them may be gone.
func (s *Store) DeleteCollection(ctx context.Context, req ListRequest, options metav1.DeleteOptions) (List, error) {
	list, err := s.List(ctx, req)
	if err != nil {
		return List{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	work := make(chan Object)
	var workers sync.WaitGroup
	for range deleteWorkers {
		workers.Go(func() {
			for obj := range work {
				if err := s.deleteListed(ctx, req.Info, obj, options); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, listed := range list.Items {
		select {
		case work <- listed.Object:
		case <-ctx.Done():
		}
	}
	close(work)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return List{}, err
	}
	return list, nil
}

// deleteListed deletes one object of a collection; one that has gone meanwhile is no error.
func (s *Store) deleteListed(ctx context.Context, info *RequestInfo, obj Object, options metav1.DeleteOptions) error {
	one := *info
	one.Verb, one.Name, one.Namespace = "delete", obj.Name(), obj.Namespace()
	_, err := s.Delete(ctx, DeleteRequest{Info: &one, Options: *options.DeepCopy()})
	var missing *NotFoundError
	if errors.As(err, &missing) {
		return nil
	}
	return err
}
