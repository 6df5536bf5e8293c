package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	sendsMerge     = "Content-Type: application/merge-patch+json"
	sendsStrategic = "Content-Type: application/strategic-merge-patch+json"
	sendsJSONPatch = "Content-Type: application/json-patch+json"
	sendsApply     = "Content-Type: application/apply-patch+yaml"
)

// stored are the objects of a namespace as they are served.
func stored(t *testing.T, c curl, ns string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{"/api/v1/namespaces/" + ns, "/api/v1/namespaces/" + ns + "/pods", "/apis/apps/v1/namespaces/" + ns + "/deployments", "/apis/example.com/v1/namespaces/" + ns + "/crontabs"} {
		var got struct{ Metadata, Spec, Status, Items json.RawMessage }
		must(t, json.Unmarshal(c.do(t, "GET", path, "").body, &got))
		if got.Items == nil {
			fmt.Fprintf(&all, "%s\n%s\n%s\n", got.Metadata, got.Spec, got.Status)
		}
		fmt.Fprintf(&all, "%s\n", got.Items)
	}
	return all.String()
}

// A dry run is answered as the real thing would be, and writes nothing, whatever the verb.
func TestDryRunOfEveryVerb(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	pods, cronTabs := "/api/v1/namespaces/"+ns+"/pods", "/apis/example.com/v1/namespaces/"+ns+"/crontabs"
	deployments := "/apis/apps/v1/namespaces/" + ns + "/deployments"
	_, err := shared.typed(t).AppsV1().Deployments(ns).Create(within(t), newDeployment("d"), metav1.CreateOptions{})
	must(t, err)
	held := strings.Replace(podJSON("held"), `"metadata":{`, `"metadata":{"finalizers":["example.com/hold"],`, 1)
	for path, body := range map[string]string{pods: podJSON("p"), pods + "?": held, cronTabs: cronTab} {
		equal(t, "create", c.do(t, "POST", path, body).code, http.StatusCreated)
	}
	equal(t, "delete", c.do(t, "DELETE", pods+"/held?gracePeriodSeconds=0", "").code, http.StatusOK)
	before := stored(t, c, ns)
	const all = `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`
	for name, r := range map[string]struct {
		method, path, header, body string
		code                       int
		answer                     []string
	}{
		"create":             {"POST", pods, "", podJSON("new"), 201, []string{`"name":"new"`, `"uid":"`}},
		"create of a name":   {"POST", cronTabs, "", strings.Replace(cronTab, `"name":"a"`, `"generateName":"a-"`, 1), 201, []string{`"name":"a-`}},
		"create of another":  {"POST", pods, "", podJSON("p"), 409, []string{`pods \"p\" already exists`}},
		"create of a bad":    {"POST", cronTabs, "", strings.Replace(cronTab, "*/5 * * * *", "x", 1), 422, []string{`spec.cronSpec`}},
		"update":             {"PUT", cronTabs + "/a", "", strings.Replace(cronTab, "backup:1", "backup:2", 1), 200, []string{`"generation":2`, `"image":"backup:2"`}},
		"merge patch":        {"PATCH", cronTabs + "/a", sendsMerge, `{"spec":{"replicas":7}}`, 200, []string{`"replicas":7`}},
		"JSON patch":         {"PATCH", cronTabs + "/a", sendsJSONPatch, `[{"op":"replace","path":"/spec/replicas","value":7}]`, 200, []string{`"replicas":7`}},
		"strategic patch":    {"PATCH", pods + "/p", sendsStrategic, `{"spec":{"containers":[{"name":"c","image":"other"}]}}`, 200, []string{`"image":"other"`}},
		"apply":              {"PATCH", cronTabs + "/a?fieldManager=m&force=true", sendsApply, strings.Replace(cronTab, "backup:1", "backup:3", 1), 200, []string{`"image":"backup:3"`}},
		"apply that creates": {"PATCH", cronTabs + "/b?fieldManager=m", sendsApply, strings.Replace(cronTab, `"name":"a"`, `"name":"b"`, 1), 201, []string{`"name":"b"`}},
		"status":             {"PATCH", cronTabs + "/a/status", sendsMerge, `{"status":{"replicas":3}}`, 200, []string{`"status":{"replicas":3}`}},
		"scale":              {"PATCH", deployments + "/d/scale", sendsMerge, `{"spec":{"replicas":9}}`, 200, []string{`"kind":"Scale"`, `"replicas":9`}},
		"scale as a whole": {"PUT", deployments + "/d/scale", "", `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"d","namespace":"` + ns + `"},"spec":{"replicas":8}}`, 200,
			[]string{`"replicas":8`}},
		"binding":                     {"POST", pods + "/p/binding", "", `{"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}`, 201, []string{`"status":"Success"`}},
		"eviction":                    {"POST", pods + "/p/eviction", "", `{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}}`, 201, []string{`"status":"Success"`}},
		"delete":                      {"DELETE", pods + "/p", "", "", 200, []string{`"name":"p"`}},
		"delete by its body":          {"DELETE", cronTabs + "/a", "", all, 200, []string{`"status":"Success"`}},
		"delete in the foreground":    {"DELETE", deployments + "/d?propagationPolicy=Foreground", "", "", 200, []string{`foregroundDeletion`}},
		"delete of a collection":      {"DELETE", pods, "", "", 200, []string{`"kind":"PodList"`, `"name":"p"`}},
		"delete of selected":          {"DELETE", cronTabs + "?fieldSelector=metadata.name%3Da", "", all, 200, []string{`"name":"a"`}},
		"delete of a namespace":       {"DELETE", "/api/v1/namespaces/" + ns, "", "", 200, []string{`"phase":"Terminating"`}},
		"update that ends a deletion": {"PATCH", pods + "/held", sendsMerge, `{"metadata":{"finalizers":null}}`, 200, []string{`"name":"held"`}},
	} {
		t.Run(name, func(t *testing.T) {
			path := r.path
			if r.body != all {
				path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "dryRun=All"
			}
			var headers []string
			if r.header != "" {
				headers = append(headers, r.header)
			}
			got := c.do(t, r.method, path, r.body, headers...)
			equal(t, fmt.Sprintf("code of %s", got.body), got.code, r.code)
			contains(t, string(got.body), r.answer...)
			equal(t, "what is stored", stored(t, c, ns), before)
		})
	}
}
