package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// parse reads a manifest.
func parse(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(manifest), &obj.Object))
	return obj
}

// widgetDefinition defines Widgets in a group; versions is the list in YAML's flow style.
func widgetDefinition(t *testing.T, group, versions string) *unstructured.Unstructured {
	t.Helper()
	return parse(t, fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd], categories: [all]}
  versions: %[2]s
`, group, versions))
}

// define creates a definition, which is in force when it is answered, and deletes it after the test.
func define(t *testing.T, s *server, definition *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	client := s.dynamic(t).Resource(definitions)
	got, err := client.Create(within(t), definition, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		_ = client.Delete(ctx, got.GetName(), metav1.DeleteOptions{})
		// Other tests know its kind by another group: they must not find this one.
		for ctx.Err() == nil {
			if _, err := client.Get(ctx, got.GetName(), metav1.GetOptions{}); err != nil {
				return
			}
		}
	})
	return got
}

// condition is "STATUS REASON: message" of a definition's condition.
func condition(obj *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
	for _, c := range conditions {
		if c := c.(map[string]any); c["type"] == kind {
			return fmt.Sprintf("%v %v: %v", c["status"], c["reason"], c["message"])
		}
	}
	return "none"
}

// widgets is the client of a group's Widgets in a namespace.
func widgets(t *testing.T, s *server, group, version, namespace string) dynamic.ResourceInterface {
	t.Helper()
	return s.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "widgets"}).Namespace(namespace)
}

// widget is a Widget with a spec in YAML.
func widget(t *testing.T, group, version, name, spec string) *unstructured.Unstructured {
	t.Helper()
	return parse(t, fmt.Sprintf("{apiVersion: %s/%s, kind: Widget, metadata: {name: %s}, spec: %s}", group, version, name, spec))
}

const anySpec = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}"

// raw is an object as JSON without what the server adds to metadata.
func raw(obj *unstructured.Unstructured, fields ...string) string {
	value, _, _ := unstructured.NestedFieldNoCopy(obj.Object, fields...)
	text, _ := json.Marshal(value)
	return string(text)
}

func TestDefinitionIsServedWhenItIsAnswered(t *testing.T) {
	group, ns := "served.test", namespace(t, shared)
	got := define(t, shared, widgetDefinition(t, group, `[{name: v1, served: true, storage: true, `+anySpec+`}]`))
	equal(t, "NamesAccepted", condition(got, "NamesAccepted"), "True NoConflicts: no conflicts found")
	equal(t, "Established", condition(got, "Established"), "True InitialNamesAccepted: the initial names have been accepted")
	equal(t, "storedVersions", raw(got, "status", "storedVersions"), `["v1"]`)
	equal(t, "acceptedNames", raw(got, "status", "acceptedNames"), `{"categories":["all"],"kind":"Widget","listKind":"WidgetList","plural":"widgets","shortNames":["wd"],"singular":"widget"}`)
	_, err := widgets(t, shared, group, "v1", ns).Create(within(t), widget(t, group, "v1", "a", "{x: 1}"), metav1.CreateOptions{})
	must(t, err)

	c := shared.curl(t)
	contains(t, string(c.do(t, "GET", "/apis/"+group+"/v1", "").body), `"name":"widgets"`, `"kind":"Widget"`, `"shortNames":["wd"]`, `"categories":["all"]`)
	contains(t, string(c.do(t, "GET", "/openapi/v3", "").body), `"apis/`+group+`/v1"`)
	contains(t, string(c.do(t, "GET", "/openapi/v3/apis/"+group+"/v1", "").body), `"test.served.v1.Widget"`)
	k, fresh := kubectl{shared, ns}, "--cache-dir="+t.TempDir()
	contains(t, k.run(t, fresh, "get", "wd.served.test"), "NAME", "AGE", "a ")
	contains(t, k.run(t, fresh, "get", "all"), "widget.served.test/a")
	contains(t, k.run(t, "get", "crd", "widgets."+group, "-o", "wide"), "SCOPE", "Namespaced", "v1(storage)", "Widget", "wd", "true")
	contains(t, k.run(t, "wait", "--for=condition=Established", "crd/widgets."+group), "condition met")
	contains(t, k.run(t, fresh, "explain", "--api-version=served.test/v1", "widget.spec"), "KIND:       Widget", "FIELD: spec <Object>")
}

func TestDefinitionIsValidated(t *testing.T) {
	client := shared.dynamic(t).Resource(definitions)
	for name, test := range map[string]struct{ versions, text string }{
		"no storage version":   {`[{name: v1, served: true, storage: false, ` + anySpec + `}]`, "must have exactly one version marked as storage version"},
		"no schema":            {`[{name: v1, served: true, storage: true}]`, "spec.versions[0].schema.openAPIV3Schema: Required value"},
		"not structural":       {`[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {}}}}}]`, "openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields"},
		"rule that is no CEL":  {`[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "self."}]}}}]`, "compilation failed"},
		"wrong type of a list": {`{name: v1}`, `json: cannot unmarshal object into field spec.versions of type []v1.CustomResourceDefinitionVersion`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Create(within(t), widgetDefinition(t, "invalid.test", test.versions), metav1.CreateOptions{})
			if err == nil {
				t.Fatal("it was taken")
			}
			contains(t, err.Error(), test.text)
		})
	}
	wrong := widgetDefinition(t, "invalid.test", `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	wrong.SetName("gadgets.invalid.test")
	_, err := client.Create(within(t), wrong, metav1.CreateOptions{})
	equal(t, "error", fmt.Sprint(err), `CustomResourceDefinition.apiextensions.k8s.io "gadgets.invalid.test" is invalid: metadata.name: Invalid value: "gadgets.invalid.test": must be spec.names.plural+"."+spec.group`)
}

