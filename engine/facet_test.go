package engine

import (
	"context"
	"testing"
)

// TestFacetOfSelectors: what has to have one value is found by it, as far as the keys do not say it already.
func TestFacetOfSelectors(t *testing.T) {
	resource := &Resource{Group: "example.com", Plural: "things", Namespaced: true, SelectableFields: []string{".spec.node", ".spec.size"}, Versions: []Version{{Name: "v1", Storage: true}}}
	s := NewStore(resource, nil, Options{})
	info := &RequestInfo{Group: "example.com", Version: "v1"}
	item := &Item{Key: "/things/a", Memo: &Memo{}, Data: []byte(
		`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"labels":{"app":"web","empty":""},"name":"a"},"spec":{"node":"n1"}}`)}
	for _, c := range []struct{ labels, fields, value, of string }{
		{"app=web", "", "web", "web"},
		{"app==web,tier!=x", "", "web", "web"},
		{"app in (web)", "", "web", "web"},
		{"tier=x,zone", "", "x", ""},
		{"", "spec.node=n1", "n1", "n1"},
		{"app=web", "spec.node=n2", "n2", "n1"},
		{"app=web", "spec.node!=n2", "web", "web"},
		{"", "metadata.name=a,spec.size=3", "3", ""},
		{"app in (web,db)", "", "", ""},
		{"app", "", "", ""},
		{"app!=web", "", "", ""},
		{"empty=", "", "", ""},
		{"", "metadata.name=a", "", ""},
		{"", "metadata.namespace=a", "", ""},
		{"", "spec.node=", "", ""},
		{"", "", "", ""},
	} {
		selector, err := resource.ParseSelector(c.labels, c.fields)
		if err != nil {
			t.Fatal(err)
		}
		facet := s.facet(info, selector)
		if facet == nil || c.value == "" {
			if facet != nil || c.value != "" {
				t.Errorf("%q %q: %+v", c.labels, c.fields, facet)
			}
			continue
		}
		if got, known := facet.Of(item); facet.Value != c.value || got != c.of || !known {
			t.Errorf("%q %q: wants %q of an item with %q, %v", c.labels, c.fields, facet.Value, got, known)
		}
		again := s.facet(info, selector)
		if other := s.facet(&RequestInfo{Version: "v2"}, selector); facet.Name != again.Name || facet.Name == other.Name {
			t.Errorf("%q %q: facets of two versions are one, or those of one are not", c.labels, c.fields)
		}
	}
}

// TestFacetThatNobodyKnows: what a Converter would have to bring to the version first is not read for a facet.
func TestFacetThatNobodyKnows(t *testing.T) {
	resource := &Resource{Group: "example.com", Plural: "things", Kind: "Thing", Versions: []Version{{Name: "v1", Storage: true}, {Name: "v2"}}, Converter: noConverter{t}}
	s := NewStore(resource, nil, Options{})
	selector, err := resource.ParseSelector("app=web", "")
	if err != nil {
		t.Fatal(err)
	}
	item := &Item{Key: "/things/a", Memo: &Memo{}, Data: []byte(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"labels":{"app":"web"},"name":"a"}}`)}
	if value, known := s.facet(&RequestInfo{Version: "v1"}, selector).Of(item); value != "web" || !known {
		t.Errorf("%q, %v in its own version", value, known)
	}
	facet := s.facet(&RequestInfo{Version: "v2"}, selector)
	if value, known := facet.Of(item); known {
		t.Errorf("%q in another version", value)
	}
	if value, known := facet.Of(&Item{}); value != "" || !known {
		t.Errorf("%q, %v of nothing", value, known)
	}
	item.Memo.put(resource, "v2", Object(`{"metadata":{"labels":{"app":"db"}}}`))
	if value, known := facet.Of(item); value != "db" || !known {
		t.Errorf("%q, %v of what somebody has converted", value, known)
	}
	item.Data, item.Memo = []byte("k8s"), nil
	if _, known := s.facet(&RequestInfo{Version: "v1"}, selector).Of(item); known {
		t.Error("a value that cannot be read has a label")
	}
}

// noConverter converts nothing.
type noConverter struct{ t *testing.T }

func (c noConverter) Convert(context.Context, *RequestInfo, []Object, string) ([]Object, error) {
	c.t.Error("a facet was converted for")
	return nil, nil
}
