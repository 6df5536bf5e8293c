package e2e

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// review is a ConversionReview.
type review struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Request    *struct {
		UID               string           `json:"uid"`
		DesiredAPIVersion string           `json:"desiredAPIVersion"`
		Objects           []map[string]any `json:"objects"`
	} `json:"request,omitempty"`
	Response *response `json:"response,omitempty"`
}

type response struct {
	UID       string           `json:"uid"`
	Result    metav1.Status    `json:"result"`
	Converted []map[string]any `json:"convertedObjects"`
}

// converter is the webhook of the seed: hostPort in v1beta1, host and port in v1.
type converter struct {
	*httptest.Server
	mu      sync.Mutex
	reviews []review
	spoil   func(*response) // what goes wrong
}

func newConverter(t *testing.T) *converter {
	t.Helper()
	c := &converter{}
	c.Server = httptest.NewTLSServer(c)
	t.Cleanup(c.Close)
	return c
}

// ServeHTTP answers a review in its own version.
func (c *converter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in review
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reviews = append(c.reviews, in)
	out := review{APIVersion: in.APIVersion, Kind: in.Kind, Response: &response{UID: in.Request.UID, Result: metav1.Status{Status: "Success"}}}
	for _, obj := range in.Request.Objects {
		converted, err := convertCronTab(obj, in.Request.DesiredAPIVersion)
		if err != nil {
			out.Response = &response{UID: in.Request.UID, Result: metav1.Status{Status: "Failure", Message: err.Error()}}
			break
		}
		out.Response.Converted = append(out.Response.Converted, converted)
	}
	if c.spoil != nil {
		c.spoil(out.Response)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// asked are the sizes of the reviews since the last call.
func (c *converter) asked() (sizes []int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.reviews {
		sizes = append(sizes, len(r.Request.Objects))
	}
	c.reviews = nil
	return sizes
}

func (c *converter) setSpoil(spoil func(*response)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spoil = spoil
}

func convertCronTab(obj map[string]any, version string) (map[string]any, error) {
	out := map[string]any{}
	for k, v := range obj {
		out[k] = v
	}
	out["apiVersion"] = version
	if strings.HasSuffix(version, "/v1beta1") {
		out["hostPort"] = fmt.Sprintf("%v:%v", obj["host"], obj["port"])
		delete(out, "host")
		delete(out, "port")
		return out, nil
	}
	host, port, ok := strings.Cut(fmt.Sprint(obj["hostPort"]), ":")
	if !ok {
		return nil, fmt.Errorf("hostPort could not be parsed into a separate host and port")
	}
	delete(out, "hostPort")
	out["host"], out["port"] = host, port
	return out, nil
}

// cronTabVersions are the versions of the seed, without a conversion.
const cronTabVersions = `
  group: %[1]s
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct]}
  versions:
  - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {hostPort: {type: string}}}}}
  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, port: {type: string}}}}}`

func (c *converter) bundle() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw}))
}

// cronTabDefinition is the seed's, in the version of the definition that is wanted.
func (c *converter) cronTabDefinition(t *testing.T, definition, group string) *unstructured.Unstructured {
	t.Helper()
	obj := parse(t, fmt.Sprintf("apiVersion: apiextensions.k8s.io/"+definition+"\nkind: CustomResourceDefinition\nmetadata: {name: crontabs.%[1]s}\nspec:"+cronTabVersions, group))
	client := map[string]any{"url": c.URL + "/crdconvert", "caBundle": []byte(c.bundle())}
	conversion := map[string]any{"strategy": "Webhook", "webhook": map[string]any{"conversionReviewVersions": []string{"v1", "v1beta1"}, "clientConfig": client}}
	if definition == "v1beta1" {
		conversion = map[string]any{"strategy": "Webhook", "conversionReviewVersions": []string{"v1beta1"}, "webhookClientConfig": client}
	}
	text, err := json.Marshal(conversion)
	must(t, err)
	must(t, json.Unmarshal(text, &conversion))
	must(t, unstructured.SetNestedMap(obj.Object, conversion, "spec", "conversion"))
	return obj
}

func cronTabsOf(t *testing.T, group, version, ns string) dynamic.ResourceInterface {
	t.Helper()
	return shared.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "crontabs"}).Namespace(ns)
}

func TestConversionWebhook(t *testing.T) {
	for _, definition := range []string{"v1", "v1beta1"} {
		t.Run(definition, func(t *testing.T) { testConversion(t, definition) })
	}
}

