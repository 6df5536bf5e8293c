package openapi

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

// The hash of a document is that of what it is made of: the same for the same, another for anything that shows.
func TestHashesFollowWhatIsDescribed(t *testing.T) {
	described := func(change func(*engine.Resource)) *groupVersion {
		r := resource("hash.test", "widgets", "Widget", compiled(t, `{"type":"object","properties":{"a":{"type":"string"}}}`, nil), engine.Subresource{Name: "status"})
		change(r)
		return newGroupVersion(schema.GroupVersion{Group: "hash.test", Version: r.Versions[0].Name}, []*engine.Resource{r}, Options{Version: "v1"})
	}
	base := described(func(*engine.Resource) {})
	document := func(g *groupVersion) string {
		t.Helper()
		text, err := g.json()
		if err != nil {
			t.Fatal(err)
		}
		return string(text.body)
	}
	if again := described(func(*engine.Resource) {}); again.hash() != base.hash() || document(again) != document(base) {
		t.Error("the same has another hash, or another document")
	}
	for name, change := range map[string]func(*engine.Resource){
		"schema": func(r *engine.Resource) {
			r.Versions[0].Schema = compiled(t, `{"type":"object","properties":{"a":{"type":"integer"}}}`, nil)
		},
		"kind":        func(r *engine.Resource) { r.Kind = "Gadget" },
		"scope":       func(r *engine.Resource) { r.Namespaced = !r.Namespaced },
		"selectable":  func(r *engine.Resource) { r.SelectableFields = []string{".spec.a"} },
		"subresource": func(r *engine.Resource) { r.Subresources = nil },
		"scale": func(r *engine.Resource) {
			r.Subresources = append(r.Subresources, engine.Subresource{Name: "scale", Scale: &engine.Scale{}})
		},
		"elsewhere": func(r *engine.Resource) { r.Subresources[0].Versions = []string{"v9"} },
	} {
		other := described(change)
		if document(other) == document(base) {
			t.Errorf("%s: the document is the same", name)
		}
		if other.hash() == base.hash() {
			t.Errorf("%s: the hash is the same", name)
		}
	}
}

// The index builds no document.
func TestIndexBuildsNothing(t *testing.T) {
	var resources []*engine.Resource
	for i := range 10 {
		resources = append(resources, resource(fmt.Sprintf("g%d.test", i), "widgets", "Widget", nil))
	}
	s := New(Options{})
	s.Update(resources)
	s.current()
	built := 0
	for _, g := range s.groups {
		inner := g.json
		g.json = func() (*encoded, error) { built++; return inner() }
	}
	get := func(path string) int {
		w := httptest.NewRecorder()
		s.V3().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Code
	}
	if code := get("/openapi/v3"); code != 200 || built != 0 {
		t.Errorf("index: %d, %d documents were built", code, built)
	}
	if code := get("/openapi/v3/apis/g3.test/v1"); code != 200 || built != 1 {
		t.Errorf("document: %d, %d documents were built", code, built)
	}
}

// BenchmarkIndex makes the index of many group versions.
func BenchmarkIndex(b *testing.B) {
	var resources []*engine.Resource
	for i := range 1000 {
		resources = append(resources, resource(fmt.Sprintf("g%d.test", i), "widgets", "Widget", nil))
	}
	for b.Loop() {
		s := New(Options{})
		s.Update(resources)
		v3, _ := s.current()
		if _, err := v3.index(); err != nil {
			b.Fatal(err)
		}
	}
}
