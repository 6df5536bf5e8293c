package schema

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkEmbedded checks apiVersion, kind and metadata of a resource inside the object.
func (v *validator) checkEmbedded(raw []byte, at *frame) error {
	var resource struct {
		APIVersion *string            `json:"apiVersion"`
		Kind       *string            `json:"kind"`
		Metadata   *metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &resource); err != nil {
		return err
	}
	here := bracketPath(at)
	switch apiVersion := resource.APIVersion; {
	case apiVersion == nil:
		v.report(field.Required(here.Child("apiVersion"), ""))
	case *apiVersion == "":
		v.report(field.Invalid(here.Child("apiVersion"), *apiVersion, "must not be empty"))
	default:
		if _, err := schema.ParseGroupVersion(*apiVersion); err != nil {
			v.report(field.Invalid(here.Child("apiVersion"), *apiVersion, err.Error()))
		}
	}
	switch kind := resource.Kind; {
	case kind == nil:
		v.report(field.Required(here.Child("kind"), ""))
	case *kind == "":
		v.report(field.Invalid(here.Child("kind"), *kind, "must not be empty"))
	default:
		if errs := utilvalidation.IsDNS1035Label(strings.ToLower(*kind)); len(errs) > 0 {
			v.report(field.Invalid(here.Child("kind"), *kind, "may have mixed case, but should otherwise match: "+strings.Join(errs, ",")))
		}
	}
	if meta := resource.Metadata; meta != nil {
		if meta.Name == "" {
			meta.Name = "fakename" // a name is not demanded
		}
		for _, err := range validation.ValidateObjectMeta(meta, meta.Namespace != "", path.ValidatePathSegmentName, here.Child("metadata")) {
			v.report(err)
		}
	}
	return nil
}

// bracketPath is a path for those field errors that put the keys of maps into brackets.
func bracketPath(at *frame) *field.Path {
	if at == nil {
		return nil
	}
	up := bracketPath(at.up)
	switch {
	case at.key == nil:
		return up.Index(at.index)
	case at.mapped:
		return up.Key(string(appendUnquoted(nil, at.key)))
	}
	return up.Child(string(appendUnquoted(nil, at.key)))
}
