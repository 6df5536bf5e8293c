package e2e

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// buildBound compiles testdata/bound.go, laid over the CronTabs' plugin.
func buildBound(t *testing.T) string {
	t.Helper()
	return buildOver(t, "crontabs", "main.go", "bound.go")
}

// A plugin adds its hooks and its conversion to the resource of a definition, while objects exist, and takes them away again.
func TestPluginBoundToADefinition(t *testing.T) {
	const group = "bound.test"
	ns, file := namespace(t, shared), buildBound(t)
	define(t, shared, parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.bound.test}
spec:
  group: bound.test
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - {name: v1beta1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {hostPort: {type: string}, status: {type: object, properties: {phase: {type: string, maxLength: 4}}}}}}}
  - {name: v1, served: true, storage: false, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {host: {type: string, maxLength: 9}, port: {type: string}, status: {type: object, properties: {phase: {type: string, maxLength: 4}}}}}}}`))
	beta, v1 := cronTabsOf(t, group, "v1beta1", ns), cronTabsOf(t, group, "v1", ns)
	for _, name := range []string{"before", "broken"} {
		hostPort := map[string]string{"before": "h:1", "broken": "nothing"}[name]
		_, err := beta.Create(within(t), parse(t, "{apiVersion: bound.test/v1beta1, kind: CronTab, metadata: {name: "+name+"}, hostPort: '"+hostPort+"'}"), metav1.CreateOptions{})
		must(t, err)
	}
	shared.push(t, "bound", file)
	got, err := v1.Get(within(t), "before", metav1.GetOptions{})
	must(t, err)
	equal(t, "host and port", raw(got, "host")+raw(got, "port"), `"h""1"`)
	_, err = v1.List(within(t), metav1.ListOptions{})
	contains(t, fmt.Sprint(err), `conversion of CronTab`, `"broken"`, `to bound.test/v1 failed`, "hostPort could not be parsed into a separate host and port")
	must(t, beta.Delete(within(t), "broken", metav1.DeleteOptions{}))

	create := func(name, fields string) error {
		_, err := v1.Create(within(t), parse(t, "{apiVersion: bound.test/v1, kind: CronTab, metadata: {name: "+name+"}, "+fields+"}"), metav1.CreateOptions{})
		return err
	}
	must(t, create("after", "host: h, port: '2'"))
	got, err = beta.Get(within(t), "after", metav1.GetOptions{})
	must(t, err)
	equal(t, "hostPort", raw(got, "hostPort"), `"h:2"`)
	equal(t, "mark", raw(got, "metadata", "annotations"), `{"prepared-by":"binder"}`)
	for fields, want := range map[string]string{
		"host: h, port: '0'":           `port: Invalid value: "0": is no port`,
		"host: very-long-it, port: ''": `host: Too long: may not be more than 9 bytes`,
		"host: 1, port: '0'":           `host: Invalid value: "integer": host in body must be of type string: "integer"`,
	} {
		if got := causes(t, create("bad", fields)); !slices.Contains(got, want) {
			t.Errorf("%s: got %q", fields, got)
		}
	}
	for phase, want := range map[string]string{"Lost": "status.phase: Forbidden: nothing is lost", "Longer": "status.phase: Too long: may not be more than 4 bytes"} {
		_, err = v1.Patch(within(t), "after", types.MergePatchType, []byte(`{"status":{"phase":"`+phase+`"}}`), metav1.PatchOptions{}, "status")
		if got := causes(t, err); !slices.Contains(got, want) {
			t.Errorf("%s: got %q", phase, got)
		}
	}
	list, err := v1.List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "objects", len(list.Items), 2)

	out, err := shared.stratagem(t, "plugin", "push", file, "--name", "other")
	if err == nil {
		t.Error("a second plugin was bound to the same resource")
	}
	contains(t, out, `plugin "bound" is bound to crontabs.bound.test, plugin "other" cannot be bound to it too`)
	must(t, shared.dynamic(t).Resource(plugins).Delete(within(t), "bound", metav1.DeleteOptions{}))
	must(t, create("unbound", "host: h, port: '0'"))
}
