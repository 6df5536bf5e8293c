package engine

import (
	"context"
	"errors"

	"github.com/stratagem-dev/stratagem/engine/managed"
)

// ApplyPatch is server-side apply: the fields that a manager wants to own, in canonical form.
type ApplyPatch struct {
	Patch Object
	// Force takes fields from other managers instead of reporting a conflict.
	Force bool
}

// Replaces is false.
func (p ApplyPatch) Replaces() bool { return false }

// Apply is not how this change is made: it needs the manager of the request as well.
func (p ApplyPatch) Apply(Object, *Version) (Object, []string, error) {
	return nil, nil, errors.New("an apply patch is merged by the store")
}

// apply merges an apply patch into the current object, nil where there is none yet. The managedFields of the result are final.
func (s *Store) apply(ctx context.Context, req UpdateRequest, sub *Subresource, patch ApplyPatch, current Object) (Object, error) {
	w, err := s.ownedWrite(ctx, req.Info, sub, nil, current)
	if err != nil {
		return nil, err
	}
	merged, err := w.Apply(patch.Patch, patch.Force)
	if err != nil {
		return nil, err
	}
	obj, _, err := ParseObject(merged)
	return obj, err
}

// applyToScale merges an apply patch into the Scale of an object. It returns the Scale, and the managedFields of the object.
func (s *Store) applyToScale(info *RequestInfo, paths *Scale, patch ApplyPatch, current, scale Object) (Object, []byte, error) {
	types, err := managed.Scale()
	if err != nil {
		return nil, nil, err
	}
	apiVersion, replicas := s.Resource.APIVersion(info.Version), managed.ReplicasPaths{}
	for i := range s.Resource.Versions {
		replicas[s.Resource.APIVersion(s.Resource.Versions[i].Name)] = paths.SpecReplicasPath
	}
	fields, err := replicas.ToScale(current.ManagedFields(), apiVersion)
	if err != nil {
		return nil, nil, err
	}
	meta := scale.Meta()
	meta.Set("managedFields", fields)
	w := &managed.Write{Types: types, Old: scale.WithMeta(meta), Manager: info.Manager, Subresource: "scale", Time: info.Time}
	merged, err := w.Apply(patch.Patch, patch.Force)
	if err != nil {
		return nil, nil, err
	}
	fields, err = replicas.FromScale(current.ManagedFields(), Object(merged).ManagedFields(), apiVersion)
	return merged, fields, err
}
