package e2e

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Groups of the Kubernetes community need its word, in an annotation that the condition tells of.
func TestDefinitionsOfProtectedGroups(t *testing.T) {
	client := shared.dynamic(t).Resource(definitions)
	definition := widgetDefinition(t, "shapes.x-k8s.io", `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	equal(t, "a group that is free", condition(define(t, shared, definition), "KubernetesAPIApprovalPolicyConformant"), "none")
	definition = widgetDefinition(t, "shapes.k8s.io", `[{name: v1, served: true, storage: true, `+anySpec+`}]`)
	_, err := client.Create(within(t), definition, metav1.CreateOptions{})
	contains(t, fmt.Sprint(err), "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation")
	definition.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"})
	equal(t, "approved", condition(define(t, shared, definition), "KubernetesAPIApprovalPolicyConformant"),
		"True ApprovedAnnotation: approved in https://github.com/kubernetes/kubernetes/pull/1")
	got, err := client.Patch(within(t), definition.GetName(), types.MergePatchType, []byte(`{"metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, experimental-only"}}}`), metav1.PatchOptions{})
	must(t, err)
	equal(t, "unapproved", condition(got, "KubernetesAPIApprovalPolicyConformant"), `False UnapprovedAnnotation: not approved: "unapproved, experimental-only"`)
	_, err = client.Patch(within(t), definition.GetName(), types.MergePatchType, []byte(`{"metadata":{"annotations":{"api-approved.kubernetes.io":"yes"}}}`), metav1.PatchOptions{})
	contains(t, fmt.Sprint(err), `metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes"`)
}

// Manifests in v1beta1 keep v1's rules: what these refuse is refused by name, and nothing of it is stored.
func TestDefinitionsInV1beta1(t *testing.T) {
	gvr := definitions
	gvr.Version = "v1beta1"
	client := shared.dynamic(t).Resource(gvr)
	manifest := func(spec string) error {
		_, err := client.Create(within(t), parse(t, "{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition, metadata: {name: widgets.old.test}, spec: {group: old.test, scope: Namespaced, names: {plural: widgets, kind: Widget}, "+spec+"}}"), metav1.CreateOptions{})
		return err
	}
	const schema = "validation: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}"
	for spec, want := range map[string]string{
		"version: v1": "spec.versions[0].schema.openAPIV3Schema: Required value",
		"version: v1, preserveUnknownFields: true, " + schema:                                                 "spec.preserveUnknownFields: Invalid value: true: cannot set to true",
		"version: v1, validation: {openAPIV3Schema: {properties: {spec: {properties: {a: {type: string}}}}}}": "openAPIV3Schema.type: Required value: must not be empty at the root",
	} {
		err := manifest(spec)
		if err == nil {
			t.Errorf("%s: it was taken", spec)
			must(t, client.Delete(within(t), "widgets.old.test", metav1.DeleteOptions{}))
			continue
		}
		contains(t, err.Error(), "is invalid: ", want)
	}
	// The forms that only v1beta1 has are taken: one version, and what holds of all versions said once.
	must(t, manifest("version: v1, subresources: {status: {}}, additionalPrinterColumns: [{name: A, type: string, JSONPath: .spec.a}], "+schema))
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		_ = client.Delete(ctx, "widgets.old.test", metav1.DeleteOptions{})
	})
	got, err := shared.dynamic(t).Resource(definitions).Get(within(t), "widgets.old.test", metav1.GetOptions{})
	must(t, err)
	equal(t, "NonStructuralSchema", condition(got, "NonStructuralSchema"), "none")
	equal(t, "versions", raw(got, "spec", "versions"), `[{"additionalPrinterColumns":[{"jsonPath":".spec.a","name":"A","type":"string"}],"name":"v1","schema":{"openAPIV3Schema":{"properties":{"spec":{"properties":{"a":{"type":"string"}},"type":"object"}},"type":"object"}},"served":true,"storage":true,"subresources":{"status":{}}}]`)
}
