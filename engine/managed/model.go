package managed

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/stratagem-dev/stratagem/engine/schema"
)

// The names of the types that every schema is given. The names of components have no tilde.
const (
	rootName = "~object"
	metaName = "~metadata"
)

//go:embed objectmeta.json
var builtinDoc []byte

// builtin are the types that are not described by resources: ObjectMeta and Scale.
var builtin = sync.OnceValues(func() (map[string]*spec.Schema, error) {
	var docs map[string]*spec.Schema
	err := json.Unmarshal(builtinDoc, &docs)
	return docs, err
})

// model turns an OpenAPI schema into the one of structured-merge-diff, by Kubernetes' own rules. The type of the objects
// is named rootName.
func model(s *schema.Schema) (*smd.Schema, error) {
	types, err := builtin()
	if err != nil {
		return nil, err
	}
	m := modeler{components: s.Components(), models: map[string]*spec.Schema{metaName: types["ObjectMeta"]}}
	root, err := m.parse(s.OpenAPI())
	if err != nil {
		return nil, err
	}
	for range m.components { // a reference to a reference has an end
		ref := reference(root)
		if ref == "" {
			break
		}
		if root, err = m.parse(m.components[ref]); err != nil {
			return nil, err
		}
	}
	addIdentity(root)
	m.models[rootName] = root
	return schemaconv.ToSchemaFromOpenAPI(m.models, false)
}

// modeler collects a schema and the components that it refers to.
type modeler struct {
	components map[string]json.RawMessage
	models     map[string]*spec.Schema
}

var references = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// parse decodes a schema, and first those that it refers to.
func (m *modeler) parse(doc json.RawMessage) (*spec.Schema, error) {
	for _, found := range references.FindAllSubmatch(doc, -1) {
		name := string(found[1])
		if _, known := m.models[name]; known {
			continue
		}
		component, ok := m.components[name]
		if !ok {
			return nil, fmt.Errorf("component %q is unknown", name)
		}
		m.models[name] = &spec.Schema{} // for one that refers to itself
		parsed, err := m.parse(component)
		if err != nil {
			return nil, err
		}
		m.models[name] = parsed
	}
	parsed := &spec.Schema{}
	if err := json.Unmarshal(doc, parsed); err != nil {
		return nil, err
	}
	normalize(parsed)
	return parsed, nil
}

// reference is the name of the component that a schema stands for, or "".
func reference(s *spec.Schema) string {
	ref := s.Ref.String()
	if ref == "" && len(s.AllOf) == 1 {
		ref = s.AllOf[0].Ref.String()
	}
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// strategies are the patch strategies that say something about ownership.
var strategies = map[any]bool{"merge": true, "merge,retainKeys": true, "retainKeys": true}

// normalize makes a schema one that can be converted whatever it says: it drops what Kubernetes does not know and adds what it
// demands.
func normalize(s *spec.Schema) {
	if t := s.Extensions["x-kubernetes-map-type"]; t != "atomic" && t != "granular" {
		delete(s.Extensions, "x-kubernetes-map-type")
	}
	if !strategies[s.Extensions["x-kubernetes-patch-strategy"]] {
		delete(s.Extensions, "x-kubernetes-patch-strategy")
	}
	if len(s.Type) > 0 && s.Type[0] == "array" && (s.Items == nil || s.Items.Schema == nil) {
		s.Items = &spec.SchemaOrArray{Schema: &spec.Schema{}}
	}
	if s.Extensions["x-kubernetes-embedded-resource"] == true {
		addIdentity(s)
	}
	for key := range s.Properties {
		child := s.Properties[key]
		normalize(&child)
		s.Properties[key] = child
	}
	if s.Items != nil && s.Items.Schema != nil {
		normalize(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		normalize(s.AdditionalProperties.Schema)
	}
}

// addIdentity adds apiVersion, kind and metadata, as every resource has them.
func addIdentity(s *spec.Schema) {
	if s.Properties == nil {
		s.Properties = map[string]spec.Schema{}
	}
	s.Type = spec.StringOrArray{"object"}
	s.Properties["apiVersion"] = *spec.StringProperty()
	s.Properties["kind"] = *spec.StringProperty()
	s.Properties["metadata"] = spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef("#/components/schemas/" + metaName)}}
}
