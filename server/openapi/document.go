package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/schemamutation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// The prefixes of references: paths are kept in v2's form, which the library turns into v3's; schemas in v3's, which says more.
const (
	v2Prefix = "#/definitions/"
	v3Prefix = "#/components/schemas/"
)

// describe describes one group version.
//
// The result is a carrier, not yet a document of either format: v2 paths, and v3 schemas as its definitions.
func describe(gv schema.GroupVersion, resources []*engine.Resource, options Options) *spec.Swagger {
	out := newCarrier()
	for _, r := range resources {
		part := newCarrier()
		k := kindOf(r, r.Version(gv.Version), gv)
		part.Definitions = k.schemas
		addPaths(part.Paths.Paths, r, k, options)
		merge(out, part, r.GroupResource().String()+".")
	}
	return out
}

func newCarrier() *spec.Swagger {
	return &spec.Swagger{SwaggerProps: spec.SwaggerProps{
		Paths:       &spec.Paths{Paths: map[string]spec.PathItem{}},
		Definitions: spec.Definitions{},
	}}
}

// merge adds the paths and definitions of one carrier to another.
//
//   - Plugins choose the names of their components: where two mean different things by one name, the later one is
//     renamed by the prefix, and what refers to it refers to the new name.
func merge(into, from *spec.Swagger, prefix string) {
	if renamed := renames(into.Definitions, from.Definitions, prefix); len(renamed) > 0 {
		from = schemamutation.ReplaceReferences(func(ref *spec.Ref) *spec.Ref {
			name, of := referenced(*ref)
			if renamed[name] == "" {
				return ref
			}
			out := spec.MustCreateRef(of + renamed[name])
			return &out
		}, from)
		definitions := make(spec.Definitions, len(from.Definitions))
		for name, s := range from.Definitions {
			if renamed[name] != "" {
				name = renamed[name]
			}
			definitions[name] = s
		}
		from.Definitions = definitions
	}
	maps.Copy(into.Definitions, from.Definitions)
	maps.Copy(into.Paths.Paths, from.Paths.Paths)
}

// renames are the new names of those definitions that would replace another one, or its equal that refers to something else.
func renames(into, from spec.Definitions, prefix string) map[string]string {
	renamed := map[string]string{}
	for name, s := range from {
		if other, ok := into[name]; ok && !reflect.DeepEqual(other, s) {
			renamed[name] = freeName(into, from, prefix+name)
		}
	}
	for grown := len(renamed) > 0; grown; {
		grown = false
		for name, s := range from {
			if _, taken := into[name]; !taken || renamed[name] != "" {
				continue
			}
			if slices.ContainsFunc(references(s), func(to string) bool { return renamed[to] != "" }) {
				renamed[name] = freeName(into, from, prefix+name)
				grown = true
			}
		}
	}
	return renamed
}

func freeName(into, from spec.Definitions, name string) string {
	for {
		_, taken := into[name]
		_, own := from[name]
		if !taken && !own {
			return name
		}
		name = "x." + name
	}
}

// references are the names of the definitions that a schema refers to.
func references(s spec.Schema) []string {
	var names []string
	walker := schemamutation.Walker{
		SchemaCallback: schemamutation.SchemaCallBackNoop,
		RefCallback: func(ref *spec.Ref) *spec.Ref {
			if name, _ := referenced(*ref); name != "" {
				names = append(names, name)
			}
			return ref
		},
	}
	walker.WalkSchema(&s)
	return names
}

// referenced is the name behind a reference, and what stands before it.
func referenced(ref spec.Ref) (name, prefix string) {
	text := ref.String()
	for _, prefix := range [...]string{v3Prefix, v2Prefix} {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			return name, prefix
		}
	}
	return "", ""
}
