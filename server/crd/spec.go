package crd

import (
	"encoding/json"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"

	"github.com/stratagem-dev/stratagem/engine"
)

// specForms is the spec of a definition in all the forms that the steps of a write ask for, each made once.
//
//   - They are shared by all who ask. Nobody changes them.
type specForms struct {
	internal apiextensions.CustomResourceDefinitionSpec

	v1         func() (*apiv1.CustomResourceDefinitionSpec, error)
	texts      map[string]func() (json.RawMessage, error) // canonical, by apiVersion
	structural func() (*apiv1.CustomResourceDefinitionCondition, error)
}

func newSpecForms(spec apiextensions.CustomResourceDefinitionSpec) *specForms {
	f := &specForms{internal: spec, texts: map[string]func() (json.RawMessage, error){}}
	f.v1 = sync.OnceValues(func() (*apiv1.CustomResourceDefinitionSpec, error) {
		out := &apiv1.CustomResourceDefinition{}
		err := scheme().Convert(f.definition(), out, nil)
		return &out.Spec, err
	})
	f.structural = sync.OnceValues(func() (*apiv1.CustomResourceDefinitionCondition, error) {
		v1, err := f.v1()
		if err != nil {
			return nil, err
		}
		return structuralCondition(v1), nil
	})
	f.texts[apiv1.SchemeGroupVersion.String()] = sync.OnceValues(func() (json.RawMessage, error) {
		v1, err := f.v1()
		if err != nil {
			return nil, err
		}
		return canonical(v1)
	})
	f.texts[v1beta1.SchemeGroupVersion.String()] = sync.OnceValues(func() (json.RawMessage, error) {
		out := &v1beta1.CustomResourceDefinition{}
		if err := scheme().Convert(f.definition(), out, nil); err != nil {
			return nil, err
		}
		return canonical(&out.Spec)
	})
	return f
}

// definition is a definition with this spec and nothing else.
func (f *specForms) definition() *apiextensions.CustomResourceDefinition {
	return &apiextensions.CustomResourceDefinition{Spec: f.internal}
}

// storageVersion is the version that objects are stored in, "" where the spec names none.
func (f *specForms) storageVersion() string {
	i := slices.IndexFunc(f.internal.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Storage })
	if i < 0 {
		return ""
	}
	return f.internal.Versions[i].Name
}

func canonical(value any) (json.RawMessage, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	out, _, err := engine.ParseObject(raw)
	return json.RawMessage(out), err
}
