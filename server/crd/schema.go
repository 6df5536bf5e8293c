package crd

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

// compiled is a version of a definition with its schema made ready, for as long as the version does not change.
type compiled struct {
	hash    [sha256.Size]byte
	version engine.Version
	doc     []byte // the schema as the definition has it; nil: none
	rules   bool   // the schema has rules in CEL
	// open says that the schema is none that objects are pruned and defaulted by as bytes: the library does that, on trees.
	open   bool
	scale  *engine.Scale
	status bool

	library func() (*library, error) // what the errors of an object are found with, made when there first are any
}

// library is Kubernetes' own code over one schema, which works on decoded trees.
type library struct {
	structural *structuralschema.Structural // nil: not structural
	prunes     bool                         // unknown fields go
	validator  validation.SchemaValidator
	status     validation.SchemaValidator
	cel        *cel.Validator
}

// anything is the schema of a version that has none, or whose fields are all to be kept.
var anything = []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)

// compileVersion makes a version ready. doc is its schema, nil where it has none.
func compileVersion(v *apiv1.CustomResourceDefinitionVersion, doc []byte, preserve bool, hash [sha256.Size]byte) (*compiled, error) {
	c := &compiled{hash: hash, version: versionOf(v), doc: doc}
	if s := v.Subresources; s != nil {
		c.status = s.Status != nil
		c.scale = scaleOf(s.Scale)
	}
	var err error
	if doc != nil {
		c.rules = !preserve && hasRules(v.Schema.OpenAPIV3Schema)
	}
	c.library = sync.OnceValues(func() (*library, error) { return newLibrary(c.doc, preserve) })
	if c.doc != nil && !preserve {
		if c.version.Schema, err = schema.CompileCustom(c.doc); err == nil {
			return c, nil
		}
		// It was taken before schemas had to be structural, or it is beyond the engine's bounds.
	}
	c.open = c.doc != nil
	c.version.Schema, err = schema.CompileCustom(anything)
	return c, err
}

// newLibrary makes Kubernetes' own code ready for a schema, nil where there is none.
func newLibrary(doc []byte, preserve bool) (*library, error) {
	props, err := propsIn(doc)
	if err != nil {
		return nil, err
	}
	l := &library{}
	if l.validator, _, err = validation.NewSchemaValidator(props); err != nil || props == nil {
		return l, err
	}
	if status, ok := props.Properties["status"]; ok {
		if l.status, _, err = validation.NewSchemaValidator(&status); err != nil {
			return nil, err
		}
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return l, nil // not structural: neither pruned nor defaulted
	}
	if l.structural = structural.DeepCopy(); preserve {
		return l, nil
	}
	if err := defaulting.PruneDefaults(l.structural); err != nil {
		return nil, err
	}
	l.prunes = true
	l.cel = cel.NewValidator(l.structural, true, celconfig.PerCallLimit)
	return l, nil
}

// propsIn decodes a schema as the library's functions take it.
func propsIn(doc []byte) (*apiextensions.JSONSchemaProps, error) {
	if doc == nil {
		return nil, nil
	}
	v := &apiv1.CustomResourceDefinitionVersion{Schema: &apiv1.CustomResourceValidation{OpenAPIV3Schema: &apiv1.JSONSchemaProps{}}}
	if err := json.Unmarshal(doc, v.Schema.OpenAPIV3Schema); err != nil {
		return nil, err
	}
	return propsOf(v)
}

// hasRules tells whether a schema has rules in CEL.
func hasRules(s *apiv1.JSONSchemaProps) bool {
	if s == nil {
		return false
	}
	if len(s.XValidations) > 0 || hasRules(s.Not) {
		return true
	}
	for _, property := range s.Properties {
		if hasRules(&property) {
			return true
		}
	}
	for _, list := range [][]apiv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			if hasRules(&list[i]) {
				return true
			}
		}
	}
	return s.Items != nil && hasRules(s.Items.Schema) || s.AdditionalProperties != nil && hasRules(s.AdditionalProperties.Schema)
}
