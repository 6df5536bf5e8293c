package openapi

import (
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/builder3/util"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// metaPrefix begins the names of the definitions of meta/v1.
const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1."

// definitions are Kubernetes' own definitions of meta/v1, autoscaling/v1 and apiextensions.k8s.io. Nothing in them may be changed.
type definitions struct {
	v3 spec.Definitions
	v2 spec.Definitions // of those that v2 says differently, with v3's references
}

// library is v3's form of the definitions.
func library() spec.Definitions { return loadDefinitions().v3 }

var loadDefinitions = sync.OnceValue(func() definitions {
	out := definitions{v3: spec.Definitions{}, v2: spec.Definitions{}}
	ref := func(name string) spec.Ref { return spec.MustCreateRef(v3Prefix + name) }
	for name, definition := range openapi.GetOpenAPIDefinitions(ref) {
		s := definition.Schema
		if v2, ok := s.Extensions[common.ExtensionV2Schema].(spec.Schema); ok {
			out.v2[name] = v2
			delete(s.Extensions, common.ExtensionV2Schema)
		}
		out.v3[name] = *util.WrapRefs(&s)
	}
	// Sharded lists are an alpha feature of Kubernetes that is off by default.
	delete(out.v3[metaPrefix+"ListMeta"].Properties, "shardInfo")
	delete(out.v3[metaPrefix+"ListOptions"].Properties, "shardSelector")
	for _, name := range [...]string{"Status", "DeleteOptions", "WatchEvent"} {
		setKind(out.v3, metaPrefix+name, schema.GroupVersionKind{Version: "v1", Kind: name})
	}
	setKind(out.v3, scaleName, scaleKind)
	return out
})

// Every scale subresource speaks of this kind.
var (
	scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}
	scaleName = modelName(scaleKind)
)

func setKind(in spec.Definitions, name string, gvk schema.GroupVersionKind) {
	s := in[name]
	s.Extensions = addKind(s.Extensions, gvk)
	in[name] = s
}

// addKind returns the extensions of a schema with the kind that it describes among them.
func addKind(extensions spec.Extensions, gvk schema.GroupVersionKind) spec.Extensions {
	out := spec.Extensions{}
	for key, value := range extensions {
		out[key] = value
	}
	out[kindExtension] = []any{kindValue(gvk)}
	return out
}

const kindExtension = "x-kubernetes-group-version-kind"

func kindValue(gvk schema.GroupVersionKind) map[string]any {
	return map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}
}

// modelName is the name that Kubernetes gives the schema of a kind: by Go package for its own, by group for all others.
func modelName(gvk schema.GroupVersionKind) string {
	pkg := "io.k8s.api." + gvk.Group
	switch {
	case gvk.Group == "":
		pkg = "io.k8s.api.core"
	case gvk.Group == "apiextensions.k8s.io":
		pkg = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"
	case strings.Contains(gvk.Group, "."):
		labels := strings.Split(gvk.Group, ".")
		for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
			labels[i], labels[j] = labels[j], labels[i]
		}
		pkg = strings.Join(labels, ".")
	}
	return pkg + "." + gvk.Version + "." + gvk.Kind
}