func TestDefinitionConflictsOverNames(t *testing.T) {
	client := shared.dynamic(t).Resource(definitions)
	first := define(t, shared, widgetDefinition(t, "names.test", `[{name: v1, served: true, storage: true, `+anySpec+`}]`))
	second := widgetDefinition(t, "names.test", `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	second.SetName("gadgets.names.test")
	must(t, unstructured.SetNestedField(second.Object, "gadgets", "spec", "names", "plural"))
	got := define(t, shared, second)
	equal(t, "NamesAccepted", condition(got, "NamesAccepted"), `False ListKindConflict: "WidgetList" is already in use`)
	equal(t, "Established", condition(got, "Established"), "False NotAccepted: not all names are accepted")
	equal(t, "code", shared.curl(t).do(t, "GET", "/apis/names.test/v1/gadgets", "").code, 404)

	must(t, client.Delete(within(t), first.GetName(), metav1.DeleteOptions{}))
	eventually(t, "the names that became free", func() bool {
		now, err := client.Get(within(t), got.GetName(), metav1.GetOptions{})
		must(t, err)
		return strings.HasPrefix(condition(now, "Established"), "True")
	})
}

func TestDefinitionOfAPluginsResource(t *testing.T) {
	plural := parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: OtherTab}
  versions: [{name: v1, served: true, storage: true, `+anySpec+`}]`)
	got := define(t, shared, plural)
	contains(t, condition(got, "NamesAccepted"), `False`, `Conflict: "crontab`, `already in use by strategy plugin "crontabs"`)

	own := widgetDefinition(t, "stratagem.dev", `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	must(t, unstructured.SetNestedField(own.Object, "activations", "spec", "names", "plural"))
	own.SetName("activations.stratagem.dev")
	contains(t, condition(define(t, shared, own), "NamesAccepted"), `False PluralConflict: group "stratagem.dev" is the server's own`)
}

func TestDefinitionRefusesAPlugin(t *testing.T) {
	s := startServer(t, "--bundled-plugins=false")
	plural := parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions: [{name: v1, served: true, storage: true, `+anySpec+`}]`)
	equal(t, "Established", condition(define(t, s, plural), "Established"), "True InitialNamesAccepted: the initial names have been accepted")
	out, err := s.stratagem(t, "plugin", "push", "../bundle/files/crontabs.wasm", "--name", "crontabs")
	if err == nil {
		t.Error("the plugin was taken")
	}
	contains(t, out, `resource crontabs.example.com is defined by CustomResourceDefinition "crontabs.example.com"`)
}

func TestDefinitionTakesItsObjectsAlong(t *testing.T) {
	group, ns := "deleted.test", namespace(t, shared)
	client := shared.dynamic(t).Resource(definitions)
	definition := widgetDefinition(t, group, `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	name := define(t, shared, definition).GetName()
	objects := widgets(t, shared, group, "v1", ns)
	held := widget(t, group, "v1", "held", "{}")
	held.SetFinalizers([]string{"example.com/hold"})
	for _, obj := range []*unstructured.Unstructured{held, widget(t, group, "v1", "free", "{}")} {
		_, err := objects.Create(within(t), obj, metav1.CreateOptions{})
		must(t, err)
	}
	must(t, client.Delete(within(t), name, metav1.DeleteOptions{}))
	eventually(t, "the object that nothing holds is gone", func() bool {
		list, err := objects.List(within(t), metav1.ListOptions{})
		must(t, err)
		return len(list.Items) == 1 && list.Items[0].GetDeletionTimestamp() != nil
	})
	waiting, err := client.Get(within(t), name, metav1.GetOptions{})
	must(t, err)
	contains(t, condition(waiting, "Terminating"), "True InstanceDeletionInProgress: CustomResource deletion is in progress")
	_, err = objects.Create(within(t), widget(t, group, "v1", "late", "{}"), metav1.CreateOptions{})
	equal(t, "error", fmt.Sprint(err), `widgets.deleted.test "late" is forbidden: create not allowed while custom resource definition is terminating`)

	_, err = objects.Patch(within(t), "held", "application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(t, err)
	eventually(t, "the definition is gone", func() bool {
		return shared.curl(t).do(t, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"+name, "").code == 404
	})
	equal(t, "code", shared.curl(t).do(t, "GET", "/apis/"+group+"/v1/widgets", "").code, 404)
	define(t, shared, definition)
	list, err := objects.List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "objects of a definition that was made again", len(list.Items), 0)
}

// A resource that a definition has given back can be had by a plugin, and the other way round.
func TestResourcesChangeHands(t *testing.T) {
	s := startServer(t, "--bundled-plugins=false")
	definition := parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions: [{name: v1, served: true, storage: true, `+anySpec+`}]`)
	client := s.dynamic(t).Resource(definitions)
	gone := func() {
		t.Helper()
		must(t, client.Delete(within(t), "crontabs.example.com", metav1.DeleteOptions{}))
		eventually(t, "the definition is gone", func() bool {
			return s.curl(t).do(t, "GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/crontabs.example.com", "").code == 404
		})
	}
	for range 2 {
		contains(t, condition(define(t, s, definition), "Established"), "True")
		gone()
		eventually(t, "the plugin gets the resource", func() bool {
			_, err := s.stratagem(t, "plugin", "push", bundled("crontabs"), "--name", "crontabs")
			return err == nil
		})
		contains(t, condition(define(t, s, definition), "NamesAccepted"), `already in use by strategy plugin "crontabs"`)
		gone()
		must(t, s.dynamic(t).Resource(plugins).Delete(within(t), "crontabs", metav1.DeleteOptions{}))
	}
}

// Every sort of name can be in use, and a definition whose new names are is served under those that it has.
func TestDefinitionsKeepTheirNames(t *testing.T) {
	group, c := "allnames.test", shared.curl(t)
	versions := `[{name: v1, served: true, storage: true, ` + anySpec + `}]`
	define(t, shared, widgetDefinition(t, group, versions))
	gadgets := widgetDefinition(t, group, versions)
	gadgets.SetName("gadgets." + group)
	names := func(names string) map[string]any { return parse(t, names).Object }
	must(t, unstructured.SetNestedMap(gadgets.Object, names("{plural: gadgets, kind: Gadget, categories: [all]}"), "spec", "names"))
	define(t, shared, gadgets)
	client := shared.dynamic(t).Resource(definitions)
	for patch, want := range map[string]string{
		`{"shortNames":["gd","wd"]}`:   `False ShortNamesConflict: "wd" is already in use`,
		`{"shortNames":["widgets"]}`:   `False ShortNamesConflict: "widgets" is already in use`,
		`{"singular":"widget"}`:        `False SingularConflict: "widget" is already in use`,
		`{"categories":["all","own"]}`: `True NoConflicts: no conflicts found`,
	} {
		got, err := client.Patch(within(t), gadgets.GetName(), types.MergePatchType, []byte(`{"spec":{"names":`+patch+`}}`), metav1.PatchOptions{})
		must(t, err)
		equal(t, patch, condition(got, "NamesAccepted"), want)
		equal(t, patch+" leaves it served", condition(got, "Established"), "True InitialNamesAccepted: the initial names have been accepted")
		document := string(c.do(t, "GET", "/apis/"+group+"/v1", "").body)
		contains(t, document, `"name":"gadgets"`)
		equal(t, patch+" in discovery", strings.Contains(document, "own"), strings.HasPrefix(want, "True"))
		_, err = client.Patch(within(t), gadgets.GetName(), types.MergePatchType, []byte(`{"spec":{"names":{"shortNames":null,"singular":"gadget","categories":["all"]}}}`), metav1.PatchOptions{})
		must(t, err)
	}
}
