package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// rulesVersion is a version with all sorts of rules.
const rulesVersion = `
- name: v1
  served: true
  storage: true
  subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
  additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}, {name: Color, type: string, jsonPath: .spec.color, priority: 1}]
  selectableFields: [{jsonPath: .spec.color}]
  schema:
    openAPIV3Schema:
      type: object
      properties:
        spec:
          type: object
          required: [size]
          properties:
            size: {type: integer, minimum: 1, description: How large it is.}
            replicas: {type: integer}
            color: {type: string, default: red, enum: [red, blue], maxLength: 10}
            note: {type: string, nullable: true, default: none}
            port: {x-kubernetes-int-or-string: true}
            tags: {type: object, additionalProperties: {type: string, pattern: "^[a-z]+$"}}
            raw: {type: object, x-kubernetes-preserve-unknown-fields: true}
            template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
            ports:
              type: array
              x-kubernetes-list-type: map
              x-kubernetes-list-map-keys: [name]
              items: {type: object, required: [name], properties: {name: {type: string}, number: {type: integer, default: 80}}}
          x-kubernetes-validations:
          - {rule: "self.size < 10 || self.color == 'blue'", message: only blue ones are large}
          - {rule: "self.size >= oldSelf.size", messageExpression: "'no shrinking of ' + self.color", fieldPath: .size, reason: FieldValueForbidden}
        status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}, phase: {type: string, enum: [New, Done]}}}
`

// causes are the causes of a refusal as "field: message", sorted.
func causes(t *testing.T, err error) []string {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatalf("no Status: %v", err)
	}
	equal(t, "code", status.Status().Code, 422)
	var texts []string
	for _, c := range status.Status().Details.Causes {
		texts = append(texts, c.Field+": "+c.Message)
	}
	slices.Sort(texts)
	return texts
}

