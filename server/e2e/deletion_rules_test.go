package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withMeta puts members into the metadata of an object's JSON.
func withMeta(object, members string) string {
	return strings.Replace(object, `"metadata":{`, `"metadata":{`+members+`,`, 1)
}

// made creates an object from its JSON.
func (c curl) made(t *testing.T, path, body string) metav1.ObjectMeta {
	t.Helper()
	got := c.do(t, "POST", path, body)
	equal(t, fmt.Sprintf("code of %s", got.body), got.code, http.StatusCreated)
	return got.meta(t)
}

// meta is the metadata of the object in an answer.
func (a answer) meta(t *testing.T) metav1.ObjectMeta {
	t.Helper()
	var object metav1.PartialObjectMetadata
	must(t, json.Unmarshal(a.body, &object))
	return object.ObjectMeta
}

// Preconditions that do not hold are conflicts that say why, of every kind of object.
func TestPreconditionsOfDeletions(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	pods, cronTabs := "/api/v1/namespaces/"+ns+"/pods", "/apis/example.com/v1/namespaces/"+ns+"/crontabs"
	pod, tab := c.made(t, pods, podJSON("p")), c.made(t, cronTabs, cronTab)
	space := c.do(t, "GET", "/api/v1/namespaces/"+ns, "").meta(t)
	for path, object := range map[string]struct {
		meta  metav1.ObjectMeta
		named string
	}{
		pods + "/p":                {pod, `pods "p"`},
		cronTabs + "/a":            {tab, `crontabs.example.com "a"`},
		"/api/v1/namespaces/" + ns: {space, fmt.Sprintf("namespaces %q", ns)},
	} {
		uid, version := `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"other"}}`, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"1"}}`
		c.do(t, "DELETE", path, uid).refused(t, 409, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on %s: the UID in the precondition (other) does not match the UID in record (%s). "+
			"The object might have been deleted and then recreated", object.named, object.meta.UID))
		c.do(t, "DELETE", path, version).refused(t, 409, "Conflict", fmt.Sprintf("Operation cannot be fulfilled on %s: the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (%s). "+
			"The object might have been modified", object.named, object.meta.ResourceVersion))
		right := fmt.Sprintf(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":%q}}`, object.meta.UID)
		if path != "/api/v1/namespaces/"+ns {
			equal(t, "delete of "+path, c.do(t, "DELETE", path, right).code, 200)
		}
	}
}

// What is deleted is answered with the object where its strategy says so, else with a Status that names it. What waits is
// always answered with the object, stays deleting whatever is written, keeps its name taken, and goes with its last finalizer.
func TestDeletionThatWaits(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	pods, cronTabs := "/api/v1/namespaces/"+ns+"/pods", "/apis/example.com/v1/namespaces/"+ns+"/crontabs"
	c.made(t, pods, podJSON("p"))
	gone := c.made(t, cronTabs, cronTab)
	contains(t, string(c.do(t, "DELETE", pods+"/p?gracePeriodSeconds=0", "").body), `"kind":"Pod"`, `"name":"p"`)
	status := c.do(t, "DELETE", cronTabs+"/a", "").status(t)
	equal(t, "status", fmt.Sprint(status.Status, *status.Details), fmt.Sprintf("Success{a example.com crontabs %s [] 0}", gone.UID))

	held := withMeta(cronTab, `"finalizers":["example.com/one","example.com/two"]`)
	created := c.made(t, cronTabs, held)
	watching := c.watch(t, cronTabs+"?watch=1&timeoutSeconds=60&resourceVersion="+created.ResourceVersion)
	deleting := c.do(t, "DELETE", cronTabs+"/a", "")
	contains(t, string(deleting.body), `"kind":"CronTab"`, `"deletionTimestamp":"`)
	again := c.do(t, "DELETE", cronTabs+"/a", "")
	equal(t, "a second delete writes nothing", again.meta(t).ResourceVersion, deleting.meta(t).ResourceVersion)
	c.do(t, "POST", cronTabs, cronTab).refused(t, 409, "AlreadyExists", `object is being deleted: crontabs.example.com "a" already exists`)
	for _, patch := range []string{`{"metadata":{"deletionTimestamp":null}}`, `{"metadata":{"deletionTimestamp":"2035-01-01T00:00:00Z","deletionGracePeriodSeconds":null}}`} {
		got := c.do(t, "PATCH", cronTabs+"/a", patch, sendsMerge)
		equal(t, "patch", got.code, http.StatusOK)
		equal(t, "deletionTimestamp", got.meta(t).DeletionTimestamp.String(), deleting.meta(t).DeletionTimestamp.String())
	}
	more := c.do(t, "PATCH", cronTabs+"/a", `{"metadata":{"finalizers":["example.com/one","example.com/two","example.com/three"]}}`, sendsMerge)
	more.refused(t, 422, "Invalid", `CronTab.example.com "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/three"}`)
	equal(t, "one finalizer less", c.do(t, "PATCH", cronTabs+"/a", `{"metadata":{"finalizers":["example.com/two"]}}`, sendsMerge).code, http.StatusOK)
	equal(t, "none left", c.do(t, "PATCH", cronTabs+"/a", `{"metadata":{"finalizers":null}}`, sendsMerge).code, http.StatusOK)
	watching.expect("MODIFIED a", "MODIFIED a", "DELETED a")
	equal(t, "it is gone", c.do(t, "GET", cronTabs+"/a", "").code, http.StatusNotFound)
}

