package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// podList is what a list says about itself, and the names in it.
type podList struct {
	metav1.TypeMeta
	metav1.ListMeta `json:"metadata"`
	Items           []metav1.PartialObjectMetadata
}

func (l podList) names() string {
	var names []string
	for _, item := range l.Items {
		names = append(names, item.Name)
	}
	return strings.Join(names, " ")
}

func (a answer) list(t *testing.T) (list podList) {
	t.Helper()
	if err := json.Unmarshal(a.body, &list); err != nil || a.code != http.StatusOK {
		t.Fatalf("no list (%d, %v):\n%s", a.code, err, a.body)
	}
	return list
}

// podsIn makes pods p0, p1, … and returns the path of their list and the resourceVersion of each.
func podsIn(t *testing.T, c curl, n int) (path string, versions []string) {
	t.Helper()
	path = "/api/v1/namespaces/" + namespace(t, shared) + "/pods"
	for i := range n {
		created := c.do(t, "POST", path, strings.Replace(podJSON(fmt.Sprintf("p%d", i)), `"metadata":{`, fmt.Sprintf(`"metadata":{"labels":{"odd":"%t"},`, i%2 == 1), 1))
		var pod metav1.PartialObjectMetadata
		must(t, json.Unmarshal(created.body, &pod))
		versions = append(versions, pod.ResourceVersion)
	}
	return path, versions
}

// Kubernetes' table of resourceVersion, resourceVersionMatch, limit and continue.
func TestListParameters(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 3)
	must(t, shared.typed(t).CoreV1().Pods(strings.Split(path, "/")[4]).Delete(within(t), "p0", metav1.DeleteOptions{}))
	old := versions[1] // p0 was there, p2 was not
	for query, want := range map[string]string{
		"": "p1 p2", "resourceVersion=0": "p1 p2", "resourceVersion=0&resourceVersionMatch=NotOlderThan": "p1 p2",
		"resourceVersion=" + old: "p1 p2", "resourceVersionMatch=NotOlderThan&resourceVersion=" + old: "p1 p2", "resourceVersionMatch=Exact&resourceVersion=" + old: "p0 p1",
		"limit=1": "p1", "limit=1&resourceVersion=0": "p1", "limit=1&resourceVersion=" + old: "p0", "limit=1&resourceVersionMatch=NotOlderThan&resourceVersion=" + old: "p1",
		"limit=1&resourceVersionMatch=Exact&resourceVersion=" + old: "p0", "limit=-1": "p1 p2", "limit=0": "p1 p2", "limit=5": "p1 p2",
		"fieldSelector=metadata.name%3Dp0&resourceVersionMatch=Exact&resourceVersion=" + old: "p0", "fieldSelector=metadata.name%3Dp0": "",
		"fieldSelector=spec.hostNetwork%3Dfalse": "p1 p2", "fieldSelector=spec.hostNetwork%3Dtrue": "", "labelSelector=odd&limit=1": "p1",
	} {
		list := c.do(t, "GET", path+"?"+query, "").list(t)
		equal(t, query, list.names(), want)
		equal(t, query+": kind", list.Kind, "PodList")
		if exact := strings.Contains(query, "Exact"); exact {
			equal(t, query+": resourceVersion", list.ResourceVersion, old)
		}
	}
	first := c.do(t, "GET", path+"?limit=1", "").list(t)
	if first.RemainingItemCount == nil || *first.RemainingItemCount != 1 {
		t.Errorf("remaining: %v", first.RemainingItemCount)
	}
	if selected := c.do(t, "GET", path+"?limit=1&labelSelector=odd", "").list(t); selected.RemainingItemCount != nil || selected.Continue == "" {
		t.Errorf("remaining with a selector: %v, continue %q", selected.RemainingItemCount, selected.Continue)
	}
	second := c.do(t, "GET", path+"?limit=1&resourceVersion=0&continue="+first.Continue, "").list(t)
	equal(t, "second page", second.names(), "p2")
	equal(t, "its resourceVersion", second.ResourceVersion, first.ResourceVersion)
}

