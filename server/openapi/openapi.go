// Package openapi describes what is served: OpenAPI v3, a document for each group version, and v2, all in one.
//
// The nouns: Service (the documents of the newest list of resources, built when they are first asked for), document
// (one group version: its paths and schemas), kind (the schemas of one version of a resource, in kind.go). Paths are in
// paths.go and operations.go, the two formats in v3.go and v2.go.
package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/cached"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

// Options tunes the documents.
type Options struct {
	// Version of the server, for the info section.
	Version string
	// ServerSideApply is set where PATCH takes application/apply-patch+yaml.
	ServerSideApply bool
}

// Service serves the documents of the newest list of resources. It is safe for concurrent use.
type Service struct {
	options Options
	newest  atomic.Pointer[[]*engine.Resource]

	mu      sync.Mutex
	applied *[]*engine.Resource // the list that the fields below describe
	groups  map[schema.GroupVersion]groupVersion
	serial  int
	v3      *handler3.OpenAPIService
	v2      *v2Documents
}

// groupVersion is one group version: the resources it was described from, and the description once somebody asks.
type groupVersion struct {
	resources []*engine.Resource
	document  func() *spec.Swagger
}

// New makes a service that serves nothing yet.
func New(options Options) *Service {
	s := &Service{options: options, groups: map[schema.GroupVersion]groupVersion{}, v3: handler3.NewOpenAPIService()}
	s.Update(nil)
	return s
}

// Update makes a list of resources the one that is described. It only takes note of it: requests do the work, and only for
// those group versions whose resources have changed.
func (s *Service) Update(resources []*engine.Resource) { s.newest.Store(&resources) }

// V3 serves /openapi/v3 and everything below it.
func (s *Service) V3() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v3, _, groups := s.current()
		name := strings.Trim(strings.TrimPrefix(r.URL.Path, "/openapi/v3"), "/")
		switch {
		case name == "":
			v3.HandleDiscovery(w, r)
		case !groups[name]:
			http.NotFound(w, r)
		default:
			v3.HandleGroupVersion(w, r)
		}
	})
}

// V2 serves /openapi/v2.
func (s *Service) V2() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, v2, _ := s.current()
		v2.ServeHTTP(w, r)
	})
}

// current brings the documents up to the newest list and returns them, with the names that v3 knows ("apis/apps/v1").
func (s *Service) current() (v3 *handler3.OpenAPIService, v2 *v2Documents, names map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if newest := s.newest.Load(); newest != s.applied {
		s.apply(*newest)
		s.applied = newest
	}
	names = make(map[string]bool, len(s.groups))
	for gv := range s.groups {
		names[documentName(gv)] = true
	}
	return s.v3, s.v2, names
}

func (s *Service) apply(resources []*engine.Resource) {
	served := servedBy(resources)
	for gv := range s.groups {
		if served[gv] == nil {
			delete(s.groups, gv)
			s.v3.DeleteGroupVersion(documentName(gv))
		}
	}
	for gv, resources := range served {
		if slices.Equal(s.groups[gv].resources, resources) {
			continue
		}
		document := sync.OnceValue(func() *spec.Swagger { return describe(gv, resources, s.options) })
		s.groups[gv] = groupVersion{resources, document}
		s.serial++
		revision := fmt.Sprint(s.serial)
		s.v3.UpdateGroupVersionLazy(documentName(gv), cached.Once(cached.Func(func() (*spec3.OpenAPI, string, error) {
			return v3Document(document(), s.options), revision, nil
		})))
	}
	documents := make(map[schema.GroupVersion]func() *spec.Swagger, len(s.groups))
	for gv, g := range s.groups {
		documents[gv] = g.document
	}
	s.v2 = newV2Documents(documents, s.options)
}

// servedBy sorts the resources by the group versions that serve them, then by name.
func servedBy(resources []*engine.Resource) map[schema.GroupVersion][]*engine.Resource {
	served := map[schema.GroupVersion][]*engine.Resource{}
	for _, r := range resources {
		for _, v := range r.Versions {
			if v.Served {
				gv := schema.GroupVersion{Group: r.Group, Version: v.Name}
				served[gv] = append(served[gv], r)
			}
		}
	}
	for _, list := range served {
		slices.SortFunc(list, func(a, b *engine.Resource) int { return strings.Compare(a.Plural, b.Plural) })
	}
	return served
}

// documentName is the path of a group version without its leading slash, under which v3's index has it.
func documentName(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}