func testConversion(t *testing.T, definition string) {
	group, ns := definition+".webhook.test", namespace(t, shared)
	hook := newConverter(t)
	gvr := definitions
	gvr.Version = definition
	_, err := shared.dynamic(t).Resource(gvr).Create(within(t), hook.cronTabDefinition(t, definition, group), metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		_ = shared.dynamic(t).Resource(gvr).Delete(ctx, "crontabs."+group, metav1.DeleteOptions{})
	})
	beta, v1 := cronTabsOf(t, group, "v1beta1", ns), cronTabsOf(t, group, "v1", ns)

	created, err := beta.Create(within(t), parse(t, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: local, labels: {a: b}}, hostPort: localhost:1234}"), metav1.CreateOptions{})
	must(t, err)
	_, err = v1.Create(within(t), parse(t, "{apiVersion: "+group+"/v1, kind: CronTab, metadata: {name: remote}, host: example.com, port: '2345'}"), metav1.CreateOptions{})
	must(t, err)
	got, err := beta.Get(within(t), "remote", metav1.GetOptions{})
	must(t, err)
	equal(t, "hostPort", raw(got, "hostPort"), `"example.com:2345"`)

	hook.asked()
	list, err := v1.List(within(t), metav1.ListOptions{})
	must(t, err)
	for i, want := range []string{`"localhost"`, `"example.com"`} {
		equal(t, "host", raw(&list.Items[i], "host"), want)
		equal(t, "apiVersion", list.Items[i].GetAPIVersion(), group+"/v1")
	}
	equal(t, "resourceVersion", list.Items[0].GetResourceVersion(), created.GetResourceVersion())
	equal(t, "requests for a list", fmt.Sprint(hook.asked()), "[2]")

	w, err := v1.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	must(t, err)
	defer w.Stop()
	patched, err := v1.Patch(within(t), "local", types.MergePatchType, []byte(`{"port":"80"}`), metav1.PatchOptions{})
	must(t, err)
	equal(t, "labels", raw(patched, "metadata", "labels"), `{"a":"b"}`)
	event := <-w.ResultChan()
	equal(t, "watched port", raw(event.Object.(*unstructured.Unstructured), "port"), `"80"`)
	got, err = beta.Get(within(t), "local", metav1.GetOptions{})
	must(t, err)
	equal(t, "hostPort", raw(got, "hostPort"), `"localhost:80"`)
	must(t, unstructured.SetNestedField(got.Object, "localhost:81", "hostPort"))
	_, err = beta.Update(within(t), got, metav1.UpdateOptions{})
	must(t, err)
	got, err = v1.Get(within(t), "local", metav1.GetOptions{})
	must(t, err)
	equal(t, "port", raw(got, "port"), `"81"`)
	failConversions(t, hook, group, ns)
}

// failConversions lets the webhook do what it must not.
func failConversions(t *testing.T, hook *converter, group, ns string) {
	beta, v1 := cronTabsOf(t, group, "v1beta1", ns), cronTabsOf(t, group, "v1", ns)
	prefix := "conversion webhook for " + group + "/v1beta1, Kind=CronTab "
	fresh := 0
	for _, test := range []struct {
		what  string
		spoil func(*response)
		want  string // "": it succeeds
	}{
		{"another name", func(r *response) { metadataOf(r, 0)["name"] = "other" }, "returned invalid converted object at index 0: must have the same name: "},
		{"another uid", func(r *response) { metadataOf(r, 0)["uid"] = "1" }, "returned invalid converted object at index 0: must have the same UID: "},
		{"another version", func(r *response) { r.Converted[0]["apiVersion"] = group + "/v2" }, "returned invalid converted object at index 0: invalid groupVersion (expected " + group + "/v1, received " + group + "/v2)"},
		{"another kind", func(r *response) { r.Converted[0]["kind"] = "Tab" }, "returned invalid converted object at index 0: invalid kind (expected CronTab, received Tab)"},
		{"fewer objects", func(r *response) { r.Converted = nil }, "returned 0 objects, expected 1"},
		{"no reason", func(r *response) { r.Result = metav1.Status{Status: "Failure"} }, "failed: response.result.status was 'Failure', not 'Success'"},
		{"metadata", func(r *response) {
			metadataOf(r, 0)["labels"] = map[string]any{"from": "webhook"}
			metadataOf(r, 0)["creationTimestamp"], metadataOf(r, 0)["finalizers"] = "2001-01-01T00:00:00Z", []string{"example.com/x"}
		}, ""},
	} {
		// What has been converted once is remembered: each case has an object of its own, which not even a watch has seen in time.
		hook.setSpoil(test.spoil)
		fresh++
		name := fmt.Sprintf("fresh-%d", fresh)
		created, err := beta.Create(within(t), parse(t, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: "+name+"}, hostPort: 'h:1'}"), metav1.CreateOptions{})
		must(t, err)
		got, err := v1.Get(within(t), name, metav1.GetOptions{})
		hook.setSpoil(nil)
		if test.want != "" {
			contains(t, fmt.Sprintf("%s: %v", test.what, err), prefix+test.want)
			continue
		}
		must(t, err)
		equal(t, "labels", raw(got, "metadata", "labels"), `{"from":"webhook"}`)
		equal(t, "finalizers", raw(got, "metadata", "finalizers"), `null`)
		equal(t, "creationTimestamp", raw(got, "metadata", "creationTimestamp"), raw(created, "metadata", "creationTimestamp"))
	}

	_, err := beta.Create(within(t), parse(t, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: broken}, hostPort: nothing}"), metav1.CreateOptions{})
	must(t, err)
	refused := shared.curl(t).do(t, "GET", "/apis/"+group+"/v1/namespaces/"+ns+"/crontabs/broken", "")
	refused.refused(t, 500, "", prefix+"failed: hostPort could not be parsed into a separate host and port")
	_, err = v1.List(within(t), metav1.ListOptions{})
	contains(t, fmt.Sprint(err), prefix+`failed: hostPort could not be parsed into a separate host and port (object "`+ns+`/broken")`)
	// What cannot be converted can be deleted in the version that it is stored in, or unread.
	unread := true
	if err := v1.Delete(within(t), "broken", metav1.DeleteOptions{}); err == nil {
		t.Error("an object that cannot be read was deleted as if it could")
	}
	must(t, v1.Delete(within(t), "broken", metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &unread}))
	_, err = v1.List(within(t), metav1.ListOptions{})
	must(t, err)
}

func metadataOf(r *response, i int) map[string]any {
	return r.Converted[i]["metadata"].(map[string]any)
}
