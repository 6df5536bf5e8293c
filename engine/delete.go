package engine

import (
	"bytes"
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// DeleteRequest asks for the end of an object.
type DeleteRequest struct {
	Info    *RequestInfo
	Options metav1.DeleteOptions
}

// Delete deletes an object, or begins to where its strategy wants grace or finalizers are left.
func (s *Store) Delete(ctx context.Context, req DeleteRequest) (Result, error) {
	if err := validateDeleteOptions(&req.Options); err != nil {
		return Result{}, err
	}
	if grace := req.Options.GracePeriodSeconds; grace != nil && *grace < 0 {
		second := int64(1)
		req.Options.GracePeriodSeconds = &second
	}
	if _, err := s.admit(ctx, req.Info, Guard{}); err != nil {
		return Result{}, err
	}
	item, err := s.current(ctx, req.Info)
	if err != nil {
		return Result{}, err
	}
	for attempt := 1; ; attempt++ {
		result, err := s.delete(ctx, req, item)
		if again, err := s.lost(err, attempt, req.Info, &item); !again {
			return result, err
		}
	}
}

// delete is the lifecycle of one attempt; a *RevisionError asks for another.
func (s *Store) delete(ctx context.Context, req DeleteRequest, item Item) (Result, error) {
	old, err := s.read(ctx, item, req.Info)
	if err != nil && deletesUnread(req.Options) {
		return s.remove(ctx, req.Info, unread(s.Resource, req.Info), item)
	}
	if err != nil {
		return Result{}, err
	}
	if err := s.checkDeletePreconditions(req, old, item.Revision); err != nil {
		return Result{}, err
	}
	if held, err := s.held(ctx, req.Info, old); err != nil {
		return Result{}, err
	} else if held {
		return s.terminate(ctx, req, old, item)
	}
	grace, err := s.grace(ctx, req, old)
	if err != nil {
		return Result{}, err
	}
	if grace.pending {
		shown, err := s.decorated(ctx, req.Info, old)
		return Result{Object: shown.Served(item.Revision)}, err
	}
	meta := old.Meta()
	if !s.options.NoGarbageCollection {
		setFinalizers(&meta, req.Options)
	}
	switch {
	case grace.graceful:
		grace.mark(&meta)
	case hasFinalizers(meta):
		markDeleting(&meta, req.Info.Time)
	}
	obj := old.WithMeta(meta)
	if hasFinalizers(meta) || grace.graceful && grace.seconds > 0 {
		return s.replaceDeleting(ctx, req.Info, obj, old, item)
	}
	return s.remove(ctx, req.Info, obj, item)
}

// deletesUnread tells whether an object that cannot be read is to go all the same, whatever its finalizers would have said.
func deletesUnread(options metav1.DeleteOptions) bool {
	unread := options.IgnoreStoreReadErrorWithClusterBreakingPotential
	return unread != nil && *unread
}

// unread is all that is known of an object that cannot be read.
func unread(r *Resource, info *RequestInfo) Object {
	meta := Fields{}
	meta.SetString("name", info.Name)
	meta.SetString("namespace", info.Namespace)
	obj := Fields{}
	obj.SetString("apiVersion", r.APIVersion(info.Version))
	obj.SetString("kind", r.Kind)
	obj.Set("metadata", meta.Raw())
	return obj.Raw()
}

func validateDeleteOptions(options *metav1.DeleteOptions) error {
	if errs := metavalidation.ValidateDeleteOptions(options); len(errs) > 0 {
		return &InvalidError{schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", errs}
	}
	return nil
}

func (s *Store) checkDeletePreconditions(req DeleteRequest, old Object, revision int64) error {
	want := req.Options.Preconditions
	if want == nil {
		return nil
	}
	if want.UID != nil && string(*want.UID) != old.UID() {
		return &ConflictError{s.Resource.GroupResource(), req.Info.Name, fmt.Sprintf(
			"the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *want.UID, old.UID())}
	}
	if want.ResourceVersion != nil && *want.ResourceVersion != fmt.Sprint(revision) {
		return &ConflictError{s.Resource.GroupResource(), req.Info.Name, fmt.Sprintf(
			"the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%d). The object might have been modified", *want.ResourceVersion, revision)}
	}
	return nil
}

// replaceDeleting stores an object that is on its way out.
func (s *Store) replaceDeleting(ctx context.Context, info *RequestInfo, obj, old Object, item Item) (Result, error) {
	shown, err := s.decorated(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	if bytes.Equal(obj, old) || info.DryRun {
		return Result{Object: shown.Served(item.Revision)}, nil
	}
	stored, err := s.encode(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	revision, err := s.storage.Update(ctx, item.Key, stored, item.Revision, s.writeOptions(0, Guard{}))
	if err != nil {
		return Result{}, s.unlessMoved(err, info.Name)
	}
	return Result{Object: shown.Served(revision)}, nil
}

// remove takes the object out of the storage.
func (s *Store) remove(ctx context.Context, info *RequestInfo, obj Object, item Item) (Result, error) {
	shown, err := s.decorated(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	revision := item.Revision
	if !info.DryRun {
		if revision, err = s.storage.Delete(ctx, item.Key, item.Revision, s.writeOptions(0, Guard{})); err != nil {
			return Result{}, s.unlessMoved(err, info.Name)
		}
	}
	after(ctx, s.around.afterDelete, info, obj, nil)
	return Result{Object: shown.Served(revision), Deleted: true}, nil
}

// markDeleting marks an object that waits for its finalizers only.
func markDeleting(meta *Fields, now time.Time) {
	if !meta.Has("deletionTimestamp") {
		bumpGeneration(meta)
	}
	was, err := time.Parse(time.RFC3339, meta.String("deletionTimestamp"))
	if err != nil || was.After(now) {
		meta.Set("deletionTimestamp", timestamp(now))
	}
	meta.SetInt("deletionGracePeriodSeconds", 0)
}

func bumpGeneration(meta *Fields) {
	if generation := meta.Int("generation"); generation > 0 {
		meta.SetInt("generation", generation+1)
	}
}
