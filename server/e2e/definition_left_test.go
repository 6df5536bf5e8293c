package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// leftDefinition is a definition as a kube-apiserver has left it in etcd, from before schemas had to be structural.
const leftDefinition = `{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","metadata":{"name":"widgets.left.test","uid":"7d9607e1-f88f-11e6-a518-42010a800195","generation":1,"creationTimestamp":"2019-01-01T00:00:00Z"},` +
	`"spec":{"group":"left.test","version":"v1","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"scope":"Namespaced",%s"versions":[{"name":"v1","served":true,"storage":true}],"conversion":{"strategy":"None"},"preserveUnknownFields":true},` +
	`"status":{"conditions":[{"type":"NamesAccepted","status":"True","lastTransitionTime":"2019-01-01T00:00:00Z","reason":"NoConflicts","message":"no conflicts found"},{"type":"Established","status":"True","lastTransitionTime":"2019-01-01T00:00:00Z","reason":"InitialNamesAccepted","message":"the initial names have been accepted"}],` +
	`"acceptedNames":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"storedVersions":["v1"]}}`

// Definitions that a kube-apiserver has left are served as it served them, though nobody could make them any more.
func TestDefinitionsLeftByKubernetes(t *testing.T) {
	for name, test := range map[string]struct{ validation, refused string }{
		"without a schema": {},
		"with one that is not structural": {
			`"validation":{"openAPIV3Schema":{"properties":{"spec":{"properties":{"a":{"type":"string","maxLength":2}}}}}},`,
			"spec.a: Too long: may not be more than 2 bytes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := startEtcd(t)
			put := func(key, value string) {
				_, err := db.Client().Put(within(t), key, value)
				must(t, err)
			}
			put("/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.left.test", fmt.Sprintf(leftDefinition, test.validation))
			put("/registry/left.test/widgets/default/old", `{"apiVersion":"left.test/v1","kind":"Widget","metadata":{"name":"old","namespace":"default","uid":"8d9607e1-f88f-11e6-a518-42010a800195","generation":1,"creationTimestamp":"2019-01-01T00:00:00Z"},"spec":{"a":"long","any":{"b":[1,null]}}}`)
			s := startReplica(t, db, "--bundled-plugins=false")
			client, objects := s.dynamic(t).Resource(definitions), widgets(t, s, "left.test", "v1", "default")
			eventually(t, "the condition", func() bool {
				got, err := client.Get(within(t), "widgets.left.test", metav1.GetOptions{})
				must(t, err)
				return strings.HasPrefix(condition(got, "NonStructuralSchema"), "True Violations: ")
			})
			got, err := client.Get(within(t), "widgets.left.test", metav1.GetOptions{})
			must(t, err)
			contains(t, condition(got, "NonStructuralSchema"), "spec.preserveUnknownFields: Invalid value: true: must be false")
			if test.validation != "" {
				contains(t, condition(got, "NonStructuralSchema"), "openAPIV3Schema.type: Required value: must not be empty at the root")
			}
			equal(t, "preserveUnknownFields", raw(got, "spec", "preserveUnknownFields"), "true")

			old, err := objects.Get(within(t), "old", metav1.GetOptions{})
			must(t, err)
			equal(t, "what was stored", raw(old, "spec"), `{"a":"long","any":{"b":[1,null]}}`)
			made, err := objects.Create(within(t), widget(t, "left.test", "v1", "new", "{a: x, b: {c: null}, d: [1]}"), metav1.CreateOptions{})
			must(t, err)
			equal(t, "nothing is pruned", raw(made, "spec"), `{"a":"x","b":{"c":null},"d":[1]}`)
			_, err = objects.Patch(within(t), "new", types.MergePatchType, []byte(`{"spec":{"a":"long"}}`), metav1.PatchOptions{})
			if test.refused == "" {
				must(t, err)
			} else {
				contains(t, strings.Join(causes(t, err), "\n"), test.refused)
			}
			// It can be written on as it is, and made structural.
			_, err = client.Patch(within(t), "widgets.left.test", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
			must(t, err)
			item, err := db.Client().Get(within(t), "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.left.test")
			must(t, err)
			contains(t, string(item.Kvs[0].Value), `"apiVersion":"apiextensions.k8s.io/v1beta1"`, `"preserveUnknownFields":true`)
			got, err = client.Patch(within(t), "widgets.left.test", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/preserveUnknownFields","value":false},{"op":"add","path":"/spec/versions/0/schema","value":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]`), metav1.PatchOptions{})
			must(t, err)
			equal(t, "the condition goes", condition(got, "NonStructuralSchema"), "none")
			old, err = objects.Get(within(t), "old", metav1.GetOptions{})
			must(t, err)
			equal(t, "pruned when read", raw(old, "spec"), `{"a":"long"}`)
		})
	}
}
