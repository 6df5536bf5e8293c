package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/stratagem-dev/stratagem/engine"
)

// kindName is the kind of a definition.
const kindName = "CustomResourceDefinition"

// scheme knows the versions of a definition, their defaults and conversions.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	return s
})

// typed is an empty definition of a version.
func typed(apiVersion string) (runtime.Object, error) {
	switch apiVersion {
	case apiv1.SchemeGroupVersion.String():
		return &apiv1.CustomResourceDefinition{}, nil
	case v1beta1.SchemeGroupVersion.String():
		return &v1beta1.CustomResourceDefinition{}, nil
	}
	return nil, fmt.Errorf("%s %s is no version of a definition", apiVersion, kindName)
}

// internal decodes a definition of any version, with its defaults. Its spec is shared and must not be changed.
func internal(obj engine.Object) (*apiextensions.CustomResourceDefinition, error) {
	in, _, err := decodeDefinition(obj)
	return in, err
}

// decodeDefinition is internal, with the forms of the spec.
func decodeDefinition(obj engine.Object) (*apiextensions.CustomResourceDefinition, *specForms, error) {
	apiVersion, spec := obj.APIVersion(), json.RawMessage(obj.Get("spec").Raw)
	if forms := recent.get(apiVersion, spec); forms != nil {
		in, err := decodeWhole(obj.With("spec", nil))
		if err != nil {
			return nil, nil, err
		}
		in.Spec = forms.internal
		if stored := forms.storageVersion(); len(in.Status.StoredVersions) == 0 && stored != "" {
			in.Status.StoredVersions = []string{stored}
		}
		return in, forms, nil
	}
	in, err := decodeWhole(obj)
	if err != nil {
		return nil, nil, err
	}
	forms := newSpecForms(in.Spec)
	recent.put(apiVersion, spec, forms)
	return in, forms, nil
}

// decodeWhole decodes all of a definition.
func decodeWhole(obj engine.Object) (*apiextensions.CustomResourceDefinition, error) {
	in, err := typed(obj.APIVersion())
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(obj, in); err != nil {
		return nil, &engine.BadRequestError{Message: fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kindName, version(obj), kindName, err)}
	}
	scheme().Default(in)
	out := &apiextensions.CustomResourceDefinition{}
	return out, scheme().Convert(in, out, nil)
}

// Read decodes a definition of any version as v1. Its spec is shared and must not be changed.
func Read(obj engine.Object) (*apiv1.CustomResourceDefinition, error) {
	crd, _, err := readDefinition(obj)
	return crd, err
}

// readDefinition is Read, with the forms of the spec.
func readDefinition(obj engine.Object) (*apiv1.CustomResourceDefinition, *specForms, error) {
	in, forms, err := decodeDefinition(obj)
	if err != nil {
		return nil, nil, err
	}
	spec, err := forms.v1()
	if err != nil {
		return nil, nil, err
	}
	in.Spec = apiextensions.CustomResourceDefinitionSpec{}
	out := &apiv1.CustomResourceDefinition{}
	if err := scheme().Convert(in, out, nil); err != nil {
		return nil, nil, err
	}
	out.Spec = *spec
	return out, forms, nil
}

// encode writes spec and status of a definition in a version; the metadata is that of obj, as it stands there.
func encode(status apiextensions.CustomResourceDefinitionStatus, forms *specForms, apiVersion string, obj engine.Object) (engine.Object, error) {
	out, err := typed(apiVersion)
	if err != nil {
		return nil, err
	}
	if err := scheme().Convert(&apiextensions.CustomResourceDefinition{Status: status}, out, nil); err != nil {
		return nil, err
	}
	encoded, err := canonical(out)
	if err != nil {
		return nil, err
	}
	spec, err := forms.texts[apiVersion]()
	if err != nil {
		return nil, err
	}
	was, fields := obj.Fields(), engine.ParseFields(encoded)
	fields.SetString("apiVersion", apiVersion)
	fields.SetString("kind", kindName)
	fields.Set("metadata", was.Get("metadata"))
	fields.Set("spec", spec)
	return fields.Raw(), nil
}

// edit changes the status of a definition, in the version that it has. change must leave everything else alone.
func edit(obj engine.Object, change func(*apiextensions.CustomResourceDefinition)) (engine.Object, error) {
	in, forms, err := decodeDefinition(obj)
	if err != nil {
		return nil, err
	}
	change(in)
	return encode(in.Status, forms, obj.APIVersion(), obj)
}

// version is the version in an object's apiVersion.
func version(obj engine.Object) string {
	if obj.APIVersion() == v1beta1.SchemeGroupVersion.String() {
		return v1beta1.SchemeGroupVersion.Version
	}
	return apiv1.SchemeGroupVersion.Version
}

// versions is the Converter of definitions.
type versions struct{}

// Convert goes by way of the types.
func (versions) Convert(_ context.Context, _ *engine.RequestInfo, objects []engine.Object, apiVersion string) ([]engine.Object, error) {
	out := make([]engine.Object, len(objects))
	for i, obj := range objects {
		in, forms, err := decodeDefinition(obj)
		if err != nil {
			return nil, err
		}
		if out[i], err = encode(in.Status, forms, apiVersion, obj); err != nil {
			return nil, err
		}
	}
	return out, nil
}

var _ engine.Converter = versions{}
