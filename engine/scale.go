package engine

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ScaleKind is the kind of every scale subresource.
var ScaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// scaleOf is the autoscaling/v1 Scale of an object.
func (s *Store) scaleOf(obj Object, paths *Scale) (Object, error) {
	meta, own := Fields{}, obj.Meta()
	for _, key := range []string{"creationTimestamp", "name", "namespace", "resourceVersion", "uid"} {
		meta.Set(key, own.Get(key))
	}
	spec, status := Fields{}, Fields{}
	if n := pathValue(obj, paths.SpecReplicasPath).Int(); n != 0 {
		spec.SetInt("replicas", n)
	}
	status.SetInt("replicas", pathValue(obj, paths.StatusReplicasPath).Int())
	if paths.LabelSelectorPath != "" {
		selector, err := selectorText(pathValue(obj, paths.LabelSelectorPath))
		if err != nil {
			return nil, fmt.Errorf("%s %q: %s: %w", s.Resource.Kind, obj.Name(), paths.LabelSelectorPath, err)
		}
		status.SetString("selector", selector)
	}
	scale := Fields{
		{"apiVersion", quoted(ScaleKind.GroupVersion().String())}, {"kind", quoted(ScaleKind.Kind)},
		{"metadata", meta.Raw()}, {"spec", spec.Raw()}, {"status", status.Raw()},
	}
	return scale.Raw(), nil
}

// selectorText is a label selector in its text form, from text or from a LabelSelector object.
func selectorText(value gjson.Result) (string, error) {
	if !value.IsObject() {
		return value.String(), nil
	}
	var selector metav1.LabelSelector
	if err := json.Unmarshal([]byte(value.Raw), &selector); err != nil {
		return "", err
	}
	parsed, err := metav1.LabelSelectorAsSelector(&selector)
	if err != nil {
		return "", err
	}
	return parsed.String(), nil
}

// applyScale applies a change of the Scale to the object behind it.
func (s *Store) applyScale(req UpdateRequest, paths *Scale, current Object) (Object, error) {
	before, err := s.scaleOf(current, paths)
	if err != nil {
		return nil, err
	}
	scale, owners, err := s.changedScale(req, paths, current, before)
	if err != nil {
		return nil, err
	}
	if kind := scale.Kind(); kind != "" && kind != ScaleKind.Kind {
		return nil, badRequest("%s/scale takes a Scale, not a %s", s.Resource.Plural, kind)
	}
	replicas := scale.Get("spec", "replicas")
	if replicas.Exists() && (replicas.Type != gjson.Number || strings.ContainsAny(replicas.Raw, ".eE")) {
		return nil, badRequest("Scale in version %q cannot be handled as a Scale: json: cannot unmarshal %s into field spec.replicas of type int32", "v1", strings.ToLower(replicas.Type.String()))
	}
	if n := replicas.Int(); n < 0 || n > 1<<31-1 {
		errs := field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), n, "must be greater than or equal to 0")}
		return nil, &InvalidError{ScaleKind.GroupKind(), req.Info.Name, errs}
	}
	out, err := sjson.SetBytes(current, gjsonPath(paths.SpecReplicasPath), replicas.Int())
	if err != nil {
		return nil, err
	}
	obj, _, err := ParseObject(out)
	if err != nil {
		return nil, err
	}
	// The preconditions of the Scale are those of the object.
	meta := obj.Meta()
	for _, key := range []string{"uid", "resourceVersion"} {
		meta.Set(key, Object(scale.field("metadata")).field(key))
	}
	for _, key := range []string{"name", "namespace"} {
		if own := scale.meta(key); own != "" {
			meta.SetString(key, own)
		}
	}
	if _, applied := req.Change.(ApplyPatch); applied {
		meta.Set("managedFields", owners)
	}
	return obj.WithMeta(meta), nil
}

// changedScale is the Scale that a request asks for; where it applies one, also the managedFields of the object behind it.
func (s *Store) changedScale(req UpdateRequest, paths *Scale, current, before Object) (scale Object, owners []byte, err error) {
	if patch, ok := req.Change.(ApplyPatch); ok {
		return s.applyToScale(req.Info, paths, patch, current, before)
	}
	scale, _, err = req.Change.Apply(before, &Version{Name: ScaleKind.Version})
	return scale, nil, err
}

// pathValue reads a field path such as ".spec.replicas".
func pathValue(obj Object, path string) gjson.Result {
	return obj.Get(strings.Split(strings.TrimPrefix(path, "."), ".")...)
}

// gjsonPath is a field path in gjson's and sjson's notation.
func gjsonPath(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`).Replace(strings.TrimPrefix(path, "."))
}
