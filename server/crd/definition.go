package crd

import (
	"encoding/json"
	"maps"
	"strings"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

const (
	// Group and Plural name the resource of definitions.
	Group  = "apiextensions.k8s.io"
	Plural = "customresourcedefinitions"
	// KeyRoot is where definitions are stored.
	KeyRoot = "/" + Group + "/" + Plural
)

// Key is the storage key of a definition.
func Key(name string) string { return KeyRoot + "/" + name }

// Definition is apiextensions.k8s.io CustomResourceDefinition, a resource with a native strategy.
//
//   - v1beta1 is what kube-apiserver stores definitions in to this day. It is served too, as manifests in it are still around.
func Definition() (*engine.Resource, error) {
	v1Schema, err := definitionSchema(apiv1.SchemeGroupVersion.Version)
	if err != nil {
		return nil, err
	}
	v1beta1Schema, err := definitionSchema(v1beta1.SchemeGroupVersion.Version)
	if err != nil {
		return nil, err
	}
	return &engine.Resource{
		Group: Group, Plural: Plural, Singular: "customresourcedefinition", Kind: kindName, ListKind: kindName + "List",
		ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, KeyRoot: KeyRoot, Revision: "native",
		Versions: []engine.Version{
			{Name: "v1", Served: true, Hooks: true, Schema: v1Schema, Columns: columns()},
			{Name: "v1beta1", Served: true, Storage: true, Schema: v1beta1Schema, Columns: columns(), Deprecated: true, DeprecationWarning: v1beta1Warning},
		},
		Strategy: engine.NewNative(strategy{}), Converter: versions{},
		Subresources: []engine.Subresource{{Name: "status", Strategy: engine.NewNative(statusStrategy{})}},
		Traits:       engine.Traits{GenerationOnSpecChange: true},
	}, nil
}

const v1beta1Warning = "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition"

func columns() []engine.Column {
	docs := metav1.ObjectMeta{}.SwaggerDoc()
	return []engine.Column{
		{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: docs["name"]},
		{Name: "Scope", Type: "string", Description: "Cluster/Namespaced"},
		{Name: "Versions", Type: "string", Description: "Served versions"},
		{Name: "Created At", Type: "date", Description: docs["creationTimestamp"]},
		{Name: "Group", Type: "string", Priority: 1, Description: "API group"},
		{Name: "Kind", Type: "string", Priority: 1, Description: "CustomResource kind"},
		{Name: "ShortNames", Type: "string", Priority: 1, Description: "Short names"},
		{Name: "Established", Type: "boolean", Priority: 1, Description: "Established status"},
	}
}

const (
	typesPrefix = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."
	metaPrefix  = "io.k8s.apimachinery.pkg.apis.meta.v1."
)

// definitionSchema compiles a version's schema from the types' own OpenAPI definitions.
//
//   - preserveUnknownFields is false in a v1beta1 manifest that does not say: with the default of its time, true, the rules of
//     today would refuse every one of them.
func definitionSchema(version string) (*schema.Schema, error) {
	ref := func(name string) spec.Ref { return spec.MustCreateRef("#/components/schemas/" + name) }
	components := map[string]json.RawMessage{}
	for name, definition := range openapi.GetOpenAPIDefinitions(ref) {
		if !strings.HasPrefix(name, typesPrefix+version+".") && !strings.HasPrefix(name, metaPrefix) {
			continue
		}
		s := definition.Schema
		s.Extensions = maps.Clone(s.Extensions)
		delete(s.Extensions, common.ExtensionV2Schema)
		if name == typesPrefix+"v1beta1.CustomResourceDefinitionSpec" {
			preserve := s.Properties["preserveUnknownFields"]
			preserve.Default = false
			s.Properties = maps.Clone(s.Properties)
			s.Properties["preserveUnknownFields"] = preserve
		}
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		components[name] = raw
	}
	return schema.Compile(components[typesPrefix+version+"."+kindName], components)
}
