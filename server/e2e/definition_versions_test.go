package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestVersionPriority(t *testing.T) {
	var versions []map[string]any
	for i, name := range []string{"foo10", "v1", "v11alpha2", "v10", "v3beta1", "foo1", "v2", "v12alpha1", "v10beta3", "v11beta2"} {
		versions = append(versions, map[string]any{"name": name, "served": true, "storage": i == 0, "schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}})
	}
	text, err := json.Marshal(versions)
	must(t, err)
	define(t, shared, widgetDefinition(t, "priority.test", string(text)))
	var group metav1.APIGroup
	must(t, json.Unmarshal(shared.curl(t).do(t, "GET", "/apis/priority.test", "").body, &group))
	var names []string
	for _, v := range group.Versions {
		names = append(names, v.Version)
	}
	equal(t, "order", fmt.Sprint(names), "[v10 v2 v1 v11beta2 v10beta3 v3beta1 v12alpha1 v11alpha2 foo1 foo10]")
	equal(t, "preferred", group.PreferredVersion.Version, "v10")
}

// The life of a version: added, made the storage version, no longer served, dropped.
func TestLifeOfAVersion(t *testing.T) {
	group, ns := "life.test", namespace(t, shared)
	client, c := shared.dynamic(t).Resource(definitions), shared.curl(t)
	version := func(name string, served, storage bool, more string) string {
		return fmt.Sprintf(`{name: %s, served: %v, storage: %v, %s%s}`, name, served, storage, more, anySpec)
	}
	change := func(versions string) error {
		now, err := client.Get(within(t), "widgets."+group, metav1.GetOptions{})
		must(t, err)
		next := widgetDefinition(t, group, versions)
		next.SetResourceVersion(now.GetResourceVersion())
		_, err = client.Update(within(t), next, metav1.UpdateOptions{})
		return err
	}
	define(t, shared, widgetDefinition(t, group, "["+version("v1beta1", true, true, "")+"]"))
	old, err := widgets(t, shared, group, "v1beta1", ns).Create(within(t), widget(t, group, "v1beta1", "a", "{x: 1}"), metav1.CreateOptions{})
	must(t, err)

	must(t, change("["+version("v1beta1", true, true, "deprecated: true, deprecationWarning: use v1, ")+", "+version("v1", true, false, "")+"]"))
	got, err := widgets(t, shared, group, "v1", ns).Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "apiVersion", got.GetAPIVersion(), group+"/v1")
	equal(t, "resourceVersion", got.GetResourceVersion(), old.GetResourceVersion())
	path := "/apis/" + group + "/v1beta1/namespaces/" + ns + "/widgets/a"
	equal(t, "warning", c.do(t, "GET", path, "").header.Get("Warning"), `299 - "use v1"`)

	must(t, change("["+version("v1beta1", true, false, "")+", "+version("v1", true, true, "")+"]"))
	definition, err := client.Get(within(t), "widgets."+group, metav1.GetOptions{})
	must(t, err)
	equal(t, "storedVersions", raw(definition, "status", "storedVersions"), `["v1beta1","v1"]`)
	got, err = widgets(t, shared, group, "v1beta1", ns).Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "resourceVersion", got.GetResourceVersion(), old.GetResourceVersion())
	// An update that changes nothing rewrites an object that is stored in the old version.
	got, err = widgets(t, shared, group, "v1beta1", ns).Patch(within(t), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	must(t, err)
	if got.GetResourceVersion() == old.GetResourceVersion() {
		t.Error("the object was not rewritten at the new storage version")
	}

	must(t, change("["+version("v1beta1", false, false, "")+", "+version("v1", true, true, "")+"]"))
	equal(t, "code of a version that is not served", c.do(t, "GET", path, "").code, 404)

	err = change("[" + version("v1", true, true, "") + "]")
	contains(t, fmt.Sprint(err), `status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions`)
	k := kubectl{shared, ns}
	k.run(t, "patch", "customresourcedefinitions", "widgets."+group, "--subresource=status", "--type=merge", "-p", `{"status":{"storedVersions":["v1"]}}`)
	must(t, change("["+version("v1", true, true, "")+"]"))
	got, err = widgets(t, shared, group, "v1", ns).Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "spec", raw(got, "spec"), `{"x":1}`)
}

// Who writes the status says which versions objects may be stored in, and is not asked why, as in Kubernetes. The next write of the
// definition adds the one that they are stored in, and refuses what the spec does not know.
func TestStoredVersionsRules(t *testing.T) {
	group := "storedversions.test"
	client := shared.dynamic(t).Resource(definitions)
	define(t, shared, widgetDefinition(t, group, `[{name: v1, served: true, storage: true, `+anySpec+`}, {name: v2, served: true, storage: false, `+anySpec+`}]`))
	for written, want := range map[string]struct{ status, next, refused string }{
		`[]`:          {`["v1"]`, `["v1"]`, ""},
		`["v2"]`:      {`["v2"]`, `["v2","v1"]`, ""},
		`["v1","v3"]`: {`["v1","v3"]`, "", `status.storedVersions[1]: Invalid value: "v3": missing from spec.versions; v3 was previously a storage version`},
	} {
		got, err := client.Patch(within(t), "widgets."+group, types.MergePatchType, []byte(`{"status":{"storedVersions":`+written+`},"spec":{"scope":"Cluster"}}`), metav1.PatchOptions{}, "status")
		must(t, err)
		equal(t, written, raw(got, "status", "storedVersions"), want.status)
		equal(t, "scope", raw(got, "spec", "scope"), `"Namespaced"`)
		got, err = client.Patch(within(t), "widgets."+group, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"`+fmt.Sprint(len(written))+`"}},"status":{"storedVersions":["v1"]}}`), metav1.PatchOptions{})
		if want.refused != "" {
			contains(t, strings.Join(causes(t, err), "\n"), want.refused)
			continue
		}
		must(t, err)
		equal(t, written+" after the next write", raw(got, "status", "storedVersions"), want.next)
	}
}
