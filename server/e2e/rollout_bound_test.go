package e2e

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A revision of a plugin that is bound to the resource of a definition is tried as any other: over what is stored, in shadow, as a canary.
func TestBoundPluginIsTried(t *testing.T) {
	const group, name = "tried.test", "tried-bound"
	ns := namespace(t, shared)
	define(t, shared, parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.tried.test}
spec:
  group: tried.test
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {host: {type: string, maxLength: 9}, port: {type: string}, status: {type: object, properties: {phase: {type: string}}}}}}}`))
	build := func(refused string) string {
		return buildOver(t, "crontabs", "main.go", "bound.go", "bound.test", group, `"bound"`, `"`+name+`"`, `.String() == "0"`, refused)
	}
	first, stricter := build(`.String() == "0"`), build(`.String() <= "1"`)
	shared.push(t, name, first)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		must(t, shared.dynamic(t).Resource(plugins).Delete(ctx, name, metav1.DeleteOptions{}))
	})
	create := func(name, port string) []string {
		t.Helper()
		_, err := cronTabsOf(t, group, "v1", ns).Create(within(t), parse(t, "{apiVersion: tried.test/v1, kind: CronTab, metadata: {name: "+name+"}, host: h, port: '"+port+"'}"), metav1.CreateOptions{})
		if err == nil {
			return nil
		}
		return causes(t, err)
	}
	refusal := []string{`port: Invalid value: "0": is no port`}
	equal(t, "port 1", len(create("a", "1")), 0)
	equal(t, "port 2", len(create("b", "2")), 0)

	out, err := shared.stratagem(t, "plugin", "diff", name, stricter)
	if err == nil {
		t.Error("there were no differences")
	}
	contains(t, out, "crontabs.tried.test: 2 objects", "1 of them differ", "NewlyRejected: create crontabs.tried.test "+ns+"/a", "is no port")

	contains(t, shared.run(t, "plugin", "push", stricter, "--name", name, "--shadow"), "is in shadow")
	equal(t, "port 1 beside a shadow", len(create("c", "1")), 0)
	eventually(t, "the difference counted", func() bool {
		plugin, err := shared.dynamic(t).Resource(plugins).Get(within(t), name, metav1.GetOptions{})
		must(t, err)
		return counted(plugin, "newlyRejected") == 1
	})
	shared.run(t, "plugin", "rollback", name)

	contains(t, shared.run(t, "plugin", "push", stricter, "--name", name, "--canary", "100%"), "is in canary")
	if got := create("d", "1"); !slices.Equal(got, refusal) {
		t.Errorf("the canary answered %q, want %q", got, refusal)
	}
	equal(t, "rules of the definition beside a canary", len(createLong(t, group, ns)), 1)
	equal(t, "port 2 by the canary", len(create("e", "2")), 0)
	shared.run(t, "plugin", "rollback", name)
	equal(t, "port 1 after the rollback", len(create("d", "1")), 0)
}

// createLong breaks the schema.
func createLong(t *testing.T, group, ns string) []string {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": group + "/v1", "kind": "CronTab", "metadata": map[string]any{"name": "long"}, "host": "longer than nine", "port": "2"}}
	_, err := cronTabsOf(t, group, "v1", ns).Create(within(t), obj, metav1.CreateOptions{})
	return causes(t, err)
}
