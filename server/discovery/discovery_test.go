package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
)

const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

func created(group, version, kind string) *engine.SubresourceCreate {
	return &engine.SubresourceCreate{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}}
}

func testResources() []*engine.Resource {
	return []*engine.Resource{
		{
			Group: "example.com", Plural: "crontabs", Singular: "crontab", Kind: "CronTab", Namespaced: true,
			Versions: []engine.Version{{Name: "v1alpha1", Served: true}, {Name: "v1beta2", Served: false}, {Name: "v1", Served: true, Storage: true}, {Name: "v2beta1", Served: true}},
		},
		{
			Plural: "pods", Singular: "pod", Kind: "Pod", Namespaced: true, ShortNames: []string{"po"}, Categories: []string{"all"},
			Versions: []engine.Version{{Name: "v1", Served: true, Storage: true}},
			Subresources: []engine.Subresource{
				{Name: "status"}, {Name: "binding", Create: created("", "v1", "Binding")},
				{Name: "eviction", Create: created("policy", "v1", "Eviction")},
				{Name: "exec", Unavailable: "there is no kubelet"}, {Name: "ephemeralcontainers"},
			},
		},
		{Plural: "namespaces", Singular: "namespace", Kind: "Namespace", Versions: []engine.Version{{Name: "v1", Served: true, Storage: true}}},
		{
			Group: "apps", Plural: "deployments", Singular: "deployment", Kind: "Deployment", Namespaced: true,
			Versions: []engine.Version{{Name: "v1", Served: true, Storage: true}},
			Subresources: []engine.Subresource{
				{Name: "status"}, {Name: "scale", Scale: &engine.Scale{}}, {Name: "rollback", Create: created("apps", "v1beta1", "DeploymentRollback")},
			},
		},
		{Group: "a.example.com", Plural: "things", Singular: "thing", Kind: "Thing", Versions: []engine.Version{{Name: "v1", Served: true, Storage: true}}},
		{Group: "gone.example.com", Plural: "ghosts", Singular: "ghost", Kind: "Ghost", Versions: []engine.Version{{Name: "v1", Storage: true}}},
	}
}

