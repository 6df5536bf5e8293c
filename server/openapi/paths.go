package openapi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// addPaths describes the paths of a resource and of its subresources.
//
//   - Subresources that the server refuses have none.
func addPaths(paths map[string]spec.PathItem, r *engine.Resource, k *kind, options Options) {
	o := &operations{resource: r, kind: k, options: options}
	root := "/" + documentName(k.gvk.GroupVersion())
	collection := root + "/" + r.Plural
	var inCollection []spec.Parameter
	if r.Namespaced {
		all := spec.PathItem{}
		all.Get = o.operation("list", "", "ForAllNamespaces", k.gvk)
		all.Parameters = []spec.Parameter{pretty}
		paths[collection] = all
		collection = root + "/namespaces/{namespace}/" + r.Plural
		inCollection = append(inCollection, namespaceParameter)
	}

	many := spec.PathItem{}
	many.Get = o.operation("list", "", "", k.gvk)
	many.Post = o.operation("post", "", "", k.gvk)
	if !r.Traits.NoDeleteCollection {
		many.Delete = o.operation("deletecollection", "", "", k.gvk)
	}
	many.Parameters = append(inCollection, pretty)
	paths[collection] = many

	one := spec.PathItem{}
	one.Get = o.operation("get", "", "", k.gvk)
	one.Put = o.operation("put", "", "", k.gvk)
	one.Patch = o.operation("patch", "", "", k.gvk)
	one.Delete = o.operation("delete", "", "", k.gvk)
	one.Parameters = append([]spec.Parameter{nameParameter(r.Kind)}, many.Parameters...)
	paths[collection+"/{name}"] = one

	for i := range r.Subresources {
		sub := &r.Subresources[i]
		if sub.Unavailable != "" || !sub.In(k.gvk.Version) {
			continue
		}
		item := spec.PathItem{}
		item.Parameters = one.Parameters
		switch {
		case sub.Create != nil:
			item.Post = o.operation("post", sub.Name, "", sub.Create.GroupVersionKind)
		case sub.PutOnly:
			item.Put = o.operation("put", sub.Name, "", k.gvk)
		default:
			gvk := subresourceKind(k, sub)
			item.Get = o.operation("get", sub.Name, "", gvk)
			item.Put = o.operation("put", sub.Name, "", gvk)
			item.Patch = o.operation("patch", sub.Name, "", gvk)
		}
		paths[collection+"/{name}/"+sub.Name] = item
	}
}

func subresourceKind(k *kind, sub *engine.Subresource) schema.GroupVersionKind {
	if sub.Scale != nil {
		return scaleKind
	}
	return k.gvk
}

var (
	pretty             = queryParameter("pretty", "If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).")
	namespaceParameter = pathParameter("namespace", "object name and auth scope, such as for teams and projects")
)

func nameParameter(kind string) spec.Parameter { return pathParameter("name", "name of the "+kind) }

func pathParameter(name, description string) spec.Parameter {
	p := spec.Parameter{}
	p.Name, p.In, p.Description, p.Type, p.Required, p.UniqueItems = name, "path", description, "string", true, true
	return p
}
