package engine

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// Decoding is how a body is to be read.
type Decoding struct {
	FieldValidation FieldValidation // "" is Warn
	// Duplicates are the paths of duplicate keys that ParseObject found in the body.
	Duplicates []string
}

// decode is the first stage of a write: the type check of apiVersion and kind, then pruning and the type check
// of all fields by the schema. Unknown and duplicate fields are ignored, warned of or refused, as asked.
func (s *Store) decode(info *RequestInfo, obj Object, how Decoding) (Object, []string, error) {
	obj, err := s.checkKind(info, obj)
	if err != nil {
		return nil, nil, err
	}
	var unknown []string
	if version := s.Resource.Version(info.Version); version.Schema != nil {
		decoded, err := version.Schema.Decode(obj)
		if err != nil {
			if errs := s.explainTypes(info, obj, err); len(errs) > 0 {
				return nil, nil, &InvalidError{s.Resource.GroupKind(), obj.Name(), errs}
			}
			return nil, nil, badRequest("%s in version %q cannot be handled as a %s: %v", s.Resource.Kind, info.Version, s.Resource.Kind, err)
		}
		obj, unknown = decoded.Object, decoded.Unknown
	}
	obj, warnings := dedupOwners(obj)
	if how.FieldValidation == IgnoreFields || len(how.Duplicates)+len(unknown) == 0 {
		return obj, warnings, nil
	}
	var found []string
	for _, path := range how.Duplicates {
		found = append(found, fmt.Sprintf("duplicate field %q", path))
	}
	for _, path := range unknown {
		found = append(found, fmt.Sprintf("unknown field %q", path))
	}
	if how.FieldValidation == StrictFields {
		return nil, nil, badRequest("%s in version %q cannot be handled as a %s: strict decoding error: %s",
			s.Resource.Kind, info.Version, s.Resource.Kind, strings.Join(found, ", "))
	}
	return obj, append(found, warnings...), nil
}

// TypeExplainer is a Strategy that says itself what is wrong with an object whose types do not agree with its schema, as
// custom resources do: 422 with all errors, where other kinds answer 400 with the first.
type TypeExplainer interface {
	// ExplainTypes gets the object as the client sent it. Without errors the answer is 400.
	ExplainTypes(info *RequestInfo, obj Object) field.ErrorList
}

// explainTypes asks the strategy. What is wrong with metadata is no strategy's business.
func (s *Store) explainTypes(info *RequestInfo, obj Object, err error) field.ErrorList {
	explainer, ok := Ability[TypeExplainer](s.Resource.Strategy)
	var mismatch *structural.TypeError
	if !ok || !errors.As(err, &mismatch) || mismatch.Path == "metadata" || strings.HasPrefix(mismatch.Path, "metadata.") {
		return nil
	}
	return explainer.ExplainTypes(info, obj)
}

// checkKind makes sure that the body is of the kind and version that the path says; where it says nothing it
// is taken to be.
func (s *Store) checkKind(info *RequestInfo, obj Object) (Object, error) {
	wanted := s.Resource.APIVersion(info.Version)
	switch apiVersion, kind := obj.APIVersion(), obj.Kind(); {
	case apiVersion == wanted && kind == s.Resource.Kind:
		return obj, nil
	case kind != "" && kind != s.Resource.Kind || apiVersion != "" && apiVersion != wanted:
		if apiVersion == "" {
			apiVersion = wanted
		}
		return nil, badRequest("%s in version %q cannot be handled as a %s: the API version in the data (%s) or its kind (%s) does not match the expected %s, kind %s",
			kind, apiVersion, s.Resource.Kind, apiVersion, kind, wanted, s.Resource.Kind)
	}
	fields := obj.Fields()
	fields.SetString("apiVersion", wanted)
	fields.SetString("kind", s.Resource.Kind)
	return fields.Raw(), nil
}

// applyDefaults fills in the defaults of a version's schema.
func (s *Store) applyDefaults(obj Object, version string) (Object, error) {
	v := s.Resource.Version(version)
	if v == nil || v.Schema == nil {
		return obj, nil
	}
	return v.Schema.Default(obj)
}

// validateSchema checks the value rules of a version's schema where the resource asks for that. Kubernetes' own kinds
// do not: their schema documents what their strategy enforces.
func (s *Store) validateSchema(obj Object, version string) field.ErrorList {
	v := s.Resource.Version(version)
	if !s.Resource.Traits.ValidateSchema || v == nil || v.Schema == nil {
		return nil
	}
	return v.Schema.Validate(obj)
}
