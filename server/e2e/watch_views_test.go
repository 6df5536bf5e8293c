package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// watchAs opens a watch whose events are shown in another form.
func (c curl) watchAs(t *testing.T, path, as string) stream {
	t.Helper()
	return curl{c.server, &http.Client{Transport: accepting{c.client.Transport, "application/json;as=" + as + ";g=meta.k8s.io;v=v1"}}}.watch(t, path)
}

// accepting sends an Accept header with every request.
type accepting struct {
	http.RoundTripper
	accept string
}

func (a accepting) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", a.accept)
	return a.RoundTripper.RoundTrip(req)
}

// shownEvent is an event whose object is a Table or metadata alone.
type shownEvent struct {
	Type   string
	Object struct {
		metav1.TypeMeta
		Metadata          metav1.ObjectMeta
		Spec              json.RawMessage
		ColumnDefinitions []metav1.TableColumnDefinition
		Rows              []struct {
			Cells  []any
			Object metav1.PartialObjectMetadata
		}
	}
}

func (s stream) shown() (event shownEvent) {
	s.Helper()
	line, err := s.lines.ReadBytes('\n')
	must(s.T, err)
	must(s.T, json.Unmarshal(line, &event))
	return event
}

// The events of a watch are Tables of one row, the first with its columns, or metadata, for those who ask for them.
func TestViewsOfWatches(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 2)
	const query = "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=30"
	tables, partial := c.watchAs(t, path+query, "Table"), c.watchAs(t, path+query, "PartialObjectMetadata")
	for i, name := range []string{"p0", "p1"} {
		table := tables.shown()
		equal(t, "event", table.Type+" "+table.Object.Kind+" "+table.Object.Rows[0].Cells[0].(string), "ADDED Table "+name)
		equal(t, "resourceVersion", table.Object.Rows[0].Object.ResourceVersion, versions[i])
		equal(t, "the event has columns", table.Object.ColumnDefinitions != nil, i == 0)
		metadata := partial.shown()
		equal(t, "event", metadata.Type+" "+metadata.Object.Kind+" "+metadata.Object.Metadata.Name, "ADDED PartialObjectMetadata "+name)
		equal(t, "resourceVersion", metadata.Object.Metadata.ResourceVersion, versions[i])
		equal(t, "spec", string(metadata.Object.Spec), "")
	}
	end := tables.shown()
	equal(t, "end of the initial tables", end.Type+" "+end.Object.Kind, "BOOKMARK Table")
	end = partial.shown()
	equal(t, "end of the initial metadata", end.Type+" "+end.Object.Kind+" "+end.Object.Metadata.Annotations["k8s.io/initial-events-end"], "BOOKMARK PartialObjectMetadata true")
	equal(t, "delete", c.do(t, "DELETE", path+"/p0?gracePeriodSeconds=0", "").code, 200)
	gone, metadata := tables.shown(), partial.shown()
	equal(t, "event", gone.Type+" "+gone.Object.Rows[0].Object.Name, "DELETED p0")
	equal(t, "event", metadata.Type+" "+metadata.Object.Metadata.Name, "DELETED p0")
	equal(t, "both resourceVersions are those of the deletion", gone.Object.Rows[0].Object.ResourceVersion, metadata.Object.Metadata.ResourceVersion)
	if metadata.Object.Metadata.ResourceVersion == versions[0] {
		t.Error("the deletion has the resourceVersion of the object before")
	}
}

