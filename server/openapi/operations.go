package openapi

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// operations makes the operations of one resource, in v2's form.
type operations struct {
	resource *engine.Resource
	kind     *kind
	options  Options
}

// action is what is the same of an operation whatever the resource.
type action struct {
	id          string   // begins the operation's name
	description string   // with the kind to come
	parameters  []string // the kinds of meta/v1 whose fields are the query parameters
	responses   []int
}

var actions = map[string]action{
	"list":             {"list", "list or watch objects of kind %s", []string{"ListOptions"}, []int{200}},
	"post":             {"create", "create %s", []string{"CreateOptions"}, []int{200, 201, 202}},
	"deletecollection": {"delete", "delete collection of %s", []string{"ListOptions", "DeleteOptions"}, []int{200}},
	"get":              {"read", "read the specified %s", []string{"GetOptions"}, []int{200}},
	"put":              {"replace", "replace the specified %s", []string{"UpdateOptions"}, []int{200, 201}},
	"patch":            {"patch", "partially update the specified %s", []string{"PatchOptions"}, []int{200, 201}},
	"delete":           {"delete", "delete %s", []string{"DeleteOptions"}, []int{200, 202}},
}

// operation describes one action on the resource, or on its subresource.
//
//   - x-kubernetes-action and x-kubernetes-group-version-kind are what clients find an operation by.
func (o *operations) operation(name, subresource, scope string, gvk schema.GroupVersionKind) *spec.Operation {
	a := actions[name]
	op := &spec.Operation{}
	op.ID = o.id(name, subresource, scope)
	op.Description = fmt.Sprintf(a.description, o.described(subresource))
	op.Tags = []string{o.tag()}
	op.Schemes = []string{"https"}
	op.Consumes = []string{"*/*"}
	op.Produces = []string{"application/json", "application/yaml"}
	if name == "list" {
		op.Produces = append(op.Produces, "application/json;stream=watch")
	}
	op.Parameters = queryParameters(a.parameters...)
	if body := o.body(name, gvk); body != "" {
		op.Parameters = append(op.Parameters, bodyParameter(body, name == "post" || name == "put" || name == "patch"))
		op.Consumes = []string{"application/json", "application/yaml"}
	}
	if name == "patch" {
		op.Consumes = o.patchTypes()
	}
	op.Responses = &spec.Responses{ResponsesProps: spec.ResponsesProps{StatusCodeResponses: map[int]spec.Response{}}}
	for _, code := range a.responses {
		op.Responses.StatusCodeResponses[code] = response(http.StatusText(code), o.answer(name, gvk))
	}
	op.Responses.StatusCodeResponses[http.StatusUnauthorized] = response("Unauthorized", "")
	op.Extensions = spec.Extensions{"x-kubernetes-action": name, kindExtension: kindValue(gvk)}
	return op
}

// body is the name of the schema that an operation takes, if any.
func (o *operations) body(name string, gvk schema.GroupVersionKind) string {
	switch name {
	case "post", "put":
		return o.schemaOf(gvk)
	case "patch":
		return metaPrefix + "Patch"
	case "delete", "deletecollection":
		return metaPrefix + "DeleteOptions"
	default:
		return ""
	}
}

// answer is the name of the schema that an operation answers with.
func (o *operations) answer(name string, gvk schema.GroupVersionKind) string {
	switch {
	case name == "list":
		return o.kind.listName
	case name == "deletecollection", name == "delete" && !o.resource.Traits.ReturnDeletedObject:
		return metaPrefix + "Status"
	default:
		return o.schemaOf(gvk)
	}
}

func (o *operations) schemaOf(gvk schema.GroupVersionKind) string {
	if name, ok := o.kind.posted[gvk]; ok {
		return name
	}
	if gvk == scaleKind {
		return scaleName
	}
	return o.kind.name
}

// patchTypes are the media types of patches. That strategic merge patch is among them tells kubectl to send it.
func (o *operations) patchTypes() []string {
	out := []string{string(types.JSONPatchType), string(types.MergePatchType)}
	if o.kind.strategy {
		out = append(out, string(types.StrategicMergePatchType))
	}
	if o.options.ServerSideApply {
		out = append(out, string(types.ApplyPatchType))
	}
	return out
}

func (o *operations) described(subresource string) string {
	if subresource == "" {
		return o.kind.gvk.Kind
	}
	return subresource + " of " + o.kind.gvk.Kind
}

// id is the operation's name as Kubernetes forms them: readAppsV1NamespacedDeploymentScale.
func (o *operations) id(name, subresource, scope string) string {
	group := strings.TrimSuffix(o.kind.gvk.Group, ".k8s.io")
	if group == "" {
		group = "core"
	}
	id := actions[name].id + identifier(group, true) + identifier(o.kind.gvk.Version, true)
	if name == "deletecollection" {
		id += "Collection"
	}
	if o.resource.Namespaced && scope == "" {
		id += "Namespaced"
	}
	return id + identifier(o.kind.gvk.Kind, true) + identifier(subresource, true) + scope
}

func (o *operations) tag() string {
	group := strings.TrimSuffix(o.kind.gvk.Group, ".k8s.io")
	if group == "" {
		group = "core"
	}
	return identifier(group, false) + "_" + identifier(o.kind.gvk.Version, false)
}

var notLetters = regexp.MustCompile(`[^A-Za-z0-9]+`)

// identifier joins the words of a name: "example.com" is exampleCom, or ExampleCom.
func identifier(name string, upper bool) string {
	var out strings.Builder
	for i, word := range notLetters.Split(name, -1) {
		if word != "" && (upper || i > 0) {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out.WriteString(word)
	}
	return out.String()
}

func response(description, name string) spec.Response {
	r := spec.Response{}
	r.Description = description
	if name != "" {
		r.Schema = spec.RefSchema(v2Prefix + name)
	}
	return r
}
