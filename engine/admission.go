package engine

import (
	"cmp"
	"context"
	"errors"
)

// Admission decides whether a write may go on. It stands where Kubernetes' admission plugins stand.
type Admission interface {
	// Admit returns a *NotFoundError or *ForbiddenError to stop the request; else the state that its decision rests on, which a
	// create is guarded by. lost is such a guard that did not hold, the zero Guard at first: what it rested on has changed.
	Admit(ctx context.Context, resource *Resource, info *RequestInfo, lost Guard) (Guard, error)
}

func (s *Store) admit(ctx context.Context, info *RequestInfo, lost Guard) (Guard, error) {
	if s.options.Admission == nil {
		return Guard{}, nil
	}
	return s.options.Admission.Admit(ctx, s.Resource, info, lost)
}

// admitCreate admits a create, or an update that creates. A refusal names the object as far as it has a name.
func (s *Store) admitCreate(ctx context.Context, info *RequestInfo, obj Object, lost Guard) (Guard, error) {
	if info.Verb != "create" {
		create := *info
		create.Verb = "create"
		info = &create
	}
	admitted, err := s.admit(ctx, info, lost)
	if err == nil && s.Resource.Ending {
		err = &ForbiddenError{Resource: s.Resource.GroupResource(), Name: obj.Name(), Message: "create not allowed while custom resource definition is terminating"}
	}
	var forbidden *ForbiddenError
	if errors.As(err, &forbidden) && forbidden.Name == "" {
		forbidden.Name = cmp.Or(obj.Name(), obj.meta("generateName"), "Unknown")
	}
	return admitted, err
}

// createAdmitted stores a new object while what it was admitted on still stands; where that has changed meanwhile, the object
// has to be admitted again. No hook has to run again for it.
func (s *Store) createAdmitted(ctx context.Context, info *RequestInfo, key string, obj Object, ttl int64, admitted Guard) (revision int64, err error) {
	for attempt := 1; ; attempt++ {
		revision, err = s.storage.Create(ctx, key, obj, s.writeOptions(ttl, admitted))
		var failed *GuardError
		if !errors.As(err, &failed) || len(failed.Guards) != 1 || failed.Guards[0] != admitted || attempt == conflictAttempts {
			return revision, err
		}
		if admitted, err = s.admitCreate(ctx, info, obj, admitted); err != nil {
			return 0, err
		}
	}
}