func build(t *testing.T, resources []*engine.Resource) *Discovery {
	t.Helper()
	d, err := New(resources, "10.0.0.1:6443")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func get(t *testing.T, d *Discovery, path, accept string) Document {
	t.Helper()
	doc, found, err := d.Document(path, accept)
	if err != nil || !found {
		t.Fatalf("%s: found %v, error %v", path, found, err)
	}
	return doc
}

func TestLegacyDocuments(t *testing.T) {
	d := build(t, testResources())
	for path, want := range map[string]string{
		"/api":                      `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}`,
		"/apis/apps":                `{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}`,
		"/apis/example.com/v1":      `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[{"name":"crontabs","singularName":"crontab","namespaced":true,"kind":"CronTab","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"storageVersionHash":"` + storageVersionHash("example.com", "v1", "CronTab") + `"}]}`,
		"/apis/example.com/":        `{"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"},{"groupVersion":"example.com/v2beta1","version":"v2beta1"},{"groupVersion":"example.com/v1alpha1","version":"v1alpha1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}`,
		"/apis/example.com/v2beta1": `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v2beta1","resources":[{"name":"crontabs","singularName":"crontab","namespaced":true,"kind":"CronTab","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"storageVersionHash":"` + storageVersionHash("example.com", "v1", "CronTab") + `"}]}`,
	} {
		doc := get(t, d, path, "")
		if got := strings.TrimSpace(string(doc.Body)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
		if doc.ContentType != "application/json" || doc.ETag != "" {
			t.Errorf("%s: content type %q, ETag %q", path, doc.ContentType, doc.ETag)
		}
	}
}

// The hash is Kubernetes' own for this kind, as kube-apiserver has published it for pods since 1.15.
func TestStorageVersionHash(t *testing.T) {
	if got, want := storageVersionHash("", "v1", "Pod"), "xPOwRZ+Yhw8="; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSubresources(t *testing.T) {
	d := build(t, testResources())
	tests := map[string][]string{
		"/api/v1": {
			"namespaces||Namespace|false", "pods||Pod|true", "pods/binding||Binding|true", "pods/ephemeralcontainers||Pod|true",
			"pods/eviction|policy/v1|Eviction|true", "pods/status||Pod|true",
		},
		"/apis/apps/v1": {
			"deployments||Deployment|true", "deployments/rollback|apps/v1beta1|DeploymentRollback|true",
			"deployments/scale|autoscaling/v1|Scale|true", "deployments/status||Deployment|true",
		},
	}
	for path, want := range tests {
		var list metav1.APIResourceList
		if err := json.Unmarshal(get(t, d, path, "application/json").Body, &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list.APIResources {
			gv := ""
			if r.Version != "" {
				gv = schema.GroupVersion{Group: r.Group, Version: r.Version}.String()
			}
			got = append(got, fmt.Sprintf("%s|%s|%s|%v", r.Name, gv, r.Kind, r.Namespaced))
			verbs := strings.Join(r.Verbs, ",")
			switch {
			case strings.HasSuffix(r.Name, "/binding"), strings.HasSuffix(r.Name, "/eviction"), strings.HasSuffix(r.Name, "/rollback"):
				if verbs != "create" {
					t.Errorf("%s: verbs %s", r.Name, verbs)
				}
			case strings.Contains(r.Name, "/"):
				if verbs != "get,patch,update" {
					t.Errorf("%s: verbs %s", r.Name, verbs)
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n got %q\nwant %q", path, got, want)
		}
	}
}

func TestGroupOrder(t *testing.T) {
	var list metav1.APIGroupList
	if err := json.Unmarshal(get(t, build(t, testResources()), "/apis", "application/json").Body, &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range list.Groups {
		names = append(names, g.Name)
	}
	if got := strings.Join(names, " "); got != "apps a.example.com example.com" {
		t.Errorf("got %s", got)
	}
}

// The path of another group, or of a version that is not served, is no document.
func TestUnservedVersionsAreNotFound(t *testing.T) {
	d := build(t, testResources())
	for _, path := range []string{"/apis/gone.example.com", "/apis/gone.example.com/v1", "/apis/example.com/v1beta2", "/apis/", "/apis//", "/api/v2", "", "/", "/apis/apps/v1/deployments"} {
		_, found, err := d.Document(path, "")
		if want := path == "/apis/"; found != want || err != nil {
			t.Errorf("%q: found %v, error %v", path, found, err)
		}
	}
}

func TestAggregated(t *testing.T) {
	d := build(t, testResources())
	doc := get(t, d, "/apis", acceptAggregated)
	if want := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"; doc.ContentType != want {
		t.Errorf("content type %q", doc.ContentType)
	}
	var list apidiscovery.APIGroupDiscoveryList
	if err := json.Unmarshal(doc.Body, &list); err != nil {
		t.Fatal(err)
	}
	if list.APIVersion != "apidiscovery.k8s.io/v2" || len(list.Items) != 3 || list.Items[0].Name != "apps" {
		t.Fatalf("got %s", doc.Body)
	}
	got, err := json.Marshal(list.Items[0].Versions)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"version":"v1","resources":[{"resource":"deployments","responseKind":{"group":"apps","version":"v1","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"subresources":[` +
		`{"subresource":"rollback","responseKind":{"group":"apps","version":"v1beta1","kind":"DeploymentRollback"},"verbs":["create"]},` +
		`{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","patch","update"]},` +
		`{"subresource":"status","responseKind":{"group":"apps","version":"v1","kind":"Deployment"},"verbs":["get","patch","update"]}]}],"freshness":"Current"}]`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}

	var core apidiscovery.APIGroupDiscoveryList
	if err := json.Unmarshal(get(t, d, "/api", acceptAggregated).Body, &core); err != nil {
		t.Fatal(err)
	}
	if len(core.Items) != 1 || core.Items[0].Name != "" || core.Items[0].Versions[0].Resources[0].Scope != "Cluster" {
		t.Errorf("/api: got %+v", core.Items)
	}
}

func TestNegotiation(t *testing.T) {
	d := build(t, testResources())
	const v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	tests := []struct{ name, path, accept, contentType string }{
		{"client-go", "/apis", acceptAggregated, v2},
		{"client-go without peers", "/api", v2 + ";profile=nopeer," + acceptAggregated, v2},
		{"client-go of 1.27", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"},
		{"legacy", "/apis", "application/json", "application/json"},
		{"any", "/apis", "*/*", "application/json"},
		{"version to come", "/apis", "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,application/json", "application/json"},
		{"not at a group", "/apis/apps", acceptAggregated, "application/json"},
		{"YAML", "/apis", "application/yaml", "application/yaml"},
		{"aggregated YAML", "/apis", "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", "application/yaml;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := get(t, d, test.path, test.accept)
			if doc.ContentType != test.contentType {
				t.Errorf("content type %q", doc.ContentType)
			}
			var object struct{ Kind string }
			if err := yaml.Unmarshal(doc.Body, &object); err != nil || object.Kind == "" {
				t.Errorf("%v in %s", err, doc.Body)
			}
		})
	}
	_, found, err := d.Document("/apis/apps", "text/html")
	var refused *negotiate.NotAcceptableError
	if !found || !errors.As(err, &refused) {
		t.Errorf("found %v, error %v", found, err)
	}
}

func TestETag(t *testing.T) {
	d := build(t, testResources())
	doc := get(t, d, "/apis", acceptAggregated)
	if len(doc.ETag) != 130 || doc.ETag != strings.ToUpper(doc.ETag) {
		t.Errorf("ETag %s is not a quoted upper-case SHA-512", doc.ETag)
	}
	if !doc.Unchanged(doc.ETag) || doc.Unchanged("") || doc.Unchanged(`"x"`) {
		t.Error("Unchanged compares wrongly")
	}
	if legacy := get(t, d, "/apis", ""); legacy.Unchanged("") {
		t.Error("a document without an ETag is never unchanged")
	}
	if same := get(t, build(t, testResources()), "/apis", acceptAggregated); same.ETag != doc.ETag {
		t.Error("the same resources gave another ETag")
	}
	shuffled := testResources()
	shuffled[0], shuffled[3] = shuffled[3], shuffled[0]
	if same := get(t, build(t, shuffled), "/apis", acceptAggregated); same.ETag != doc.ETag {
		t.Error("the order of resources shows in the ETag")
	}
	if fewer := get(t, build(t, testResources()[1:]), "/apis", acceptAggregated); fewer.ETag == doc.ETag {
		t.Error("fewer resources gave the same ETag")
	}
}

func TestNothingServed(t *testing.T) {
	d := build(t, nil)
	for path, want := range map[string]string{
		"/api":  `{"kind":"APIVersions","versions":[],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}`,
		"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
	} {
		if got := strings.TrimSpace(string(get(t, d, path, "").Body)); got != want {
			t.Errorf("%s: got %s", path, got)
		}
	}
	if got, want := strings.TrimSpace(string(get(t, d, "/apis", acceptAggregated).Body)), `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[]}`; got != want {
		t.Errorf("got %s", got)
	}
}
