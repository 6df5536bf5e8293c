package engine

import (
	"bytes"
	"context"
	"errors"
)

// replace stores the new state, with its managedFields, over item, and tells at which revision it is. An unchanged object writes nothing and keeps its resourceVersion; one whose
// last finalizer has gone while it was being deleted is deleted.
func (s *Store) replace(ctx context.Context, info *RequestInfo, obj Object, owners []byte, old Object, item Item) (Result, error) {
	stored, err := s.encode(ctx, info, obj)
	if err != nil {
		return Result{}, err
	}
	held, err := s.held(ctx, info, stored)
	if err != nil {
		return Result{}, err
	}
	deletes, err := s.deletesDuringUpdate(ctx, info, obj, old)
	if err != nil {
		return Result{}, err
	}
	if deletes && !held {
		return s.completeDeletion(ctx, info, item)
	}
	stored = stored.Owned(owners)
	if info.DryRun || bytes.Equal(stored, item.Data) || bytes.Equal(obj, old) && s.means(item, stored) {
		return Result{revision: item.Revision}, nil
	}
	ttl, err := s.ttl(ctx, info, obj, old)
	if err != nil {
		return Result{}, err
	}
	revision, err := s.storage.Update(ctx, item.Key, stored, item.Revision, s.writeOptions(ttl, Guard{}))
	if err != nil {
		return s.unwritten(err, info.Name)
	}
	return Result{revision: revision, settled: true}, nil
}

// means tells whether what is stored in another form, as others write it, is this object.
func (s *Store) means(item Item, obj Object) bool {
	stored, err := s.load(item)
	return err == nil && bytes.Equal(stored, obj)
}

// completeDeletion deletes an object by the update that took the last finalizer off. Where another update was
// quicker, the object is gone as this one wanted it.
func (s *Store) completeDeletion(ctx context.Context, info *RequestInfo, item Item) (Result, error) {
	result := Result{revision: item.Revision, Deleted: true}
	if info.DryRun {
		return result, nil
	}
	_, err := s.storage.Delete(ctx, item.Key, item.Revision, s.writeOptions(0, Guard{}))
	var moved *RevisionError
	if err == nil || errors.As(err, &moved) && moved.Current == nil {
		result.settled = true
		return result, nil
	}
	return s.unwritten(err, info.Name)
}

// unwritten is the outcome of a write that failed. It stands, since the storage may have taken the write all the same; only
// a lost compare-and-swap leaves the matter open.
func (s *Store) unwritten(err error, name string) (Result, error) {
	var moved *RevisionError
	return Result{settled: !errors.As(err, &moved)}, s.unlessMoved(err, name)
}

// deletedByUpdate tells whether an update completes a deletion: no finalizers are left, and no grace period runs.
func deletedByUpdate(obj, old Object) bool {
	if !old.Deleting() {
		return false
	}
	finalizers, was := obj.member("finalizers"), old.Meta()
	return was.Int("deletionGracePeriodSeconds") == 0 &&
		(len(finalizers) == 0 || string(finalizers) == "[]" || string(finalizers) == "null")
}
