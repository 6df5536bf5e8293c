package e2e

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// valuesVersion is a version with the fields that schemas treat in ways of their own.
const valuesVersion = `
- name: v1
  served: true
  storage: true
  schema:
    openAPIV3Schema:
      type: object
      properties:
        spec:
          type: object
          properties:
            plain: {type: string}
            defaulted: {type: string, default: d}
            nullable: {type: string, nullable: true}
            both: {type: string, nullable: true, default: d}
            strings: {type: array, items: {type: string}}
            nullables: {type: array, items: {type: string, nullable: true}}
            map: {type: object, additionalProperties: {type: string}}
            port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
            open:
              type: object
              x-kubernetes-preserve-unknown-fields: true
              properties: {known: {type: object, properties: {a: {type: string}}}, list: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
            closed: {type: object, properties: {open: {x-kubernetes-preserve-unknown-fields: true}}}
            embedded: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object, properties: {a: {type: string}}}}}
            set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
            map1: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name, port], items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer, default: 80}, v: {type: string}}}}
            atomic: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}
            struct: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: string}, b: {type: string}}}
            deep: {type: object, default: {}, properties: {a: {type: object, default: {b: c}, properties: {b: {type: string}, d: {type: integer, default: 1}}}}}
`

// Objects are completed as Kubernetes completes them: nulls, pruning at each level, defaults inside defaults.
func TestValuesAreCompleted(t *testing.T) {
	group, ns := "values.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(valuesVersion, "\n", "\n  ")))
	objects, n := widgets(t, shared, group, "v1", ns), 0
	const rest = `,"deep":{"a":{"b":"c","d":1}},"defaulted":"d"}`
	for spec, want := range map[string]string{
		`{}`: `{"both":"d"` + rest,
		`{plain: null, defaulted: null, nullable: null, both: null}`: `{"both":null,"deep":{"a":{"b":"c","d":1}},"defaulted":"d","nullable":null}`,
		`{both: x, nullables: [null, a], map: {a: null, b: x}}`:      `{"both":"x","deep":{"a":{"b":"c","d":1}},"defaulted":"d","map":{"b":"x"},"nullables":[null,"a"]}`,
		`{port: 80}`:                    `{"both":"d","deep":{"a":{"b":"c","d":1}},"defaulted":"d","port":80}`,
		`{port: "80%"}`:                 `{"both":"d","deep":{"a":{"b":"c","d":1}},"defaulted":"d","port":"80%"}`,
		`{deep: {a: {}}, defaulted: e}`: `{"both":"d","deep":{"a":{"d":1}},"defaulted":"e"}`,
		`{gone: 1, open: {kept: {x: 1}, known: {a: b, gone: 1}, list: [{x: {z: 1}}]}, closed: {gone: 1, open: [{x: 1}]}}`:       `{"both":"d","closed":{"open":[{"x":1}]},"deep":{"a":{"b":"c","d":1}},"defaulted":"d","open":{"kept":{"x":1},"known":{"a":"b"},"list":[{"x":{"z":1}}]}}`,
		`{embedded: {apiVersion: v1, kind: Pod, gone: 1, metadata: {name: a, gone: 1, labels: {a: b}}, spec: {a: b, gone: 1}}}`: `{"both":"d","deep":{"a":{"b":"c","d":1}},"defaulted":"d","embedded":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"},"name":"a"},"spec":{"a":"b"}}}`,
		`{atomic: [a, a], set: [a, b], map1: [{name: a}, {name: a, port: 81}]}`:                                                 `{"atomic":["a","a"],"both":"d","deep":{"a":{"b":"c","d":1}},"defaulted":"d","map1":[{"name":"a","port":80},{"name":"a","port":81}],"set":["a","b"]}`,
	} {
		n++
		got, err := objects.Create(within(t), widget(t, group, "v1", fmt.Sprint("w", n), spec), metav1.CreateOptions{})
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		equal(t, spec, raw(got, "spec"), want)
	}
}

// What is wrong with a value is told with its full path.
func TestValuesAreValidated(t *testing.T) {
	group, ns := "wrongvalues.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(valuesVersion, "\n", "\n  ")))
	objects := widgets(t, shared, group, "v1", ns)
	for spec, want := range map[string]string{
		`{strings: [a, null]}`: `spec.strings[1]: Invalid value: "null": spec.strings[1] in body must be of type string: "null"`,
		`{port: true}`:         `spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"`,
		`{port: 1.5}`:          `spec.port: Invalid value: "number": spec.port in body must be of type integer,string: "number"`,
		`{set: [a, b, a]}`:     `spec.set[2]: Duplicate value: "a"`,
		`{map1: [{name: a}, {name: a, port: 80}]}`:                                          `spec.map1[1]: Duplicate value: {"name":"a","port":80}`,
		`{map1: [{port: 1}]}`:                                                               `spec.map1[0].name: Required value`,
		`{embedded: {metadata: {name: a}}}`:                                                 "spec.embedded.apiVersion: Required value\nspec.embedded.kind: Required value",
		`{embedded: {apiVersion: a/b/c, kind: Pod}}`:                                        `spec.embedded.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
		`{embedded: {apiVersion: v1, kind: P_d}}`:                                           `spec.embedded.kind: Invalid value: "P_d": may have mixed case, but should otherwise match: a DNS-1035 label`,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {name: a/b}}}`:                    `spec.embedded.metadata.name: Invalid value: "a/b": may not contain '/'`,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {namespace: A b}}}`:               `spec.embedded.metadata.namespace: Invalid value: "A b": a lowercase RFC 1123 label`,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {annotations: {"a b": c}}}}`:      `spec.embedded.metadata.annotations: Invalid value: "a b": `,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {finalizers: ["a b"]}}}`:          `spec.embedded.metadata.finalizers: Invalid value: "a b": `,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {generation: -1}}}`:               `spec.embedded.metadata.generation: Invalid value: -1: must be greater than or equal to 0`,
		`{embedded: {apiVersion: v1, kind: Pod, metadata: {ownerReferences: [{name: a}]}}}`: `spec.embedded.metadata.ownerReferences[0].apiVersion: Required value: must not be empty`,
	} {
		_, err := objects.Create(within(t), widget(t, group, "v1", "bad", spec), metav1.CreateOptions{DryRun: []string{"All"}})
		if err == nil {
			t.Errorf("%s: it was taken", spec)
			continue
		}
		text := strings.Join(causes(t, err), "\n")
		if !strings.Contains(text, want) {
			t.Errorf("%s\ngot  %s\nwant %s", spec, text, want)
		}
	}
	// Metadata that is not even of the right types is no metadata: 400.
	_, err := objects.Create(within(t), widget(t, group, "v1", "bad", `{embedded: {apiVersion: v1, kind: Pod, metadata: {labels: [a]}}}`), metav1.CreateOptions{})
	contains(t, fmt.Sprint(err), `Widget in version "v1" cannot be handled as a Widget: `, "labels")
	equal(t, "a bad request", apierrors.IsBadRequest(err), true)
}

