package engine

import "errors"

// conflictAttempts bounds how often a write is tried again when others keep changing the object.
const conflictAttempts = 100

// lost tells whether an attempt lost its compare-and-swap and is to be made again, on what item is now. Where it is not,
// the error is what came of the write; the last attempt that is lost is a *ConflictError.
func (s *Store) lost(err error, attempt int, info *RequestInfo, item *Item) (again bool, _ error) {
	var moved *RevisionError
	switch {
	case !errors.As(err, &moved):
		return false, err
	case moved.Current == nil:
		return false, &NotFoundError{s.Resource.GroupResource(), info.Name}
	case attempt == conflictAttempts:
		return false, &ConflictError{s.Resource.GroupResource(), info.Name, ModifiedMessage}
	}
	*item = *moved.Current
	return true, nil
}

// unlessMoved keeps a *RevisionError for lost to see, and turns the rest into what clients get.
func (s *Store) unlessMoved(err error, name string) error {
	var moved *RevisionError
	if errors.As(err, &moved) {
		return err
	}
	return s.storageFailure(err, name)
}
