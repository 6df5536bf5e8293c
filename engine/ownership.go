package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine/managed"
)

// ownership is what a resource says about who owns which field of its objects. Package managed does the work.
type ownership struct {
	main  managed.Scope                             // of writes of the main resource
	types map[string]func() (*managed.Types, error) // by apiVersion; compiled at the first write
}

func newOwnership(r *Resource) ownership {
	o := ownership{types: map[string]func() (*managed.Types, error){}}
	reset := append([]string(nil), r.ResetFields...)
	if r.Subresource("status") != nil {
		reset = append(reset, ".status")
	}
	o.main = managed.Excluding(reset...)
	for i := range r.Versions {
		v, apiVersion := &r.Versions[i], r.APIVersion(r.Versions[i].Name)
		o.types[apiVersion] = sync.OnceValues(func() (*managed.Types, error) { return managed.Compile(v.Schema, apiVersion, r.Kind) })
	}
	return o
}

// versions finds the types of a version, nil for one that the resource has not got.
func (o *ownership) versions(apiVersion string) (*managed.Types, error) {
	if compile := o.types[apiVersion]; compile != nil {
		return compile()
	}
	return nil, nil
}

// ownedWrite describes a write for package managed. sub is the subresource that is written, nil for the main resource.
func (s *Store) ownedWrite(ctx context.Context, info *RequestInfo, sub *Subresource, obj, old Object) (*managed.Write, error) {
	types, err := s.ownership.versions(s.Resource.APIVersion(info.Version))
	if err != nil {
		return nil, err
	}
	w := &managed.Write{
		Types: types, Old: old, New: obj, Manager: info.Manager, Time: info.Time, Scope: s.ownership.main,
		Versions: s.ownership.versions,
		Convert: func(obj []byte, apiVersion string) ([]byte, error) {
			return s.convert(ctx, info, obj, strings.TrimPrefix(apiVersion, s.Resource.Group+"/"))
		},
	}
	switch {
	case sub == nil:
		return w, nil
	case sub.Name == "status":
		w.Scope = managed.Only("status")
	case sub.Scale == nil:
		w.Scope = managed.Scope{}
	}
	w.Subresource = sub.Name
	return w, nil
}

// own records in managedFields what the manager of a request has changed; old is nil on create. Hooks have prepared the object
// by then, so that what they fill in is the manager's too, as defaults are in Kubernetes.
func (s *Store) own(ctx context.Context, info *RequestInfo, sub *Subresource, obj, old Object) (Object, error) {
	w, err := s.ownedWrite(ctx, info, sub, obj, old)
	if err != nil {
		return nil, err
	}
	fields, err := w.Update()
	if err != nil { // Kubernetes does not refuse a write for this
		fields = managedFields(old)
	}
	if sent := managedFields(obj); sent != nil && !bytes.Equal(sent, managedFields(old)) {
		if errs := validateOwners(fields); len(errs) > 0 {
			return nil, &InvalidError{s.Resource.GroupKind(), obj.Name(), errs}
		}
	}
	return withOwners(obj, old, fields), nil
}

// withOwners is the object with its managedFields. Where nothing but their times would change, they stay as they were.
func withOwners(obj, old Object, fields []byte) Object {
	meta, was := obj.Meta(), managedFields(old)
	if bytes.Equal(fields, meta.Get("managedFields")) && (fields == nil || bytes.Equal(fields, was)) {
		return obj
	}
	meta.Set("managedFields", fields)
	obj = obj.WithMeta(meta)
	if old == nil || bytes.Equal(fields, was) || !managed.EqualButTimes(fields, was) {
		return obj
	}
	meta.Set("managedFields", was)
	if same := obj.WithMeta(meta); bytes.Equal(same, old) {
		return same
	}
	return obj
}

// disowned is the object without managedFields. A value that is too large for the storage is stored like this, as in Kubernetes.
func disowned(obj Object) Object {
	meta := obj.Meta()
	meta.Set("managedFields", nil)
	return obj.WithMeta(meta)
}

func isTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large)
}

// managedFields is the raw metadata.managedFields of an object, or nil.
func managedFields(obj Object) []byte { return Object(obj.field("metadata")).field("managedFields") }

// validateOwners validates managedFields that a client has edited.
func validateOwners(fields []byte) field.ErrorList {
	if fields == nil {
		return nil
	}
	at := field.NewPath("metadata", "managedFields")
	var entries []metav1.ManagedFieldsEntry
	if err := json.Unmarshal(fields, &entries); err != nil {
		return field.ErrorList{field.InternalError(at, err)}
	}
	return validation.ValidateManagedFields(entries, at)
}
