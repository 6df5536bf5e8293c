package engine

import (
	"context"
	"errors"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// deleteWorkers is how many objects of a collection are deleted at once.
	deleteWorkers = 8
	// deletePage is how many objects of a collection are read at once, as in Kubernetes.
	deletePage = 10000
)

// DeleteCollection deletes the objects that a list names and returns that list; one with a limit is one page. It is not
// atomic: after an error a part of them may be gone.
func (s *Store) DeleteCollection(ctx context.Context, req ListRequest, options metav1.DeleteOptions) (List, error) {
	if err := validateDeleteOptions(&options); err != nil {
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
	list, err := s.listInto(ctx, req, work)
	close(work)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return List{}, cause
	}
	return list, err
}

// listInto lists page by page and hands the objects out, until ctx ends.
func (s *Store) listInto(ctx context.Context, req ListRequest, work chan<- Object) (all List, err error) {
	limited := req.Limit > 0
	if !limited {
		req.Limit = deletePage
	}
	for {
		page, err := s.List(ctx, req)
		if err != nil {
			return List{}, err
		}
		for _, listed := range page.Items {
			select {
			case work <- listed.Object:
			case <-ctx.Done():
				return List{}, ctx.Err()
			}
		}
		page.Items = append(all.Items, page.Items...)
		if all = page; limited || all.Continue == "" {
			return all, nil
		}
		req.Continue, req.ResourceVersion, req.Match = all.Continue, "", ""
	}
}

// deleteListed deletes one object of a collection; one that has gone meanwhile is no error.
func (s *Store) deleteListed(ctx context.Context, info *RequestInfo, obj Object, options metav1.DeleteOptions) error {
	one := *info
	one.Verb, one.Name, one.Namespace, one.Account = "delete", obj.Name(), obj.Namespace(), &Account{}
	_, err := s.Delete(ctx, DeleteRequest{Info: &one, Options: *options.DeepCopy()})
	var missing *NotFoundError
	if errors.As(err, &missing) {
		return nil
	}
	return err
}