func TestCustomResourcesKeepTheirRules(t *testing.T) {
	group, ns := "rules.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(rulesVersion, "\n", "\n  ")))
	objects := widgets(t, shared, group, "v1", ns)
	for name, test := range map[string]struct {
		spec string
		want []string
	}{
		"types": {`{size: x, color: 5, tags: {a: 1}, ports: {}}`, []string{
			`<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
			`spec.color: Invalid value: "integer": spec.color in body must be of type string: "integer"`,
			`spec.color: Unsupported value: 5: supported values: "red", "blue"`,
			`spec.ports: Invalid value: "object": spec.ports in body must be of type array: "object"`,
			`spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`,
			`spec.tags.a: Invalid value: "integer": spec.tags.a in body must be of type string: "integer"`,
		}},
		"values": {`{size: 0, tags: {a: "1"}}`, []string{
			`spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1`,
			`spec.tags.a: Invalid value: "1": spec.tags.a in body should match '^[a-z]+$'`,
		}},
		"required": {`{}`, []string{
			`<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`,
			`spec.size: Required value`,
		}},
		"rule":      {`{size: 10}`, []string{`spec: Invalid value: only blue ones are large`}},
		"list keys": {`{size: 1, ports: [{name: a}, {name: a, number: 81}]}`, []string{`spec.ports[1]: Duplicate value: {"name":"a"}`}},
		"embedded":  {`{size: 1, template: {kind: Pod, apiVersion: v1, metadata: {labels: {"-": ""}}}}`, []string{`spec.template.metadata.labels: Invalid value: "-": name part must`}},
		"replicas":  {`{size: 1, replicas: -1}`, []string{`.spec.replicas: Invalid value: -1: should be a non-negative integer`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := objects.Create(within(t), widget(t, group, "v1", "bad", test.spec), metav1.CreateOptions{})
			if err == nil {
				t.Fatal("it was taken")
			}
			got := causes(t, err)
			if name == "embedded" {
				for _, text := range test.want {
					contains(t, strings.Join(got, "\n"), text)
				}
				return
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestCustomResourcesArePrunedAndDefaulted(t *testing.T) {
	group, ns := "defaults.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(rulesVersion, "\n", "\n  ")))
	objects := widgets(t, shared, group, "v1", ns)
	obj := widget(t, group, "v1", "a", `{size: 3, color: null, note: null, port: http, unknown: 1, raw: {x: [1]}, ports: [{name: a, extra: 1}]}`)
	must(t, unstructured.SetNestedField(obj.Object, "Done", "status", "phase"))
	got, err := objects.Create(within(t), obj, metav1.CreateOptions{})
	must(t, err)
	equal(t, "spec", raw(got, "spec"), `{"color":"red","note":null,"port":"http","ports":[{"name":"a","number":80}],"raw":{"x":[1]},"size":3}`)
	equal(t, "status", raw(got, "status"), `null`)
	equal(t, "generation", got.GetGeneration(), 1)

	_, err = objects.Create(within(t), widget(t, group, "v1", "b", `{size: 3, unknown: 1}`), metav1.CreateOptions{FieldValidation: "Strict"})
	contains(t, fmt.Sprint(err), `strict decoding error: unknown field "spec.unknown"`)

	_, err = objects.Patch(within(t), "a", types.MergePatchType, []byte(`{"spec":{"size":2}}`), metav1.PatchOptions{})
	if got := causes(t, err); !slices.Equal(got, []string{"spec.size: Forbidden: no shrinking of red"}) {
		t.Errorf("got %q", got)
	}
	_, err = objects.Update(within(t), widget(t, group, "v1", "a", `{size: 4}`), metav1.UpdateOptions{})
	contains(t, fmt.Sprint(err), "metadata.resourceVersion: Invalid value: 0: must be specified for an update")

	// The status has a way of its own, with rules of its own.
	_, err = objects.Patch(within(t), "a", types.MergePatchType, []byte(`{"status":{"phase":"Old"}}`), metav1.PatchOptions{}, "status")
	if got := causes(t, err); len(got) == 0 || got[len(got)-1] != `status.phase: Unsupported value: "Old": supported values: "New", "Done"` {
		t.Errorf("got %q", got)
	}
	got, err = objects.Patch(within(t), "a", types.MergePatchType, []byte(`{"status":{"phase":"New","replicas":2,"selector":"a=b"},"spec":{"size":9}}`), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "status", raw(got, "status"), `{"phase":"New","replicas":2,"selector":"a=b"}`)
	equal(t, "size", raw(got, "spec", "size"), "3")
	equal(t, "generation", got.GetGeneration(), 1)

	k := kubectl{shared, ns}
	k.run(t, "scale", "--replicas=4", "widgets.defaults.test/a")
	scale, err := objects.Get(within(t), "a", metav1.GetOptions{}, "scale")
	must(t, err)
	equal(t, "scale", raw(scale, "spec")+raw(scale, "status"), `{"replicas":4}{"replicas":2,"selector":"a=b"}`)
	got, err = objects.Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "generation after the scale", got.GetGeneration(), 2)

	contains(t, k.run(t, "get", "widgets.defaults.test"), "NAME   SIZE\n", "a      3")
	contains(t, k.run(t, "get", "widgets.defaults.test", "-o", "wide"), "NAME   SIZE   COLOR\n", "a      3      red")
	for color, n := range map[string]int{"red": 1, "blue": 0} {
		list, err := objects.List(within(t), metav1.ListOptions{FieldSelector: "spec.color=" + color})
		must(t, err)
		equal(t, color, len(list.Items), n)
	}
	_, err = objects.List(within(t), metav1.ListOptions{FieldSelector: "spec.size=3"})
	contains(t, fmt.Sprint(err), "field label not supported: spec.size")
	contains(t, k.run(t, "explain", "--api-version=defaults.test/v1", "widget.spec", "--recursive"), "color", "enum: red, blue", "ports\t<[]Object>", "size\t<integer> -required-")
}

// What an update leaves as it was may stay wrong when the rules have become stricter.
func TestCustomResourcesAreRatcheted(t *testing.T) {
	group, ns := "ratchet.test", namespace(t, shared)
	version := `[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string%s}, b: {type: string}}}}}}}]`
	got := define(t, shared, widgetDefinition(t, group, fmt.Sprintf(version, "")))
	objects := widgets(t, shared, group, "v1", ns)
	_, err := objects.Create(within(t), widget(t, group, "v1", "x", "{a: long}"), metav1.CreateOptions{})
	must(t, err)
	strict := widgetDefinition(t, group, fmt.Sprintf(version, ", maxLength: 2"))
	strict.SetResourceVersion(got.GetResourceVersion())
	_, err = shared.dynamic(t).Resource(definitions).Update(within(t), strict, metav1.UpdateOptions{})
	must(t, err)
	_, err = objects.Patch(within(t), "x", types.MergePatchType, []byte(`{"spec":{"b":"new"}}`), metav1.PatchOptions{})
	must(t, err)
	_, err = objects.Patch(within(t), "x", types.MergePatchType, []byte(`{"spec":{"a":"other"}}`), metav1.PatchOptions{})
	if got := causes(t, err); !slices.Equal(got, []string{"spec.a: Too long: may not be more than 2 bytes"}) {
		t.Errorf("got %q", got)
	}
}

func TestSubresourcesOfSomeVersions(t *testing.T) {
	group, ns, c := "partly.test", namespace(t, shared), shared.curl(t)
	define(t, shared, widgetDefinition(t, group, `[{name: v1, served: true, storage: true, subresources: {status: {}}, `+anySpec+`}, {name: v1beta1, served: true, storage: false, `+anySpec+`}]`))
	_, err := widgets(t, shared, group, "v1", ns).Create(within(t), widget(t, group, "v1", "a", "{}"), metav1.CreateOptions{})
	must(t, err)
	for version, want := range map[string]int{"v1": 200, "v1beta1": 404} {
		equal(t, version, c.do(t, "GET", "/apis/"+group+"/"+version+"/namespaces/"+ns+"/widgets/a/status", "").code, want)
		equal(t, version+" in discovery", strings.Contains(string(c.do(t, "GET", "/apis/"+group+"/"+version, "").body), "widgets/status"), want == 200)
		equal(t, version+" in OpenAPI", strings.Contains(string(c.do(t, "GET", "/openapi/v3/apis/"+group+"/"+version, "").body), "widgets/{name}/status"), want == 200)
	}
}

// A version whose status has no subresource has an ordinary field of that name, whatever others have.
func TestStatusOfSomeVersions(t *testing.T) {
	group, ns := "statuses.test", namespace(t, shared)
	const schema = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}"
	define(t, shared, widgetDefinition(t, group, `[{name: v1, served: true, storage: true, subresources: {status: {}}, `+schema+`}, {name: v1beta1, served: true, storage: false, `+schema+`}]`))
	for version, test := range map[string]struct {
		created, patched string
		generation       int64
		status           bool
	}{
		"v1":      {"null", "null", 1, false},
		"v1beta1": {`{"phase":"New"}`, `{"phase":"Done"}`, 2, true},
	} {
		objects := widgets(t, shared, group, version, ns)
		obj := widget(t, group, version, "of-"+version, "{}")
		must(t, unstructured.SetNestedField(obj.Object, "New", "status", "phase"))
		got, err := objects.Create(within(t), obj, metav1.CreateOptions{FieldManager: "maker"})
		must(t, err)
		equal(t, version+" created", raw(got, "status"), test.created)
		equal(t, version+": the maker owns the status", strings.Contains(raw(got, "metadata", "managedFields"), "f:status"), test.status)
		got, err = objects.Patch(within(t), obj.GetName(), types.MergePatchType, []byte(`{"status":{"phase":"Done"}}`), metav1.PatchOptions{})
		must(t, err)
		equal(t, version+" patched", raw(got, "status"), test.patched)
		equal(t, version+" generation", got.GetGeneration(), test.generation)
	}
	// What v1beta1 has written is kept by writes of v1, and v1's own subresource writes it.
	objects := widgets(t, shared, group, "v1", ns)
	got, err := objects.Patch(within(t), "of-v1beta1", types.MergePatchType, []byte(`{"spec":{"a":1},"status":null}`), metav1.PatchOptions{})
	must(t, err)
	equal(t, "kept", raw(got, "status"), `{"phase":"Done"}`)
	got, err = objects.Patch(within(t), "of-v1beta1", types.MergePatchType, []byte(`{"status":{"phase":"Old"}}`), metav1.PatchOptions{}, "status")
	must(t, err)
	equal(t, "written", raw(got, "status"), `{"phase":"Old"}`)
	equal(t, "generation", got.GetGeneration(), 3)
}

// Custom resources are applied by client and by server, merged as their schema says.
func TestCustomResourcesAreApplied(t *testing.T) {
	group, ns := "applied.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(rulesVersion, "\n", "\n  ")))
	objects, k := widgets(t, shared, group, "v1", ns), kubectl{shared, ns}
	manifest := func(ports string) string {
		return fmt.Sprintf("{apiVersion: %s/v1, kind: Widget, metadata: {name: a}, spec: {size: 1, ports: %s}}", group, ports)
	}
	cache := "--cache-dir=" + t.TempDir()
	contains(t, k.feed(t, manifest("[{name: a, number: 1}]"), cache, "apply", "-f", "-"), "created")
	contains(t, k.feed(t, manifest("[{name: a, number: 1}]"), cache, "apply", "-f", "-"), "unchanged")
	contains(t, k.feed(t, manifest("[{name: a, number: 2}]"), cache, "apply", "-f", "-"), "configured")
	apply := func(ports string) (*unstructured.Unstructured, error) {
		return objects.Apply(within(t), "a", parse(t, manifest(ports)), metav1.ApplyOptions{FieldManager: "other"})
	}
	got, err := apply("[{name: b}]")
	must(t, err)
	equal(t, "ports", raw(got, "spec", "ports"), `[{"name":"a","number":2},{"name":"b","number":80}]`)
	_, err = apply("[{name: a, number: 3}]")
	contains(t, fmt.Sprint(err), `conflict with "kubectl-client-side-apply"`, `.spec.ports[name="a"].number`)
}
