package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine/managed"
)

// ownership is what a resource says about who owns which field of its objects. Package managed does the work.
type ownership struct {
	main  managed.Scope                             // of writes of the main resource
	whole managed.Scope                             // of those in a version whose status has no subresource
	types map[string]func() (*managed.Types, error) // by apiVersion; compiled at the first write
}

func newOwnership(r *Resource) ownership {
	o := ownership{types: map[string]func() (*managed.Types, error){}}
	reset := append([]string(nil), r.ResetFields...)
	o.whole = managed.Excluding(reset...)
	if r.Subresource("status") != nil {
		reset = append(reset, ".status")
	}
	o.main = managed.Excluding(reset...)
	for _, shown := range append([]*Resource{r}, r.Cohabitants...) {
		for i := range shown.Versions {
			v, apiVersion := &shown.Versions[i], shown.APIVersion(shown.Versions[i].Name)
			o.types[apiVersion] = sync.OnceValues(func() (*managed.Types, error) { return managed.Compile(v.Schema, apiVersion, r.Kind) })
		}
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
			return s.convertTo(ctx, info, obj, apiVersion)
		},
	}
	switch {
	case sub == nil && !s.Resource.ownStatus(info.Version):
		w.Scope = s.ownership.whole
		return w, nil
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

// own returns the managedFields of an object after a write: what its manager has changed is recorded in was, those of before, or
// in sent, those that the client has edited; old is nil on create. Hooks have prepared the object by then, so that what they
// fill in is the manager's too, as defaults are in Kubernetes.
func (s *Store) own(ctx context.Context, info *RequestInfo, sub *Subresource, obj Object, sent []byte, old Object) ([]byte, error) {
	w, err := s.ownedWrite(ctx, info, sub, obj, old)
	if err != nil {
		return nil, err
	}
	was := old.ManagedFields()
	if sub == nil {
		w.Sent = sent
	} else {
		sent = nil // a write of a subresource cannot edit them
	}
	fields, err := w.Update()
	if err != nil { // Kubernetes does not refuse a write for this
		fields = was
	}
	if sent != nil && !bytes.Equal(sent, was) {
		if errs := validateOwners(fields); len(errs) > 0 {
			return nil, &InvalidError{s.Resource.GroupKind(), obj.Name(), errs}
		}
	}
	return fields, nil
}

// keepTimes returns the managedFields of before where nothing but their times would change; bare is the object before without
// them.
func keepTimes(obj, bare Object, fields, was []byte) []byte {
	if !bytes.Equal(fields, was) && bytes.Equal(obj, bare) && managed.EqualButTimes(fields, was) {
		return was
	}
	return fields
}

// ManagedFields is the raw metadata.managedFields, or nil.
func (o Object) ManagedFields() []byte { return o.member("managedFields") }

// Unowned is the object without managedFields. No hook sees them or may change them, so that a write takes them off at its
// beginning and puts them on at its end.
func (o Object) Unowned() Object {
	if !bytes.Contains(o, []byte(`managedFields":`)) { // nowhere, which is known sooner than that they are not in metadata
		return o
	}
	_, metadata := o.find(0, "metadata")
	begin, value := o.find(metadata, "managedFields")
	if begin < 0 {
		return o
	}
	end := skipValue(o, value)
	if o[end] == ',' {
		end++
	} else if o[begin-1] == ',' {
		begin--
	}
	return append(append(make(Object, 0, len(o)-(end-begin)), o[:begin]...), o[end:]...)
}

// Owned is the object, which has none, with managedFields; nil is none.
func (o Object) Owned(fields []byte) Object {
	if fields == nil {
		return o
	}
	p := o.parts()
	p.meta.Set("managedFields", fields)
	return p.object()
}

// answer is the object, which has none of either, with managedFields and resourceVersion. The answer to the dry run of a create
// has no revision.
func (o Object) answer(owners []byte, revision int64) Object {
	p := o.parts()
	p.meta.Set("managedFields", owners)
	if revision != 0 {
		p.meta.Set("resourceVersion", revisionText(revision))
	}
	return p.object()
}

// revisionText is a resourceVersion as objects have it.
func revisionText(revision int64) []byte {
	return append(strconv.AppendInt([]byte{'"'}, revision, 10), '"')
}

func isTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large)
}

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
