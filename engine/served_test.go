package engine

import "testing"

// TestServedPlace: where the resourceVersion goes in is known beforehand, and the bytes are those of AppendServed.
func TestServedPlace(t *testing.T) {
	for _, in := range []string{
		`{"apiVersion":"v1","kind":"A","metadata":{"managedFields":[{"x":"{\"uid\":1}"}],"name":"a","uid":"u"},"spec":{}}`,
		`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`,
		`{"apiVersion":"v1","kind":"A","metadata":{"uid":"u"}}`,
		`{"apiVersion":"v1","kind":"A","metadata":{}}`,
		`{"apiVersion":"v1","kind":"A","metadata":{"labels":{}},"spec":{"metadata":{"uid":"u"}}}`,
		`{"apiVersion":"v1","kind":"A"}`,
	} {
		obj := Object(in)
		want := string(obj.AppendServed(nil, 7))
		known := Listed{Object: obj, Revision: 7, place: obj.versionPlace()}
		if got := string(known.Served()); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
		if got := string(Listed{Object: obj, Revision: 7}.Served()); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

// TestMemoVersions: readers of several versions do not push each other's objects out, and those of a definition that is no
// longer in force are let go of.
func TestMemoVersions(t *testing.T) {
	now, before := &Resource{}, &Resource{}
	m := &Memo{}
	m.put(before, "v1", Object(`{"metadata":{}}`))
	for _, version := range []string{"v1", "v2", "v3"} {
		m.put(now, version, Object(`{"metadata":{"name":"`+version+`"}}`))
	}
	for _, version := range []string{"v1", "v2", "v3"} {
		if obj, place := m.get(now, version); obj.Name() != version || place != obj.versionPlace() {
			t.Errorf("%s: %s at %d", version, obj, place)
		}
	}
	if obj, _ := m.get(before, "v1"); obj != nil {
		t.Errorf("a definition that is no longer in force has %s", obj)
	}
	for range 3 * mostMade {
		m.put(now, "v4", Object(`{}`))
	}
	if n := m.made.Load().depth(); n > mostMade {
		t.Errorf("%d objects are kept", n)
	}
}
