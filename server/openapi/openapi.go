// Package openapi describes what is served: OpenAPI v3, a document for each group version, and v2, all in one.
//
// The nouns: Service (the documents of the newest list of resources, built when they are first asked for), groupVersion (what is described in
// one document, and the hash of that), document (its paths and schemas), kind (the schemas of one version of a resource, in kind.go). Paths are
// in paths.go and operations.go, the two formats in v3.go and v2.go, how they are answered in serve.go.
package openapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
	groups  map[schema.GroupVersion]*groupVersion
	v3      *v3Documents
	v2      *v2Documents
}

// New makes a service that serves nothing yet.
func New(options Options) *Service {
	s := &Service{options: options, groups: map[schema.GroupVersion]*groupVersion{}}
	s.Update(nil)
	return s
}

// Update makes a list of resources the one that is described. It only takes note of it: requests do the work, and only for
// those group versions whose resources have changed.
func (s *Service) Update(resources []*engine.Resource) { s.newest.Store(&resources) }

// V3 serves /openapi/v3 and everything below it.
func (s *Service) V3() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v3, _ := s.current()
		v3.ServeHTTP(w, r)
	})
}

// V2 serves /openapi/v2.
func (s *Service) V2() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, v2 := s.current()
		v2.ServeHTTP(w, r)
	})
}

// current brings the documents up to the newest list and returns them.
func (s *Service) current() (*v3Documents, *v2Documents) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if newest := s.newest.Load(); newest != s.applied {
		s.apply(*newest)
		s.applied = newest
	}
	return s.v3, s.v2
}

func (s *Service) apply(resources []*engine.Resource) {
	served := servedBy(resources)
	for gv := range s.groups {
		if served[gv] == nil {
			delete(s.groups, gv)
		}
	}
	for gv, resources := range served {
		if known := s.groups[gv]; known == nil || !slices.Equal(known.resources, resources) {
			s.groups[gv] = newGroupVersion(gv, resources, s.options)
		}
	}
	s.v3 = newV3Documents(s.groups)
	s.v2 = newV2Documents(maps.Clone(s.groups), s.options)
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