// A collection is deleted by selector; what its finalizers hold is left deleting, what is not selected is left.
func TestDeletionOfCollections(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	path := "/apis/example.com/v1/namespaces/" + ns + "/crontabs"
	for i := range 12 {
		c.made(t, path, withMeta(strings.Replace(cronTab, `"name":"a"`, fmt.Sprintf(`"name":"c%02d"`, i), 1), fmt.Sprintf(`"labels":{"odd":"%t"}`, i%2 == 1)))
	}
	c.made(t, path, withMeta(strings.Replace(cronTab, `"name":"a"`, `"name":"held"`, 1), `"labels":{"odd":"true"},"finalizers":["example.com/hold"]`))
	equal(t, "deleted", c.do(t, "DELETE", path+"?labelSelector=odd%3Dtrue", "").list(t).names(), "c01 c03 c05 c07 c09 c11 held")
	equal(t, "left", c.do(t, "GET", path, "").list(t).names(), "c00 c02 c04 c06 c08 c10 held")
	equal(t, "deleted", c.do(t, "DELETE", path+"?fieldSelector=metadata.name%3Dc02", "").list(t).names(), "c02")
	equal(t, "deleted", c.do(t, "DELETE", path+"?limit=2", "").list(t).names(), "c00 c04")
	// One that cannot be deleted fails the request, and the answer names it.
	contains(t, c.do(t, "DELETE", path, `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"resourceVersion":"1"}}`).refusal(t, 409), "the ResourceVersion in the precondition (1) does not match")
	c.do(t, "DELETE", path+"?labelSelector=a+b", "").refused(t, 400, "BadRequest", `unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`)
	c.do(t, "DELETE", path+"?fieldSelector=spec.foo%3D1", "").refused(t, 400, "BadRequest", "field label not supported: spec.foo")
	equal(t, "left", c.do(t, "GET", path, "").list(t).names(), "c06 c08 c10 held")
	equal(t, "deleted", c.do(t, "DELETE", path, "").list(t).names(), "c06 c08 c10 held")
	equal(t, "left", c.do(t, "GET", path, "").list(t).names(), "held")
	equal(t, "release", c.do(t, "PATCH", path+"/held", `{"metadata":{"finalizers":null}}`, sendsMerge).code, http.StatusOK)
}

// refusal is the message of a failure with this code.
func (a answer) refusal(t *testing.T, code int) string {
	t.Helper()
	equal(t, "code", a.code, code)
	return a.status(t).Message
}

// owning is an ownerReference to a CronTab.
func owning(name string, uid any) string {
	return fmt.Sprintf(`"ownerReferences":[{"apiVersion":"example.com/v1","kind":"CronTab","name":%q,"uid":"%s","blockOwnerDeletion":true}]`, name, uid)
}

// An owner in another namespace is none: what it is said to own is collected. Objects that own each other go together.
func TestOddOwners(t *testing.T) {
	ns, c := namespace(t, shared), shared.curl(t)
	path := "/apis/example.com/v1/namespaces/" + ns + "/crontabs"
	far := c.made(t, "/apis/example.com/v1/namespaces/default/crontabs", withMeta(strings.Replace(cronTab, `"name":"a"`, `"name":"far"`, 1), `"labels":{"far":"yes"}`))
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		_ = shared.dynamic(t).Resource(cronTabs).Namespace("default").Delete(ctx, "far", metav1.DeleteOptions{})
	})
	c.made(t, path, withMeta(strings.Replace(cronTab, `"name":"a"`, `"name":"strange"`, 1), owning("far", far.UID)))
	gone := func(name string) func() bool {
		return func() bool { return c.do(t, "GET", path+"/"+name, "").code == http.StatusNotFound }
	}
	eventually(t, "what an owner in another namespace is said to own goes", gone("strange"))

	a := c.made(t, path, cronTab)
	b := c.made(t, path, withMeta(strings.Replace(cronTab, `"name":"a"`, `"name":"b"`, 1), owning("a", a.UID)))
	equal(t, "the ring closes", c.do(t, "PATCH", path+"/a", "{"+`"metadata":{`+owning("b", b.UID)+"}}", sendsMerge).code, http.StatusOK)
	equal(t, "delete", c.do(t, "DELETE", path+"/a?propagationPolicy=Foreground", "").code, http.StatusOK)
	eventually(t, "a goes", gone("a"))
	eventually(t, "b goes", gone("b"))

	got := c.do(t, "POST", path, withMeta(cronTab, `"ownerReferences":[{"apiVersion":"example.com/v1","kind":"","name":"x","uid":""}]`))
	contains(t, got.refusal(t, 422), "metadata.ownerReferences[0].kind: Required value: must not be empty", "metadata.ownerReferences[0].uid: Required value: must not be empty")
}
