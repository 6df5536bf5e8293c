package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// kind is one version of a resource with all schemas that its description refers to.
type kind struct {
	gvk      schema.GroupVersionKind
	name     string                             // of the kind's schema
	listName string                             // of the list's
	posted   map[schema.GroupVersionKind]string // of the kinds that its subresources take
	strategy bool                               // strategic merge patches are taken
	schemas  spec.Definitions

	components map[string]json.RawMessage
}

func kindOf(r *engine.Resource, v *engine.Version, gv schema.GroupVersion) *kind {
	k := &kind{gvk: gv.WithKind(r.Kind), posted: map[schema.GroupVersionKind]string{}, schemas: spec.Definitions{}}
	var root *spec.Schema
	if v.Schema != nil {
		k.components = v.Schema.Components()
		k.strategy = v.Schema.HasPatchMeta()
		root = k.parse(v.Schema.OpenAPI())
	}
	named := kindsIn(k.components)
	k.name = nameOf(named, k.gvk)
	k.schemas[k.name] = selectable(k.rootSchema(root), r.Selectable(gv.Version))
	k.need(k.schemas[k.name])

	list := gv.WithKind(r.ListKind)
	k.listName = nameOf(named, list)
	k.schemas[k.listName] = selectable(listSchema(r, k.name, list), r.Selectable(gv.Version))
	k.need(k.schemas[k.listName])

	for i := range r.Subresources {
		if sub := &r.Subresources[i]; sub.Create != nil {
			k.addPosted(named, sub.Create.GroupVersionKind)
		}
	}
	for _, name := range [...]string{scaleName, metaPrefix + "Status", metaPrefix + "DeleteOptions", metaPrefix + "Patch"} {
		if name != scaleName || hasScale(r) {
			k.needName(name)
		}
	}
	return k
}

func hasScale(r *engine.Resource) bool {
	for i := range r.Subresources {
		if r.Subresources[i].Scale != nil {
			return true
		}
	}
	return false
}

// addPosted finds the schema of a kind that is posted to a subresource, or makes one that takes anything.
func (k *kind) addPosted(named map[schema.GroupVersionKind]string, gvk schema.GroupVersionKind) {
	name := nameOf(named, gvk)
	k.posted[gvk] = name
	if _, ok := named[gvk]; !ok {
		s := anything()
		s.Extensions = addKind(s.Extensions, gvk)
		k.schemas[name] = s
		return
	}
	k.needName(name)
}

// rootSchema makes a version's schema that of a whole object: apiVersion, kind and metadata are the server's.
func (k *kind) rootSchema(root *spec.Schema) spec.Schema {
	for range len(k.components) { // a schema that only refers to another is that one
		if root == nil {
			break
		}
		name, _ := referenced(root.Ref)
		if name == "" {
			break
		}
		root = k.parse(k.components[name])
	}
	if root == nil {
		if s, ok := library()[modelName(k.gvk)]; ok {
			s.Extensions = addKind(s.Extensions, k.gvk)
			return s
		}
		open := anything()
		root = &open
	}
	root.Type = spec.StringOrArray{"object"}
	setObjectProperties(root, objectMetaDescription)
	root.Extensions = addKind(root.Extensions, k.gvk)
	return *root
}

var objectMetaDescription = metav1.PartialObjectMetadata{}.SwaggerDoc()["metadata"]

// setObjectProperties gives a schema the properties that every object has.
func setObjectProperties(s *spec.Schema, metadataDescription string) {
	if own, ok := s.Properties["metadata"]; ok && own.Description != "" {
		metadataDescription = own.Description
	}
	typeMeta := library()[metaPrefix+"TypeMeta"]
	properties := maps.Clone(s.Properties)
	if properties == nil {
		properties = map[string]spec.Schema{}
	}
	properties["apiVersion"] = typeMeta.Properties["apiVersion"]
	properties["kind"] = typeMeta.Properties["kind"]
	properties["metadata"] = described(metaPrefix+"ObjectMeta", metadataDescription)
	s.Properties = properties
}

// described refers to a definition and says what it is there for: v3 knows no siblings of a reference.
func described(name, description string) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Description: description, AllOf: []spec.Schema{refTo(name)}}}
}

func refTo(name string) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef(v3Prefix + name)}}
}

func listSchema(r *engine.Resource, itemName string, gvk schema.GroupVersionKind) spec.Schema {
	item := refTo(itemName)
	s := spec.Schema{}
	s.Typed("object", "").WithDescription(fmt.Sprintf("%s is a list of %s", r.ListKind, r.Kind)).WithRequired("items")
	setObjectProperties(&s, "")
	s.Properties["metadata"] = described(metaPrefix+"ListMeta", metav1.PartialObjectMetadataList{}.SwaggerDoc()["metadata"])
	s.Properties["items"] = *spec.ArrayProperty(&item).WithDescription(fmt.Sprintf(
		"List of %s. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", r.Plural))
	s.Extensions = addKind(nil, gvk)
	return s
}

// selectable adds what field selectors may name to a schema.
func selectable(s spec.Schema, paths []string) spec.Schema {
	if len(paths) == 0 {
		return s
	}
	fields := make([]any, len(paths))
	for i, path := range paths {
		fields[i] = map[string]any{"fieldPath": strings.TrimPrefix(path, ".")}
	}
	s.Extensions = maps.Clone(s.Extensions)
	s.Extensions["x-kubernetes-selectable-fields"] = fields
	return s
}

// anything is the schema of an object that nothing is known of.
func anything() spec.Schema {
	s := spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}}}
	s.Extensions = spec.Extensions{preserveUnknown: true}
	return s
}

// need adds what a schema refers to, and what that refers to.
func (k *kind) need(s spec.Schema) {
	for _, name := range references(s) {
		k.needName(name)
	}
}

func (k *kind) needName(name string) {
	if _, ok := k.schemas[name]; ok {
		return
	}
	if s, ok := library()[name]; ok {
		k.schemas[name] = s
		k.need(s)
		return
	}
	s := k.parse(k.components[name])
	if s == nil {
		open := anything()
		s = &open
	}
	k.schemas[name] = *s
	k.need(*s)
}

// parse reads a schema that a plugin or definition brought along; nil if it is none.
func (k *kind) parse(raw json.RawMessage) *spec.Schema {
	if len(raw) == 0 {
		return nil
	}
	s := &spec.Schema{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil
	}
	walk(s, clean)
	return s
}

// kindsIn finds the components that name the kind they describe. Those that bear the name of a library definition do not count.
func kindsIn(components map[string]json.RawMessage) map[schema.GroupVersionKind]string {
	named := map[schema.GroupVersionKind]string{}
	for name, raw := range components {
		if _, ok := library()[name]; ok {
			continue
		}
		gjson.GetBytes(raw, kindExtension).ForEach(func(_, gvk gjson.Result) bool {
			key := schema.GroupVersionKind{Group: gvk.Get("group").Str, Version: gvk.Get("version").Str, Kind: gvk.Get("kind").Str}
			if other, ok := named[key]; !ok || name < other {
				named[key] = name
			}
			return true
		})
	}
	return named
}

func nameOf(named map[schema.GroupVersionKind]string, gvk schema.GroupVersionKind) string {
	if name, ok := named[gvk]; ok {
		return name
	}
	return modelName(gvk)
}
