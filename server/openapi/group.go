package openapi

import (
	"bytes"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// groupVersion is one group version: the resources that it is described from, and its document in v3 once somebody asks.
//
//   - What is kept are bytes. The tree that they are made of, several times their size, is made anew for v2.
type groupVersion struct {
	gv        schema.GroupVersion
	resources []*engine.Resource
	options   Options

	hash  func() string
	json  func() (*encoded, error)
	proto func() (*encoded, error)
}

// encoded is a document in one encoding.
type encoded struct {
	body  []byte
	etag  string // without quotes; the same in both encodings: Vary: Accept tells them apart
	built time.Time
}

func newGroupVersion(gv schema.GroupVersion, resources []*engine.Resource, options Options) *groupVersion {
	g := &groupVersion{gv: gv, resources: resources, options: options}
	g.hash = sync.OnceValue(g.sum)
	g.json = sync.OnceValues(func() (*encoded, error) {
		body, err := json.Marshal(v3Document(g.describe(), options))
		return &encoded{body, g.hash(), time.Now()}, err
	})
	g.proto = sync.OnceValues(func() (*encoded, error) {
		text, err := g.json()
		if err != nil {
			return nil, err
		}
		body, err := handler3.ToV3ProtoBinary(text.body)
		return &encoded{body, text.etag, text.built}, err
	})
	return g
}

// describe makes the description.
func (g *groupVersion) describe() *spec.Swagger { return describe(g.gv, g.resources, g.options) }

// sum is a hash of all that the document is made of. It is the same on every server of one build, and changes with the document: what is made of
// the same is the same.
func (g *groupVersion) sum() string {
	h := sha512.New()
	_, _ = fmt.Fprintf(h, "%s %v %+v\n", form(), g.gv, g.options)
	for _, r := range g.resources {
		sumResource(h, r, g.gv.Version)
	}
	return fmt.Sprintf("%X", h.Sum(nil))
}

// sumResource writes what is described of a resource.
func sumResource(h hash.Hash, r *engine.Resource, version string) {
	_, _ = fmt.Fprintf(h, "%q %q %q %q %q %v %v %q %q\n", r.Group, r.Plural, r.Singular, r.Kind, r.ListKind, r.Namespaced, r.Traits, r.Selectable(version), r.Categories)
	for _, sub := range r.Subresources {
		_, _ = fmt.Fprintf(h, "%q %v %v %v %v %q\n", sub.Name, sub.In(version), sub.Scale != nil, sub.Create, sub.PutOnly, sub.Unavailable)
	}
	v := r.Version(version)
	_, _ = fmt.Fprintf(h, "%v %q\n", v.Deprecated, v.DeprecationWarning)
	if v.Schema == nil {
		return
	}
	_, _ = fmt.Fprintf(h, "%v\n", v.Schema.HasPatchMeta())
	h.Write(v.Schema.OpenAPI())
	components := v.Schema.Components()
	for _, name := range slices.Sorted(maps.Keys(components)) {
		_, _ = fmt.Fprintf(h, "\n%q ", name)
		h.Write(components[name])
	}
}

// form is a hash of what this build makes of a small example: another one, which describes in another way, gives its documents other hashes.
var form = sync.OnceValue(func() string {
	r := &engine.Resource{
		Group: "example.org", Plural: "examples", Singular: "example", Kind: "Example", ListKind: "ExampleList", Namespaced: true,
		Versions:         []engine.Version{{Name: "v1", Served: true, Storage: true}},
		Subresources:     []engine.Subresource{{Name: "status"}, {Name: "scale", Scale: &engine.Scale{}}},
		SelectableFields: []string{".spec.color"},
	}
	gv := schema.GroupVersion{Group: r.Group, Version: "v1"}
	text, err := json.Marshal(v3Document(describe(gv, []*engine.Resource{r}, Options{ServerSideApply: true}), Options{}))
	if err != nil {
		return err.Error()
	}
	sum := sha512.Sum512(bytes.TrimSpace(text))
	return fmt.Sprintf("%X", sum[:8])
})
