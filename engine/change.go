package engine

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Change makes the new state of an object out of its current one. It may be applied several times.
type Change interface {
	// Apply gets the current object with its resourceVersion, nil when there is none, and the version that the
	// request is in. It returns canonical bytes and the duplicate keys it found.
	Apply(current Object, version *Version) (obj Object, duplicates []string, err error)
	// Replaces tells whether the change states the whole object, as PUT does: then its uid is a
	// precondition, and it may create.
	Replaces() bool
}

// Replace is the change that PUT asks for.
type Replace struct{ Object Object }

// Apply returns the object of the request.
func (r Replace) Apply(Object, *Version) (Object, []string, error) { return r.Object, nil, nil }

// Replaces is true.
func (r Replace) Replaces() bool { return true }

// change applies the request's change to the current object, which is at a revision, and decodes what comes of it.
func (s *Store) change(ctx context.Context, req UpdateRequest, sub *Subresource, current Object, revision int64) (Object, []string, error) {
	if !req.Change.Replaces() || sub != nil && sub.Scale != nil {
		current = current.Served(revision) // what is replaced is not looked at
	}
	if sub != nil && sub.Scale != nil {
		obj, err := s.applyScale(req, sub.ScaleIn(req.Info.Version), current)
		return obj, nil, err
	}
	obj, duplicates, err := s.changed(ctx, req, sub, current)
	if err != nil {
		return nil, nil, err
	}
	how := req.Decoding
	how.Duplicates = append(how.Duplicates, duplicates...)
	obj, warnings, err := s.decode(req.Info, obj, how)
	if err != nil {
		return nil, nil, err
	}
	if err := checkName(obj, req.Info); err != nil {
		return nil, nil, err
	}
	obj, err = s.applyDefaults(obj, req.Info.Version)
	return obj, warnings, err
}

// changed applies the request's change to the current object, nil where there is none.
func (s *Store) changed(ctx context.Context, req UpdateRequest, sub *Subresource, current Object) (Object, []string, error) {
	if patch, ok := req.Change.(ApplyPatch); ok {
		obj, err := s.apply(ctx, req, sub, patch, current)
		return obj, nil, err
	}
	return req.Change.Apply(current, s.Resource.Version(req.Info.Version))
}

// checkPreconditions compares the uid and resourceVersion that the new state names with the stored ones.
func (s *Store) checkPreconditions(req UpdateRequest, obj, old Object, revision int64) error {
	name, meta := req.Info.Name, obj.Meta()
	if uid := meta.String("uid"); req.Change.Replaces() && uid != "" && uid != old.UID() {
		return s.uidConflict(name, uid, old.UID())
	}
	switch version := meta.String("resourceVersion"); {
	case version == "" || version == "0":
		if !s.Resource.Traits.AllowUnconditionalUpdate {
			errs := field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")}
			kind := s.Resource.GroupKind()
			kind.Kind = s.Resource.Plural
			return &InvalidError{kind, name, errs}
		}
	case version != strconv.FormatInt(revision, 10):
		if _, err := parseRevision(version); err != nil {
			errs := field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), version, err.Error())}
			return &InvalidError{s.Resource.GroupKind(), name, errs}
		}
		return &ConflictError{s.Resource.GroupResource(), name, ModifiedMessage}
	}
	return nil
}

func (s *Store) uidConflict(name, wanted, found string) error {
	return &ConflictError{s.Resource.GroupResource(), name,
		fmt.Sprintf("Precondition failed: UID in precondition: %s, UID in object meta: %s", wanted, found)}
}
