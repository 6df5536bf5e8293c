package e2e

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Two servers on one etcd serve what is defined on either, from the very next request on.
func TestDefinitionReachesTheOtherServer(t *testing.T) {
	db, group := startEtcd(t), "replicas.test"
	a := startReplica(t, db, "--bundled-plugins=false")
	b := startReplica(t, db, "--bundled-plugins=false")
	version := `[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s: {type: string, default: d}}}}}}}]`
	made := define(t, a, widgetDefinition(t, group, fmt.Sprintf(version, "first")))
	onB := widgets(t, b, group, "v1", "default")
	got, err := onB.Create(within(t), widget(t, group, "v1", "one", "{}"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "spec", raw(got, "spec"), `{"first":"d"}`)

	// A write under the definition as it was is never stored.
	next := widgetDefinition(t, group, fmt.Sprintf(version, "second"))
	next.SetResourceVersion(made.GetResourceVersion())
	_, err = a.dynamic(t).Resource(definitions).Update(within(t), next, metav1.UpdateOptions{})
	must(t, err)
	got, err = onB.Create(within(t), widget(t, group, "v1", "two", "{}"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "spec", raw(got, "spec"), `{"second":"d"}`)

	b.stop()
	must(t, b.start())
	got, err = widgets(t, b, group, "v1", "default").Get(within(t), "one", metav1.GetOptions{})
	must(t, err)
	equal(t, "what the schema no longer knows", raw(got, "spec"), `{"second":"d"}`)

	must(t, b.dynamic(t).Resource(definitions).Delete(within(t), "widgets."+group, metav1.DeleteOptions{}))
	eventually(t, "the definition is gone", func() bool {
		return a.curl(t).do(t, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets."+group, "").code == 404
	})
	_, err = widgets(t, a, group, "v1", "default").Create(within(t), widget(t, group, "v1", "late", "{}"), metav1.CreateOptions{})
	equal(t, "error", fmt.Sprint(err), "the server could not find the requested resource")
}