// Lists and maps have one owner or many, as their types say.
func TestListTypesDecideOnOwners(t *testing.T) {
	group, ns := "owners.test", namespace(t, shared)
	define(t, shared, widgetDefinition(t, group, strings.ReplaceAll(valuesVersion, "\n", "\n  ")))
	objects := widgets(t, shared, group, "v1", ns)
	apply := func(manager, spec string) error {
		_, err := objects.Apply(within(t), "a", widget(t, group, "v1", "a", spec), metav1.ApplyOptions{FieldManager: manager})
		return err
	}
	must(t, apply("one", `{set: [a], map1: [{name: a, v: x}], atomic: [a], struct: {a: x}, map: {a: x}}`))
	must(t, apply("two", `{set: [b], map1: [{name: b, v: z}], map: {b: z}}`))
	got, err := objects.Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "merged", raw(got, "spec", "set")+raw(got, "spec", "map1")+raw(got, "spec", "map"), `["a","b"][{"name":"a","port":80,"v":"x"},{"name":"b","port":80,"v":"z"}]{"a":"x","b":"z"}`)
	for spec, field := range map[string]string{`{atomic: [b]}`: ".spec.atomic", `{struct: {b: z}}`: ".spec.struct", `{map1: [{name: a, v: z}]}`: `.spec.map1[name="a",port=80].v`} {
		contains(t, fmt.Sprint(apply("three", spec)), `conflict with "one": `+field)
	}
	must(t, apply("one", `{atomic: [c], struct: {b: z}}`))
	got, err = objects.Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "what is left", raw(got, "spec", "set")+raw(got, "spec", "map1")+raw(got, "spec", "atomic")+raw(got, "spec", "struct"), `["b"][{"name":"b","port":80,"v":"z"}]["c"]{"b":"z"}`)
}

// What is stored is pruned, and completed, by the schema that there is when it is read.
func TestStoredValuesAreCompleted(t *testing.T) {
	group, ns := "storedvalues.test", namespace(t, shared)
	version := `[{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {%s}}}}}}]`
	made := define(t, shared, widgetDefinition(t, group, fmt.Sprintf(version, "a: {type: string}, open: {type: object, x-kubernetes-preserve-unknown-fields: true}")))
	objects := widgets(t, shared, group, "v1", ns)
	written, err := objects.Create(within(t), widget(t, group, "v1", "x", `{a: x, open: {kept: 1, known: {gone: 1}}}`), metav1.CreateOptions{})
	must(t, err)
	next := widgetDefinition(t, group, fmt.Sprintf(version, "b: {type: object, default: {c: 1}, properties: {c: {type: integer}, d: {type: integer, default: 2}}}, open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: object, properties: {e: {type: string, default: f}}}}}"))
	next.SetResourceVersion(made.GetResourceVersion())
	_, err = shared.dynamic(t).Resource(definitions).Update(within(t), next, metav1.UpdateOptions{})
	must(t, err)
	const want = `{"b":{"c":1,"d":2},"open":{"kept":1,"known":{"e":"f"}}}`
	got, err := objects.Get(within(t), "x", metav1.GetOptions{})
	must(t, err)
	equal(t, "read", raw(got, "spec"), want)
	equal(t, "resourceVersion", got.GetResourceVersion(), written.GetResourceVersion())
	list, err := objects.List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "listed", raw(&list.Items[0], "spec"), want)
	watch, err := objects.Watch(t.Context(), metav1.ListOptions{})
	must(t, err)
	defer watch.Stop()
	equal(t, "watched", raw((<-watch.ResultChan()).Object.(*unstructured.Unstructured), "spec"), want)
	got, err = objects.Patch(within(t), "x", types.MergePatchType, []byte(`{"spec":{"b":{"c":5}}}`), metav1.PatchOptions{})
	must(t, err)
	equal(t, "patched", raw(got, "spec"), `{"b":{"c":5,"d":2},"open":{"kept":1,"known":{"e":"f"}}}`)
}
