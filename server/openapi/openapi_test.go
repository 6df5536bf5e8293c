package openapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/spec3"

	"github.com/stratagem-dev/stratagem/engine"
	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// generated compiles the schema of a kind that is generated from k8s.io/api: references, lists with merge keys, quantities.
func generated(t *testing.T, plugin, kind string) *structural.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "plugins", plugin, "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return compiled(t, string(doc.Components.Schemas[kind]), doc.Components.Schemas)
}

func compiled(t *testing.T, doc string, components map[string]json.RawMessage) *structural.Schema {
	t.Helper()
	s, err := structural.Compile(json.RawMessage(doc), components)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const cronSchema = `{"description":"CronTab runs things.","type":"object","required":["spec"],"properties":{"metadata":{"type":"object"},"spec":{"description":"What to run.","type":"object","required":["schedule","maybe"],
"properties":{"schedule":{"type":"string","description":"When to run it."},"port":{"x-kubernetes-int-or-string":true},"maybe":{"type":"object","nullable":true,"properties":{"a":{"type":"string"}}},
"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"string"}}},"choice":{"type":"integer","anyOf":[{"minimum":1},{"maximum":-1}]},
"template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},"many":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number","nullable":true}}}}}}}}`

func resource(group, plural, kind string, s *structural.Schema, subresources ...engine.Subresource) *engine.Resource {
	return &engine.Resource{
		Group: group, Plural: plural, Singular: strings.ToLower(kind), Kind: kind, ListKind: kind + "List", Namespaced: true,
		Versions: []engine.Version{{Name: "v1", Served: true, Storage: true, Schema: s}}, Subresources: subresources,
	}
}

func testResources(t *testing.T) []*engine.Resource {
	posted := func(group, version, kind string) *engine.SubresourceCreate {
		return &engine.SubresourceCreate{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}}
	}
	namespaces := resource("", "namespaces", "Namespace", nil)
	namespaces.Namespaced = false
	crontabs := resource("example.com", "crontabs", "CronTab", compiled(t, cronSchema, nil))
	crontabs.SelectableFields = []string{".spec.schedule"}
	return []*engine.Resource{
		resource("", "pods", "Pod", generated(t, "pods", "io.k8s.api.core.v1.Pod"),
			engine.Subresource{Name: "status"}, engine.Subresource{Name: "binding", Create: posted("", "v1", "Binding")},
			engine.Subresource{Name: "eviction", Create: posted("policy", "v1", "Eviction")}, engine.Subresource{Name: "log", Unavailable: "there is no kubelet"}),
		resource("apps", "deployments", "Deployment", generated(t, "deployments", "io.k8s.api.apps.v1.Deployment"),
			engine.Subresource{Name: "status"}, engine.Subresource{Name: "scale", Scale: &engine.Scale{}},
			engine.Subresource{Name: "rollback", Create: posted("apps", "v1beta1", "Unknown")}),
		crontabs, namespaces,
	}
}

func serving(resources []*engine.Resource) *Service {
	s := New(Options{Version: "v1.2.3"})
	s.Update(resources)
	return s
}

func request(handler http.Handler, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func index(t *testing.T, s *Service) map[string]string {
	t.Helper()
	var discovery handler3.OpenAPIV3Discovery
	if err := json.Unmarshal(request(s.V3(), "/openapi/v3").Body.Bytes(), &discovery); err != nil {
		t.Fatal(err)
	}
	urls := map[string]string{}
	for name, gv := range discovery.Paths {
		urls[name] = gv.ServerRelativeURL
	}
	return urls
}

func v3(t *testing.T, s *Service, name string) *spec3.OpenAPI {
	t.Helper()
	w := request(s.V3(), "/openapi/v3/"+name)
	var document spec3.OpenAPI
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatalf("%s: %d, %v", name, w.Code, err)
	}
	return &document
}

func TestIndexLeadsToTheDocuments(t *testing.T) {
	s := serving(testResources(t))
	urls := index(t, s)
	if len(urls) != 3 {
		t.Fatalf("got %v", urls)
	}
	for _, name := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1"} {
		url := urls[name]
		if !strings.HasPrefix(url, "/openapi/v3/"+name+"?hash=") {
			t.Errorf("%s is at %q", name, url)
			continue
		}
		w := request(s.V3(), url)
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "public, immutable" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", url, w.Code, w.Header())
		}
		if w := request(s.V3(), url, "If-None-Match", w.Header().Get("Etag")); w.Code != http.StatusNotModified {
			t.Errorf("%s: with its ETag %d", url, w.Code)
		}
		if w := request(s.V3(), "/openapi/v3/"+name+"?hash=old"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != url {
			t.Errorf("%s: with an old hash %d to %q", url, w.Code, w.Header().Get("Location"))
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := serving(testResources(t))
	for _, path := range []string{"/openapi/v3/apis/gone/v1", "/openapi/v3/apis", "/openapi/v3/api/v1/pods", "/openapi/v3/%2e%2e", "/openapi/v3/api"} {
		if w := request(s.V3(), path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	for _, handler := range []http.Handler{s.V2(), s.V3()} {
		if w := request(handler, "/openapi/v3/api/v1", "Accept", "text/html"); w.Code != http.StatusNotAcceptable {
			t.Errorf("for a browser: %d", w.Code)
		}
	}
	if got := index(t, serving(nil)); len(got) != 0 {
		t.Errorf("without resources: %v", got)
	}
}

// A change shows in the documents that it touches, at once, and in no other.
func TestUpdate(t *testing.T) {
	resources := testResources(t)
	s := serving(resources)
	before, v2Before := index(t, s), request(s.V2(), "/openapi/v2").Header().Get("Etag")

	changed := append([]*engine.Resource{}, resources...)
	changed[2] = resource("example.com", "crontabs", "CronTab", compiled(t, `{"type":"object"}`, nil))
	s.Update(changed)
	after := index(t, s)
	if after["apis/example.com/v1"] == before["apis/example.com/v1"] {
		t.Error("the changed group version has the same hash")
	}
	if after["api/v1"] != before["api/v1"] || after["apis/apps/v1"] != before["apis/apps/v1"] {
		t.Error("a group version that did not change has another hash")
	}
	if got := request(s.V2(), "/openapi/v2").Header().Get("Etag"); got == v2Before {
		t.Error("v2 did not change")
	}

	s.Update(resources[:1])
	if urls := index(t, s); len(urls) != 1 || urls["api/v1"] == before["api/v1"] {
		t.Errorf("got %v", urls)
	}
	if w := request(s.V3(), before["apis/apps/v1"]); w.Code != http.StatusNotFound {
		t.Errorf("a group version that is gone: %d", w.Code)
	}
}

func TestUpdateWhileServing(t *testing.T) {
	resources := testResources(t)
	s := serving(resources)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			for range 5 {
				s.Update(resources[:1+i%4])
				if w := request(s.V3(), "/openapi/v3/api/v1"); w.Code != http.StatusOK || w.Body.Len() == 0 {
					t.Errorf("v3: %d", w.Code)
				}
				if w := request(s.V2(), "/openapi/v2"); w.Code != http.StatusOK || w.Body.Len() == 0 {
					t.Errorf("v2: %d", w.Code)
				}
			}
		})
	}
	wait.Wait()
}
