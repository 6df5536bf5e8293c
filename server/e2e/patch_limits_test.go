package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// What a patch may demand is bounded as in Kubernetes, and what is refused changes nothing.
func TestLimitsOfPatches(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	path := "/apis/example.com/v1/namespaces/" + ns + "/crontabs"
	created := c.made(t, path, withMeta(cronTab, `"annotations":{"big":"`+strings.Repeat("x", 100_000)+`"}`))
	many := func(operation string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(operation+",", n), ",") + "]"
	}
	const (
		replace = `{"op":"replace","path":"/spec/image","value":"backup:1"}`
		copied  = `{"op":"copy","from":"/metadata/annotations/big","path":"/metadata/annotations/again"}`
		failed  = "the server rejected our request due to an error in our request"
	)
	for name, r := range map[string]struct {
		header, body string
		code         int
		message      string
	}{
		"operations":            {sendsJSONPatch, many(replace, 10_001), 413, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"},
		"copies":                {sendsJSONPatch, many(copied, 40), 422, failed},
		"a body":                {sendsMerge, `{"spec":{"image":"` + strings.Repeat("x", 3<<20) + `"}}`, 413, "Request entity too large: limit is 3145728"},
		"a body of apply":       {sendsApply, strings.Repeat("# comment\n", 3<<20/10+1) + cronTab, 413, "Request entity too large: limit is 3145728"},
		"an object of no patch": {sendsJSONPatch, `{"spec":{}}`, 400, "error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
		"a list of no patch":    {sendsMerge, `[]`, 400, ""},
		"deep":                  {sendsMerge, `{"spec":` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_001), 400, "error decoding patch: "},
		"deep lists":            {sendsJSONPatch, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 400, "error decoding patch: "},
		"a deep object":         {sendsApply, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 400, "error decoding patch: "},
		"a test that fails":     {sendsJSONPatch, `[{"op":"test","path":"/spec/image","value":"other"}]`, 422, failed},
		"too many annotations":  {sendsMerge, `{"metadata":{"annotations":{"more":"` + strings.Repeat("x", 200_000) + `"}}}`, 422, `CronTab.example.com "a" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes`},
		"a version that passed": {sendsMerge, `{"metadata":{"resourceVersion":"1"},"spec":{"replicas":2}}`, 409, `Operation cannot be fulfilled on crontabs.example.com "a": the object has been modified; please apply your changes to the latest version and try again`},
		"another uid":           {sendsMerge, `{"metadata":{"uid":"other"}}`, 422, `CronTab.example.com "a" is invalid: metadata.uid: Invalid value: "other": field is immutable`},
	} {
		t.Run(name, func(t *testing.T) {
			query := ""
			if r.header == sendsApply {
				query = "?fieldManager=m"
			}
			got := c.do(t, "PATCH", path+"/a"+query, r.body, r.header)
			equal(t, fmt.Sprintf("code of %.300s", got.body), got.code, r.code)
			contains(t, got.status(t).Message, r.message)
		})
	}
	equal(t, "as many operations as are allowed", c.do(t, "PATCH", path+"/a", many(replace, 10_000), sendsJSONPatch).code, http.StatusOK)
	equal(t, "as many copies", c.do(t, "PATCH", path+"/a", `[`+copied+`,{"op":"remove","path":"/metadata/annotations/again"}]`, sendsJSONPatch).code, http.StatusOK)
	equal(t, "its resourceVersion", c.do(t, "GET", path+"/a", "").meta(t).ResourceVersion, created.ResourceVersion)
}

// No more than ten updaters are told of; the oldest become one.
func TestManyManagers(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	path := "/apis/example.com/v1/namespaces/" + ns + "/crontabs"
	c.made(t, path, cronTab)
	for i := range 14 {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{"a%d":"x"}}}`, i)
		equal(t, "patch", c.do(t, "PATCH", fmt.Sprintf("%s/a?fieldManager=m%d", path, i), patch, sendsMerge).code, http.StatusOK)
	}
	var names []string
	for _, entry := range c.do(t, "GET", path+"/a", "").meta(t).ManagedFields {
		names = append(names, entry.Manager)
	}
	equal(t, "entries of "+strings.Join(names, " "), len(names), 10)
	contains(t, strings.Join(names, " "), "ancient-changes")
	long := strings.Repeat("m", 129)
	contains(t, c.do(t, "PATCH", path+"/a?fieldManager="+long, `{}`, sendsMerge).refusal(t, 422), "fieldManager: Too long: may not be more than 128 bytes")
}
