package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/explain"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

// request is one request for a resource: what the path, the query and the headers say.
type request struct {
	server  *Server
	view    *View
	store   *engine.Store
	version *engine.Version
	info    *engine.RequestInfo
	query   url.Values
	http    *http.Request
	writer  *echo.Response
	answer  negotiate.Answer
	body    *sentBody
	trace   *explain.Trace // nil unless the request is to be explained
	trial   *trial         // nil unless the resource's plugin has a revision on trial
	chosen  bool           // for that revision
}

// target is what a resource path names: /api/v1/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE.
type target struct {
	group, version, namespace, resource, name, subresource string
}

// namespaceSubresources are what follows a namespace's name when the namespace itself is meant.
var namespaceSubresources = map[string]bool{"status": true, "finalize": true}

// parseTarget reads a path under /api/ or /apis/. ok is false where it names no resource.
func parseTarget(p string) (t target, ok bool) {
	parts := strings.Split(strings.Trim(p, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		t.version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		t.group, t.version, parts = parts[1], parts[2], parts[3:]
	default:
		return t, false
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !(len(parts) == 3 && namespaceSubresources[parts[2]]) {
		t.namespace, parts = parts[1], parts[2:]
	}
	for i, into := range []*string{&t.resource, &t.name, &t.subresource} {
		if i < len(parts) {
			*into = parts[i]
		}
	}
	return t, len(parts) <= 3
}

// verbOf is the verb of a request, as Kubernetes' authorization names it.
func verbOf(method string, t target, query url.Values) string {
	switch method {
	case http.MethodGet, http.MethodHead:
		switch {
		case isTrue(query, "watch"):
			return "watch"
		case t.name == "":
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if t.name == "" {
			return "deletecollection"
		}
		return "delete"
	}
	return ""
}

// isTrue tells whether a boolean parameter is set, as Kubernetes reads it: present, and neither "false" nor "0".
func isTrue(query url.Values, key string) bool {
	if !query.Has(key) {
		return false
	}
	value := query.Get(key)
	return !strings.EqualFold(value, "false") && value != "0"
}

// resource is the catch-all for the paths of resources.
func (s *Server) resource(c echo.Context) error {
	body := &sentBody{}
	for attempt := 0; ; attempt++ {
		r, err := s.newRequest(c, body)
		if err != nil {
			return err
		}
		err = r.serveInTime()
		if r.trial != nil && !isStale(err) {
			r.tried(err, time.Since(r.info.Time))
		}
		err = r.explainError(err)
		// A write that was made under a definition no longer in force has stored nothing: it runs again under the new one.
		if isStale(err) && attempt < staleAttempts {
			if err := s.plugins.Refresh(c.Request().Context()); err != nil {
				return err
			}
			continue
		}
		return err
	}
}

// staleAttempts bounds how often a request follows a plugin that is replaced again and again.
const staleAttempts = 10

// newRequest finds the store that a request is for.
func (s *Server) newRequest(c echo.Context, body *sentBody) (*request, error) {
	r := c.Request()
	t, ok := parseTarget(r.URL.Path)
	if !ok {
		return nil, errPath
	}
	view := s.view.Load()
	store := view.Store(t.group, t.resource)
	if store == nil && strings.Contains(t.group, ".") || store != nil && store.Resource.Ending {
		// Another server may have begun to serve a definition, or ended to, and its client be here already.
		if err := s.plugins.Refresh(r.Context()); err != nil {
			s.log.Error("not all that is defined can be served", "error", err)
		}
		view = s.view.Load()
		store = view.Store(t.group, t.resource)
	}
	if store == nil {
		return nil, errPath
	}
	version := store.Resource.Version(t.version)
	if version == nil || !version.Served || t.namespace != "" && !store.Resource.Namespaced {
		return nil, errPath
	}
	if t.name != "" {
		if msgs := path.IsValidPathSegmentName(t.name); len(msgs) > 0 {
			return nil, badRequest("Name parameter invalid: %q: %s", t.name, strings.Join(msgs, ";"))
		}
	}
	query := r.URL.Query()
	info := &engine.RequestInfo{
		Verb: verbOf(r.Method, t, query), Group: t.group, Version: t.version, Resource: t.resource, Subresource: t.subresource,
		Namespace: t.namespace, Name: t.name, User: userOf(c), Time: time.Now(),
	}
	if info.Verb != "watch" && (t.name != "" || info.Verb == "create") {
		info.Account = &engine.Account{}
	}
	var err error
	if info.DryRun, err = dryRun(info.Verb, query["dryRun"]); err != nil {
		return nil, err
	}
	if info.Manager, err = fieldManager(info.Verb, query, r); err != nil {
		return nil, err
	}
	req := &request{server: s, view: view, store: store, version: version, info: info, query: query, http: r, writer: c.Response(), body: body}
	endpoint := negotiate.Objects
	if info.Verb == "watch" {
		endpoint = negotiate.Watch
	}
	if req.answer, err = endpoint.Accept(r.Header.Get("Accept")); err != nil {
		return nil, err
	}
	req.writer.Header().Del("Warning") // those of an attempt before
	if version.Deprecated {
		addWarnings(req.writer.Header(), []string{deprecation(store.Resource, version)})
	}
	if req.trial = view.trialFor(store.Resource.GroupResource()); req.trial != nil && t.name != "" {
		req.choose(t.name)
	}
	if isTrue(query, "explain") {
		if err := req.explain(); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func deprecation(r *engine.Resource, v *engine.Version) string {
	if v.DeprecationWarning != "" {
		return v.DeprecationWarning
	}
	return r.APIVersion(v.Name) + " " + r.Kind + " is deprecated"
}

// dryRun reads the dryRun parameter: All is the one value that it may have, and reads have no use for it.
func dryRun(verb string, values []string) (bool, error) {
	if optionsKind(verb) == "ListOptions" {
		return false, nil
	}
	return len(values) > 0, invalidOptions(verb, metav1validation.ValidateDryRun(field.NewPath("dryRun"), values))
}

// requestTimeout is how long any request but a watch may take, as in Kubernetes.
const requestTimeout = 34 * time.Second

// serveInTime serves a request under its deadline. A watch has its own.
func (r *request) serveInTime() error {
	if r.info.Verb == "watch" {
		return r.serve()
	}
	ctx, cancel := context.WithTimeout(r.http.Context(), requestTimeout)
	defer cancel()
	r.http = r.http.WithContext(ctx)
	err := r.serve()
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		return &timeoutError{err}
	}
	return err
}

// serve runs the verb. Writes of namespaced objects need a namespace.
func (r *request) serve() error {
	if name := r.info.Subresource; name != "" {
		if sub := r.store.Resource.Subresource(name); sub == nil || !sub.In(r.info.Version) {
			return errPath
		}
	}
	namespaced := r.store.Resource.Namespaced
	switch verb := r.info.Verb; {
	case verb == "get" && (r.info.Namespace != "") == namespaced:
		return r.get()
	case verb == "list":
		return r.list()
	case verb == "watch":
		return r.watch()
	case verb == "create" && r.info.Subresource != "" && (r.info.Namespace != "") == namespaced:
		return r.post()
	case verb == "create" && r.info.Name == "":
		return r.create()
	case verb == "update" && r.info.Name != "":
		return r.update()
	case verb == "patch" && r.info.Name != "":
		return r.patch()
	case verb == "delete" && r.info.Subresource == "":
		return r.delete()
	case verb == "deletecollection" && (r.info.Namespace != "") == namespaced && !r.store.Resource.Traits.NoDeleteCollection:
		return r.deleteCollection()
	}
	return &engine.MethodNotSupportedError{Resource: r.store.Resource.GroupResource(), Verb: r.http.Method}
}
