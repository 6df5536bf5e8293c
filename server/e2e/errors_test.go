package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const sendsJSON = "Content-Type: application/json"

// TestRefusals asks for what cannot be had. Codes, reasons and texts are Kubernetes'.
func TestRefusals(t *testing.T) {
	ns := namespace(t, shared)
	c := shared.curl(t)
	pods := "/api/v1/namespaces/" + ns + "/pods"
	deployments := "/apis/apps/v1/namespaces/" + ns + "/deployments"
	crontabs := "/apis/example.com/v1/namespaces/" + ns + "/crontabs"
	equal(t, "code", c.do(t, "POST", pods, podJSON("there"), sendsJSON).code, 201)
	const unknown = "the server could not find the requested resource"
	const subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
	const formats = "the body of the request was in an unknown format - accepted media types include: "
	for name, r := range map[string]struct {
		method, path, body string
		header             string
		code               int
		reason             metav1.StatusReason
		message            string
	}{
		"a group that is not there":     {"GET", "/apis/none.example.com/v1/things", "", "", 404, "NotFound", unknown},
		"a version that is not there":   {"GET", "/apis/apps/v2/deployments", "", "", 404, "NotFound", unknown},
		"a resource that is not there":  {"GET", "/api/v1/namespaces/" + ns + "/things", "", "", 404, "NotFound", unknown},
		"a subresource not there":       {"GET", pods + "/there/thing", "", "", 404, "NotFound", unknown},
		"a path that is no API":         {"GET", "/none", "", "", 404, "NotFound", unknown},
		"get":                           {"GET", pods + "/none", "", "", 404, "NotFound", `pods "none" not found`},
		"delete":                        {"DELETE", deployments + "/none", "", "", 404, "NotFound", `deployments.apps "none" not found`},
		"put":                           {"PUT", pods + "/none", podJSON("none"), sendsJSON, 404, "NotFound", `pods "none" not found`},
		"patch":                         {"PATCH", crontabs + "/none", `{}`, "Content-Type: application/merge-patch+json", 404, "NotFound", `crontabs.example.com "none" not found`},
		"status of none":                {"PUT", pods + "/none/status", podJSON("none"), sendsJSON, 404, "NotFound", `pods "none" not found`},
		"a namespace that is not there": {"POST", "/api/v1/namespaces/none/pods", podJSON("a"), sendsJSON, 404, "NotFound", `namespaces "none" not found`},
		"another namespace": {"POST", pods, strings.Replace(podJSON("a"), `"metadata":{`, `"metadata":{"namespace":"other",`, 1), sendsJSON, 400, "BadRequest",
			"the namespace of the provided object does not match the namespace sent on the request"},
		"another name":  {"PUT", pods + "/there", podJSON("other"), sendsJSON, 400, "BadRequest", "the name of the object (other) does not match the name on the URL (there)"},
		"the same name": {"POST", pods, podJSON("there"), sendsJSON, 409, "AlreadyExists", `pods "there" already exists`},
		"a resourceVersion": {"POST", pods, strings.Replace(podJSON("a"), `"metadata":{`, `"metadata":{"resourceVersion":"1",`, 1), sendsJSON, 400, "BadRequest",
			"resourceVersion should not be set on objects to be created"},
		"a bad name":        {"POST", pods, podJSON("A_"), sendsJSON, 422, "Invalid", `Pod "A_" is invalid: metadata.name: Invalid value: "A_": ` + subdomain},
		"a bad custom name": {"POST", crontabs, strings.Replace(cronTab, `"name":"a"`, `"name":"A_"`, 1), sendsJSON, 422, "Invalid", `CronTab.example.com "A_" is invalid: metadata.name: Invalid value: "A_": ` + subdomain},
		"no name": {"POST", crontabs, strings.Replace(cronTab, `"name":"a"`, "", 1), sendsJSON, 422, "Invalid",
			`CronTab.example.com "" is invalid: metadata.name: Required value: name or generateName is required`},
		"text":                       {"POST", pods, podJSON("a"), "Content-Type: text/plain", 415, "UnsupportedMediaType", formats + "application/json, application/yaml, application/vnd.kubernetes.protobuf"},
		"a plain patch":              {"PATCH", pods + "/there", `{}`, sendsJSON, 415, "UnsupportedMediaType", formats + "application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"},
		"a custom patch":             {"PATCH", crontabs + "/none", `{}`, "Content-Type: application/strategic-merge-patch+json", 415, "UnsupportedMediaType", formats + "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"},
		"too much":                   {"POST", pods, strings.Repeat(" ", 3<<20) + podJSON("a"), sendsJSON, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"},
		"a wrong method":             {"PUT", pods, podJSON("a"), sendsJSON, 405, "MethodNotAllowed", `PUT is not supported on resources of kind "pods"`},
		"all namespaces":             {"DELETE", "/api/v1/namespaces", "", "", 405, "MethodNotAllowed", `DELETE is not supported on resources of kind "namespaces"`},
		"the pods of all namespaces": {"DELETE", "/api/v1/pods", "", "", 405, "MethodNotAllowed", `DELETE is not supported on resources of kind "pods"`},
		"an unknown field, strictly": {"POST", pods + "?fieldValidation=Strict", strings.Replace(podJSON("a"), `"spec":{`, `"spec":{"foo":1,`, 1), sendsJSON, 400, "BadRequest",
			`Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.foo"`},
		"a duplicate field, strictly": {"POST", pods + "?fieldValidation=Strict", strings.Replace(podJSON("a"), `"spec":{`, `"spec":{"nodeName":"a","nodeName":"b",`, 1), sendsJSON, 400, "BadRequest",
			`Pod in version "v1" cannot be handled as a Pod: strict decoding error: duplicate field "spec.nodeName"`},
		"a custom unknown field, strictly": {"POST", crontabs + "?fieldValidation=Strict", strings.Replace(cronTab, `"spec":{`, `"spec":{"foo":1,`, 1), sendsJSON, 400, "BadRequest",
			`CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.foo"`},
		"a label selector":     {"GET", pods + "?labelSelector=a+b", "", "", 400, "BadRequest", `unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`},
		"a field selector":     {"GET", pods + "?fieldSelector=spec.foo=a", "", "", 400, "BadRequest", "field label not supported: spec.foo"},
		"a dry run of half":    {"POST", pods + "?dryRun=Half", podJSON("a"), sendsJSON, 422, "Invalid", `CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Half"]: supported values: "All"`},
		"a system's namespace": {"DELETE", "/api/v1/namespaces/kube-system", "", "", 403, "Forbidden", `namespaces "kube-system" is forbidden: this namespace may not be deleted`},
	} {
		t.Run(name, func(t *testing.T) {
			var headers []string
			if r.header != "" {
				headers = append(headers, r.header)
			}
			c.do(t, r.method, r.path, r.body, headers...).refused(t, r.code, r.reason, r.message)
		})
	}
	equal(t, "stored", kubectl{shared, ns}.run(t, "get", "pods,deployments,crontabs", "-o", "name"), "pod/there\n")
}

// Fields that nothing knows are dropped with a warning, or silently where that is asked for.
func TestFieldValidation(t *testing.T) {
	ns := namespace(t, shared)
	path := "/apis/apps/v1/namespaces/" + ns + "/deployments?dryRun=All&fieldValidation="
	const body = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"bogus":1,"selector":{"matchLabels":{"a":"b"}},` +
		`"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","what":2}]}}}}`
	for how, want := range map[string]string{
		"Warn":   `["299 - \"unknown field \\\"spec.bogus\\\"\"" "299 - \"unknown field \\\"spec.template.spec.containers[0].what\\\"\""]`,
		"":       `["299 - \"unknown field \\\"spec.bogus\\\"\"" "299 - \"unknown field \\\"spec.template.spec.containers[0].what\\\"\""]`,
		"Ignore": `[]`,
	} {
		a := shared.curl(t).do(t, "POST", path+how, body, sendsJSON)
		equal(t, "code", a.code, 201)
		equal(t, "warnings of "+how, fmt.Sprintf("%q", a.header.Values("Warning")), want)
		if strings.Contains(string(a.body), "bogus") || strings.Contains(string(a.body), "what") {
			t.Errorf("%s: unknown fields are kept: %s", how, a.body)
		}
	}
	k := kubectl{shared, ns}
	contains(t, k.refused(t, body, "create", "-f", "-"),
		`strict decoding error: unknown field "spec.bogus", unknown field "spec.template.spec.containers[0].what"`)
	contains(t, k.try(t, body, "create", "--validate=warn", "-f", "-").stderr, `Warning: unknown field "spec.bogus"`)
}

func TestBodiesAndAnswers(t *testing.T) {
	ns := namespace(t, shared)
	c, path := shared.curl(t), "/apis/example.com/v1/namespaces/"+ns+"/crontabs"
	yaml := "apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  generateName: made-\nspec:\n  cronSpec: '@daily'\n  image: i\n"
	a := c.do(t, "POST", path, yaml, "Content-Type: application/yaml", "Accept: application/yaml")
	equal(t, "code", a.code, 201)
	equal(t, "content type", a.header.Get("Content-Type"), "application/yaml")
	contains(t, string(a.body), "apiVersion: example.com/v1\nkind: CronTab\n", "  generateName: made-\n", "  name: made-", "spec:\n  cronSpec: '@daily'\n")

	a = c.do(t, "GET", path, "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	contains(t, string(a.body), `"kind":"Table"`, `"columnDefinitions":[{"name":"Name"`, `"rows":[{"cells":["made-`)
	c.do(t, "GET", path, "", "Accept: image/png").refused(t, 406, "NotAcceptable",
		"only the following media types are accepted: application/json, application/yaml")
}