func TestListParametersThatAreRefused(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 2)
	token := c.do(t, "GET", path+"?limit=1", "").list(t).Continue
	const invalid = `ListOptions.meta.k8s.io "" is invalid: `
	for query, want := range map[string]string{
		"resourceVersionMatch=Exact":                            invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
		"resourceVersionMatch=Exact&resourceVersion=0":          invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
		"resourceVersionMatch=Often&resourceVersion=5":          invalid + `resourceVersionMatch: Unsupported value: "Often": supported values: "Exact", "NotOlderThan", ""`,
		"sendInitialEvents=true":                                invalid + `sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
		"watch=1&sendInitialEvents=true":                        invalid + `resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
		"watch=1&resourceVersionMatch=NotOlderThan":             invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
		"continue=" + token + "&resourceVersion=" + versions[0]: "specifying resource version is not allowed when using continue",
		"continue=%25":             "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
		"resourceVersion=x":        `invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`,
		"fieldSelector=spec.foo=1": "field label not supported: spec.foo",
	} {
		got := c.do(t, "GET", path+"?"+query, "")
		status := got.status(t)
		equal(t, query, status.Message, want)
		if code := 400; !strings.HasPrefix(want, invalid) {
			equal(t, query, got.code, code)
		} else {
			equal(t, query, got.code, 422)
		}
	}
	for _, query := range []string{"limit=x", "timeoutSeconds=x&watch=1", "labelSelector=a+in+b", "fieldSelector=a~b"} {
		equal(t, query, c.do(t, "GET", path+"?"+query, "").status(t).Reason, metav1.StatusReasonBadRequest)
	}
	got := c.do(t, "GET", path+"/p0?watch=1&fieldSelector=metadata.name%3Dp1", "")
	got.refused(t, 400, metav1.StatusReasonBadRequest, "fieldSelector metadata.name doesn't match requested name")
	for _, query := range []string{"", "&resourceVersionMatch=NotOlderThan", "&resourceVersionMatch=Exact"} {
		got := c.do(t, "GET", path+"?resourceVersion=1000000000"+query, "")
		status := got.status(t)
		equal(t, query, got.code, 504)
		equal(t, query, got.header.Get("Retry-After"), "1")
		if status.Details == nil || len(status.Details.Causes) != 1 || status.Details.Causes[0].Type != metav1.CauseTypeResourceVersionTooLarge {
			t.Errorf("%s: %+v", query, status.Details)
		}
		contains(t, status.Message, "Too large resource version: 1000000000, current: ")
	}
}

func TestFormsOfLists(t *testing.T) {
	c := shared.curl(t)
	path, _ := podsIn(t, c, 2)
	as := func(kind string) string { return "Accept: application/json;as=" + kind + ";g=meta.k8s.io;v=v1" }
	partial := c.do(t, "GET", path+"?limit=1", "", as("PartialObjectMetadataList")).list(t)
	equal(t, "kind", partial.Kind, "PartialObjectMetadataList")
	equal(t, "kind of the item", partial.Items[0].Kind, "PartialObjectMetadata")
	equal(t, "remaining", *partial.RemainingItemCount, 1)
	equal(t, "table", c.do(t, "GET", path, "", as("Table")).list(t).Kind, "Table")
	equal(t, "table or else", c.do(t, "GET", path, "", as("Table")+",application/json").list(t).Kind, "Table")
	c.do(t, "GET", path, "", as("PartialObjectMetadata")).refused(t, 406, metav1.StatusReasonNotAcceptable,
		"you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)")
	c.do(t, "GET", path+"/p0", "", as("PartialObjectMetadataList")).refused(t, 406, metav1.StatusReasonNotAcceptable,
		"you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)")
	c.do(t, "GET", path, "", as("Chart")).refused(t, 406, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: application/json, application/yaml")
	text := c.do(t, "GET", path, "", "Accept: application/yaml")
	equal(t, "content type", text.header.Get("Content-Type"), "application/yaml")
	var list podList
	must(t, yaml.Unmarshal(text.body, &list))
	equal(t, "items in YAML", list.names(), "p0 p1")
}

// Large answers are compressed for those who take them so, small ones never.
func TestGzip(t *testing.T) {
	c := shared.curl(t)
	path, _ := podsIn(t, c, 1)
	big := fmt.Sprintf(`"metadata":{"annotations":{"a":"%s"},`, strings.Repeat("0123456789", 10000))
	for _, name := range []string{"x", "y"} {
		equal(t, "create", c.do(t, "POST", path, strings.Replace(podJSON(name), `"metadata":{`, big, 1)).code, 201)
	}
	plain := c.do(t, "GET", path, "", "Accept-Encoding: identity")
	equal(t, "encoding", plain.header.Get("Content-Encoding"), "")
	equal(t, "items", plain.list(t).names(), "p0 x y")
	// At one revision, since others write meanwhile and a list tells the newest.
	path += "?resourceVersionMatch=Exact&resourceVersion=" + plain.list(t).ResourceVersion
	for _, accept := range []string{"application/json", "application/yaml", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"} {
		whole := c.do(t, "GET", path, "", "Accept-Encoding: identity", "Accept: "+accept)
		zipped := c.do(t, "GET", path, "", "Accept-Encoding: deflate, gzip", "Accept: "+accept)
		equal(t, accept, zipped.header.Get("Content-Encoding"), "gzip")
		equal(t, accept, zipped.header.Get("Vary"), "Accept-Encoding")
		reader, err := gzip.NewReader(bytes.NewReader(zipped.body))
		must(t, err)
		body, err := io.ReadAll(reader)
		must(t, err)
		equal(t, accept, string(body), string(whole.body))
	}
	small := c.do(t, "GET", path+"&limit=1", "", "Accept-Encoding: gzip")
	equal(t, "encoding of a small list", small.header.Get("Content-Encoding"), "")
	equal(t, "length of a small list", small.header.Get("Content-Length"), strconv.Itoa(len(small.body)))
	equal(t, "a small list", small.list(t).names(), "p0")
}
