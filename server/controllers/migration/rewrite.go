package migration

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

const (
	// concurrency is how many objects of a resource are rewritten at once.
	concurrency = 8
	// namedFailures is how many objects the message of a failed migration names.
	namedFailures = 10
	// staleAttempts bounds how often a rewrite follows a definition that is replaced again and again.
	staleAttempts = 10
)

// failure is why a migration cannot succeed, however often it is tried.
type failure struct{ message string }

func (e *failure) Error() string { return e.message }

// failed makes a *failure of an error that trying again does not mend; what names the object, if it is about one.
func failed(err error, what string) error {
	if err == nil || !lasting(err) {
		return err
	}
	if what == "" {
		return &failure{err.Error()}
	}
	return &failure{fmt.Sprintf("%s: %v", what, err)}
}

// lasting tells the errors of objects and their strategies from those of the storage.
func lasting(err error) bool {
	var (
		conversion *engine.ConversionError
		invalid    *engine.InvalidError
		hook       *engine.HookError
		value      *engine.StoredValueError
		request    *engine.BadRequestError
		forbidden  *engine.ForbiddenError
		namespace  *engine.NotFoundError
	)
	return errors.As(err, &conversion) || errors.As(err, &invalid) || errors.As(err, &hook) || errors.As(err, &value) ||
		errors.As(err, &request) || errors.As(err, &forbidden) || errors.As(err, &namespace)
}

// rewrite brings the objects of a page to the storage version, several at once, and tells how many were not in it. What
// cannot be rewritten does not keep the others of the page from it.
func (r *run) rewrite(ctx context.Context, store *engine.Store, items []engine.Listed) (rewritten int64, err error) {
	wanted := store.Resource.APIVersion(store.Resource.StorageVersion().Name)
	old := make(chan engine.Object)
	var mu sync.Mutex
	var errs []error
	var workers sync.WaitGroup
	for range concurrency {
		workers.Go(func() {
			for obj := range old {
				if err := r.rewriteOne(ctx, obj); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	for _, item := range items {
		if item.Object.APIVersion() == wanted {
			continue
		}
		rewritten++
		old <- item.Object
	}
	close(old)
	workers.Wait()
	r.count("current", int64(len(items))-rewritten)
	r.count("rewritten", rewritten-int64(len(errs)))
	r.count("failed", int64(len(errs)))
	return rewritten, joined(errs)
}

func (r *run) count(outcome string, n int64) {
	r.metrics.objects.WithLabelValues(r.resource.Group, r.resource.Resource, outcome).Add(float64(n))
}

// rewriteOne updates an object without changing it. One that has gone needs nothing; one that somebody else has written
// meanwhile is in the storage version by that.
func (r *run) rewriteOne(ctx context.Context, obj engine.Object) error {
	ref := controllers.Ref{GroupResource: r.resource, Namespace: obj.Namespace(), Name: obj.Name()}
	var err error
	for range staleAttempts {
		if err = ctx.Err(); err != nil {
			return err
		}
		var stale *engine.StaleError
		if err = r.objects.Update(ctx, ref, "", unchanged{}); !errors.As(err, &stale) {
			break
		}
	}
	name := obj.Name()
	if obj.Namespace() != "" {
		name = obj.Namespace() + "/" + name
	}
	return failed(err, fmt.Sprintf("%s %q", r.resource.String(), name))
}

// joined makes one error of those of a page: where some are to stay, these alone, by name.
func joined(errs []error) error {
	var named []string
	for _, err := range errs {
		var failure *failure
		if errors.As(err, &failure) {
			named = append(named, failure.message)
		}
	}
	if len(named) == 0 {
		return errors.Join(errs...)
	}
	slices.Sort(named)
	if more := len(named) - namedFailures; more > 0 {
		named = append(named[:namedFailures], fmt.Sprintf("and %d more", more))
	}
	return &failure{strings.Join(named, "; ")}
}
