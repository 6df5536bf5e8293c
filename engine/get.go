package engine

import (
	"context"
	"strconv"
)

// GetRequest asks for one object.
type GetRequest struct {
	Info *RequestInfo
	// ResourceVersion is the least that will do; "" asks for the newest, "0" for any.
	ResourceVersion string
}

// Get reads one object, or what one of its subresources shows of it.
func (s *Store) Get(ctx context.Context, req GetRequest) (Object, error) {
	sub, err := s.subresource(req.Info)
	if err != nil {
		return nil, err
	}
	wanted, err := wantedRevision(req.ResourceVersion)
	if err != nil {
		return nil, badRequest("resourceVersion: Invalid value: %q: %v", req.ResourceVersion, err)
	}
	item, err := s.current(ctx, req.Info)
	if err != nil {
		return nil, err
	}
	if wanted > item.Revision {
		if err := s.reached(ctx, wanted); err != nil {
			return nil, err
		}
	}
	obj, place, err := s.readPlaced(ctx, item, req.Info)
	if err != nil {
		return nil, err
	}
	if s.decorates() {
		place = 0
	}
	if obj, err = s.decorated(ctx, req.Info, obj); err != nil {
		return nil, err
	}
	obj = Listed{obj, item.Revision, place}.Served()
	if sub != nil && sub.Scale != nil {
		return s.scaleOf(obj, sub.ScaleIn(req.Info.Version))
	}
	return obj, nil
}

// reached makes sure that the storage has seen a revision that a client has seen.
func (s *Store) reached(ctx context.Context, wanted int64) error {
	now, err := s.storage.Revision(ctx)
	if err != nil {
		return err
	}
	if wanted > now {
		return &TooLargeVersionError{Wanted: wanted, Current: now}
	}
	return nil
}

// wantedRevision reads a resourceVersion parameter; "" and "0" are 0.
func wantedRevision(version string) (int64, error) {
	if version == "" {
		return 0, nil
	}
	return parseRevision(version)
}

// parseRevision reads a resourceVersion.
func parseRevision(version string) (int64, error) {
	revision, err := strconv.ParseUint(version, 10, 63)
	return int64(revision), err
}
