package managed

import (
	"bytes"
	"errors"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// Apply merges what a manager wants to own, in canonical form, into the old object and returns the new one with its managedFields.
//
//   - Fields that the manager owned and no longer names are removed, unless others own them too.
//   - Fields of other managers that it would change are a conflict, unless force makes them its own.
//   - What did not change is written as it was in the old object; one that is all the same is the old object itself.
//   - The error is a *apierrors.StatusError with Kubernetes' reason, message and causes, or one of Convert or Versions.
func (w *Write) Apply(patch []byte, force bool) ([]byte, error) {
	old := w.Old
	if old == nil {
		old = w.Types.identity()
	}
	live, err := decodeObject(old)
	if err != nil {
		return nil, err
	}
	config, err := decodeObject(patch)
	if err != nil {
		return nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
	}
	c := &converter{write: w}
	var others []string
	for _, e := range live.GetManagedFields() {
		others = append(others, e.APIVersion)
	}
	manager, err := w.fieldManager(c, others)
	if err != nil {
		return nil, err
	}
	merged, err := manager.Apply(live, config, w.manager(), force)
	if c.err != nil {
		return nil, c.err
	}
	if err != nil {
		return nil, asStatus(err)
	}
	return w.written(merged.(*unstructured.Unstructured), old)
}

// identity is an object that says no more than what it is.
func (t *Types) identity() []byte {
	out := jsontext.AppendInner([]byte(`{"apiVersion":"`), t.apiVersion)
	out = jsontext.AppendInner(append(out, `","kind":"`...), t.kind)
	return append(out, `"}`...)
}

// written is an object in canonical form, with the time of the write on the entries that are new.
func (w *Write) written(obj *unstructured.Unstructured, old []byte) ([]byte, error) {
	raw, err := jsontext.AppendTree(nil, obj.Object)
	if err != nil {
		return nil, err
	}
	t := &tree{}
	entries, err := t.decodeEntries(nil, fieldsOf(raw))
	if err != nil {
		return nil, err
	}
	were, err := t.decodeEntries(nil, fieldsOf(old))
	if err != nil {
		return nil, err
	}
	for i := range entries {
		e := &entries[i]
		at := slices.IndexFunc(were, func(o entry) bool { return o.same(e) })
		if at < 0 || !bytes.Equal(were[at].time, e.time) {
			e.time = formatTime(w.Time)
		}
	}
	if len(entries) > 0 {
		sortEntries(entries)
		raw = withFields(raw, t.appendEntries(nil, entries))
	}
	fields := fieldsOf(raw)
	if EqualButTimes(fields, fieldsOf(old)) && equal(withFields(raw, nil), withFields(old, nil)) {
		return old, nil
	}
	return graft(nil, raw, old), nil
}

// fieldManager is Kubernetes' own, over the types of the write. The scope is the same in other versions.
func (w *Write) fieldManager(c *converter, others []string) (*managedfields.FieldManager, error) {
	gvk := schema.FromAPIVersionAndKind(w.Types.apiVersion, w.Types.kind)
	reset := map[fieldpath.APIVersion]fieldpath.Filter{}
	if filter := w.Scope.filter(); filter != nil {
		reset[fieldpath.APIVersion(w.Types.apiVersion)] = filter
		for _, other := range others {
			reset[fieldpath.APIVersion(other)] = filter
		}
	}
	return managedfields.NewDefaultCRDFieldManager(c, c, c, c, gvk, gvk.GroupVersion(), w.Subresource, reset)
}

func decodeObject(raw []byte) (*unstructured.Unstructured, error) {
	obj := map[string]any{}
	if err := json.Unmarshal(raw, &obj); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: obj}, nil
}

// asStatus gives to errors without a status the one that Kubernetes answers them with: 500, in their own words.
func asStatus(err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return err
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}}
}

// converter is what Kubernetes' field manager needs to know of the types of one write.
type converter struct {
	write *Write
	err   error // that of Versions or Convert, which is not the client's
}

// ObjectToTyped joins an object with its type.
func (c *converter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	types, err := c.types(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return types.parser.FromUnstructured(obj.(*unstructured.Unstructured).Object, opts...)
}

// types finds the types of a version. The error for one that is not known is what makes the field manager drop it.
func (c *converter) types(gvk schema.GroupVersionKind) (*Types, error) {
	types, err := c.write.types(gvk.GroupVersion().String())
	switch {
	case err != nil:
		c.err = err
	case types == nil:
		err = runtime.NewNotRegisteredErrForKind("resource", gvk)
	}
	return types, err
}

// TypedToObject takes the type away again.
func (c *converter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	obj, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("an object must be a map")
	}
	return &unstructured.Unstructured{Object: obj}, nil
}

// ConvertToVersion brings an object to another version.
func (c *converter) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	obj, from := in.(*unstructured.Unstructured), in.GetObjectKind().GroupVersionKind()
	to, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	if !ok || to == from {
		return in, nil
	}
	if _, err := c.types(to); err != nil {
		return nil, err
	}
	raw, err := jsontext.AppendTree(nil, obj.Object)
	if err != nil {
		return nil, err
	}
	if raw, err = c.write.Convert(raw, to.GroupVersion().String()); err != nil {
		c.err = err
		return nil, err
	}
	return decodeObject(raw)
}

// Convert is not asked for.
func (c *converter) Convert(in, out, _ any) error {
	return errors.New("unstructured objects are converted by ConvertToVersion only")
}

// ConvertFieldLabel is not asked for.
func (c *converter) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// Default leaves defaults to the engine.
func (c *converter) Default(runtime.Object) {}

// New is an object that says no more than what it is.
func (c *converter) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetGroupVersionKind(gvk)
	return obj, nil
}

var (
	_ managedfields.TypeConverter = (*converter)(nil)
	_ runtime.ObjectConvertor     = (*converter)(nil)
	_ runtime.ObjectCreater       = (*converter)(nil)
	_ runtime.ObjectDefaulter     = (*converter)(nil)
)
