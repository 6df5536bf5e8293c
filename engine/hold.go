package engine

import "context"

// Holder is a Strategy whose objects can be kept in the storage by something other than metadata.finalizers, as a
// Namespace is by spec.finalizers.
type Holder interface {
	// Holds tells whether the object, in the version that it is stored in, has to stay.
	Holds(obj Object) bool
	// Terminate is asked in place of a deletion while the object is held and no deletion has begun. It returns the
	// object as it is while it waits, its deletionTimestamp set. The call has the DeleteOptions.
	Terminate(ctx context.Context, call *Call) (Object, error)
}

// held tells whether the strategy keeps an object of the request's version in the storage.
func (s *Store) held(ctx context.Context, info *RequestInfo, obj Object) (bool, error) {
	if s.holder == nil {
		return false, nil
	}
	stored, err := s.encode(ctx, info, obj)
	return err == nil && s.holder.Holds(stored), err
}

// terminate begins the deletion of an object that is held. One whose deletion has begun is left as it is.
func (s *Store) terminate(ctx context.Context, req DeleteRequest, old Object, item Item) (Result, error) {
	if old.Deleting() {
		return Result{Object: old.Served(item.Revision)}, nil
	}
	options, err := optionsObject(req.Options)
	if err != nil {
		return Result{}, err
	}
	obj, err := s.holder.Terminate(ctx, &Call{Request: req.Info, Object: old, Options: options})
	if err != nil {
		return Result{}, err
	}
	return s.replaceDeleting(ctx, req.Info, obj, old, item)
}
