package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Each version has selectable fields, a scale and columns of its own, whatever others have.
func TestPartsOfVersions(t *testing.T) {
	group, ns, c := "parts.test", namespace(t, shared), shared.curl(t)
	const schema = "schema: {openAPIV3Schema: {type: object, description: %s, properties: {spec: {type: object, properties: {color: {type: string}, size: {type: string}, replicas: {type: integer}, count: {type: integer}}}, status: {type: object, properties: {replicas: {type: integer}}}}}}"
	// Kubernetes refuses selectable fields where all versions have the same schema.
	define(t, shared, widgetDefinition(t, group, fmt.Sprintf(`[
    {name: v1, served: true, storage: true, subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}},
     selectableFields: [{jsonPath: .spec.color}], additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}], `+schema+`},
    {name: v1beta1, served: true, storage: false, subresources: {scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.replicas}},
     selectableFields: [{jsonPath: .spec.size}], additionalPrinterColumns: [{name: Size, type: string, jsonPath: .spec.size}], `+schema+`},
    {name: v1alpha1, served: true, storage: false, `+schema+`}]`, "One", "Two", "Three")))
	_, err := widgets(t, shared, group, "v1", ns).Create(within(t), widget(t, group, "v1", "a", "{color: red, size: large, replicas: 1, count: 5}"), metav1.CreateOptions{})
	must(t, err)
	for _, test := range []struct {
		version, fields string
		want            string
	}{
		{"v1", "spec.color=red", ""}, {"v1", "spec.size=large", "field label not supported: spec.size"},
		{"v1beta1", "spec.size=large", ""}, {"v1beta1", "spec.color=red", "field label not supported: spec.color"},
		{"v1alpha1", "spec.color=red", "field label not supported: spec.color"}, {"v1alpha1", "metadata.name=a", ""},
	} {
		list, err := widgets(t, shared, group, test.version, ns).List(within(t), metav1.ListOptions{FieldSelector: test.fields})
		if test.want == "" {
			must(t, err)
			equal(t, test.version+" "+test.fields, len(list.Items), 1)
			continue
		}
		contains(t, fmt.Sprint(err), test.want)
		_, err = widgets(t, shared, group, test.version, ns).Watch(t.Context(), metav1.ListOptions{FieldSelector: test.fields})
		contains(t, fmt.Sprint(err), test.want)
	}
	for version, replicas := range map[string]string{"v1": "1", "v1beta1": "5"} {
		scale, err := widgets(t, shared, group, version, ns).Get(within(t), "a", metav1.GetOptions{}, "scale")
		must(t, err)
		equal(t, version, raw(scale, "spec", "replicas"), replicas)
	}
	equal(t, "scale of a version without", c.do(t, "GET", "/apis/"+group+"/v1alpha1/namespaces/"+ns+"/widgets/a/scale", "").code, 404)
	_, err = widgets(t, shared, group, "v1beta1", ns).Patch(within(t), "a", types.MergePatchType, []byte(`{"spec":{"replicas":7}}`), metav1.PatchOptions{}, "scale")
	must(t, err)
	got, err := widgets(t, shared, group, "v1", ns).Get(within(t), "a", metav1.GetOptions{})
	must(t, err)
	equal(t, "spec", raw(got, "spec"), `{"color":"red","count":7,"replicas":1,"size":"large"}`)

	k := kubectl{shared, ns}
	contains(t, k.run(t, "get", "widgets.v1.parts.test"), "NAME   COLOR\n", "a      red")
	contains(t, k.run(t, "get", "widgets.v1beta1.parts.test"), "NAME   SIZE\n", "a      large")
	contains(t, k.run(t, "get", "widgets.v1alpha1.parts.test"), "NAME   AGE\n")
	for version, want := range map[string]string{"v1": `"x-kubernetes-selectable-fields":[{"fieldPath":"spec.color"}]`, "v1beta1": `"x-kubernetes-selectable-fields":[{"fieldPath":"spec.size"}]`, "v1alpha1": ""} {
		document := string(c.do(t, "GET", "/openapi/v3/apis/"+group+"/"+version, "").body)
		if want == "" {
			equal(t, version+" has selectable fields", strings.Contains(document, "selectable-fields"), false)
			continue
		}
		contains(t, document, want)
	}
}