// Watches of one value of a label or field, of which there may be many, see objects come and go by what they are labelled.
func TestWatchesByValue(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 1)
	by := func(query string) stream {
		return c.watch(t, path+"?watch=1&timeoutSeconds=60&resourceVersion="+versions[0]+"&"+query)
	}
	red, blue := by("labelSelector=color%3Dred"), by("labelSelector=color+in+(blue)")
	node, both := by("fieldSelector=spec.nodeName%3Dn1"), by("fieldSelector=spec.nodeName%3Dn1&labelSelector=color%3Dblue")
	patch := func(name, body string) {
		t.Helper()
		got := c.do(t, "PATCH", path+"/"+name, body, "Content-Type: application/merge-patch+json")
		equal(t, "patch "+string(got.body), got.code, 200)
	}
	patch("p0", `{"metadata":{"labels":{"color":"red"}}}`)
	placed := strings.Replace(podJSON("placed"), `"spec":{`, `"spec":{"nodeName":"n1",`, 1)
	equal(t, "create", c.do(t, "POST", path, placed).code, 201)
	patch("p0", `{"metadata":{"labels":{"color":"blue"}}}`)
	patch("placed", `{"metadata":{"labels":{"color":"blue"}}}`)
	patch("p0", `{"metadata":{"labels":{"color":"blue","more":"yes"}}}`)
	patch("p0", `{"metadata":{"labels":{"color":null}}}`)
	equal(t, "delete", c.do(t, "DELETE", path+"/placed?gracePeriodSeconds=0", "").code, 200)
	red.expect("ADDED p0", "DELETED p0")
	blue.expect("ADDED p0", "ADDED placed", "MODIFIED p0", "DELETED p0", "DELETED placed")
	node.expect("ADDED placed", "MODIFIED placed", "DELETED placed")
	both.expect("ADDED placed", "DELETED placed")
	for query, want := range map[string]string{
		"labelSelector=odd%3Dfalse": "p0", "labelSelector=color%3Dred": "", "labelSelector=odd%3Dfalse&limit=1": "p0", "labelSelector=odd%3Dtrue": "",
		"fieldSelector=spec.nodeName%3Dn1": "", "labelSelector=odd%3Dfalse,more%3Dyes": "p0", "labelSelector=more%3Dyes,odd!%3Dfalse": "",
	} {
		equal(t, query, c.do(t, "GET", path+"?"+query, "").list(t).names(), want)
	}
}

// A list whose version has been compacted away between two pages may go on with what is there now: 410 has the token for it.
func TestInconsistentContinue(t *testing.T) {
	db := startEtcd(t)
	s := startReplica(t, db, "--watch-cache=false")
	c := s.curl(t)
	path := "/api/v1/namespaces/" + namespace(t, s) + "/pods"
	for _, name := range []string{"a", "b", "c"} {
		equal(t, "create", c.do(t, "POST", path, podJSON(name)).code, 201)
	}
	first := c.do(t, "GET", path+"?limit=1", "").list(t)
	equal(t, "first page", first.names(), "a")
	equal(t, "delete", c.do(t, "DELETE", path+"/b?gracePeriodSeconds=0", "").code, 200)
	for _, name := range []string{"aa", "d"} {
		equal(t, "create", c.do(t, "POST", path, podJSON(name)).code, 201)
	}
	at, err := db.Client().Get(within(t), "/")
	must(t, err)
	_, err = db.Client().Compact(within(t), at.Header.Revision)
	must(t, err)

	expired := c.do(t, "GET", path+"?limit=1&continue="+url.QueryEscape(first.Continue), "")
	expired.refused(t, 410, metav1.StatusReasonExpired, "The provided continue parameter is too old to display a consistent list result. "+
		"You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "+
		"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned "+
		"and now may show up in the list.")
	token := expired.status(t).Continue
	rest := c.do(t, "GET", path+"?limit=2&continue="+url.QueryEscape(token), "").list(t)
	equal(t, "what is there now", rest.names(), "aa c")
	if rest.ResourceVersion == first.ResourceVersion {
		t.Error("the inconsistent page claims to be of the version that is gone")
	}
	equal(t, "remaining", *rest.RemainingItemCount, 1)
	equal(t, "the last page", c.do(t, "GET", path+"?limit=2&continue="+url.QueryEscape(rest.Continue), "").list(t).names(), "d")
}
