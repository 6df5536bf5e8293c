package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	autoscalingapply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
)

// web is a Deployment as its owner writes it down.
func web(replicas int) string {
	return fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":%d,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
		{"name":"nginx","image":"nginx:1.14.2","ports":[{"containerPort":80}]}]}}}}`, replicas)
}

// owners lists who manages an object: manager, operation and subresource, as its managedFields have them.
func owners(t *testing.T, k kubectl, object string) string {
	t.Helper()
	var obj metav1.PartialObjectMetadata
	must(t, json.Unmarshal([]byte(k.run(t, "get", object, "-o", "json", "--show-managed-fields")), &obj))
	var list []string
	for _, e := range obj.ManagedFields {
		if e.Time == nil || e.FieldsType != "FieldsV1" || e.FieldsV1 == nil {
			t.Errorf("an entry is not complete: %v", e)
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintf("%s %s %s", e.Manager, e.Operation, e.Subresource), " "))
	}
	slices.Sort(list) // they come in the order of their times
	return strings.Join(list, ", ")
}

func TestApplyServerSide(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "create", k.feed(t, web(3), "apply", "--server-side", "-f", "-"), "deployment.apps/web serverside-applied\n")
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl Apply")
	version := k.run(t, "get", "deploy/web", "-o", "jsonpath={.metadata.resourceVersion}")
	k.feed(t, web(3), "apply", "--server-side", "-f", "-")
	equal(t, "the version after an apply that changes nothing", k.run(t, "get", "deploy/web", "-o", "jsonpath={.metadata.resourceVersion}"), version)

	k.run(t, "scale", "deploy/web", "--replicas=5")
	text := k.refused(t, web(3), "apply", "--server-side", "-f", "-")
	contains(t, text, `error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas`)
	equal(t, "replicas", k.run(t, "get", "deploy/web", "-o", "jsonpath={.spec.replicas}"), "5")

	k.feed(t, web(3), "apply", "--server-side", "--force-conflicts", "-f", "-")
	equal(t, "replicas", k.run(t, "get", "deploy/web", "-o", "jsonpath={.spec.replicas}"), "3")
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl Apply")

	// What is no longer applied goes; what others own stays.
	k.run(t, "label", "deploy/web", "tier=front")
	k.feed(t, strings.Replace(web(3), `{"app":"web"}}`, `{"app":"web","extra":"yes"}}`, 1), "apply", "--server-side", "-f", "-")
	k.feed(t, web(3), "apply", "--server-side", "-f", "-")
	equal(t, "labels", k.run(t, "get", "deploy/web", "-o", "jsonpath={.metadata.labels}"), `{"app":"web","tier":"front"}`)
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl Apply, kubectl-label Update")
}

func TestApplyServerSideDryRun(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "apply", k.feed(t, web(3), "apply", "--server-side", "--dry-run=server", "-f", "-"), "deployment.apps/web serverside-applied (server dry run)\n")
	contains(t, k.refused(t, "", "get", "deploy/web"), `deployments.apps "web" not found`)
	k.feed(t, web(3), "apply", "--server-side", "-f", "-")
	r := k.try(t, web(4), "diff", "--server-side", "-f", "-")
	contains(t, r.stdout, "-  replicas: 3", "+  replicas: 4")
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl Apply")
}

func TestApplyServerSideAfterClientSide(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.feed(t, web(3), "apply", "-f", "-")
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl-client-side-apply Update")
	k.feed(t, web(4), "apply", "--server-side", "-f", "-")
	contains(t, owners(t, k, "deploy/web"), "kubectl Apply")
	contains(t, k.run(t, "get", "deploy/web", "-o", "json"), "last-applied-configuration", `\"replicas\":4`)
}

func TestManagersOfUpdates(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.feed(t, web(3), "create", "-f", "-")
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl-create Update")
	k.run(t, "patch", "deploy/web", "--type=merge", "-p", `{"metadata":{"annotations":{"a":"b"}}}`)
	k.run(t, "patch", "deploy/web", "--subresource=status", "--type=merge", "-p", `{"status":{"replicas":3}}`)
	equal(t, "owners", owners(t, k, "deploy/web"), "kubectl-create Update, kubectl-patch Update, kubectl-patch Update status")

	client := shared.typed(t).AppsV1().Deployments(k.namespace)
	_, err := client.Patch(within(t), "web", types.MergePatchType, []byte(`{"spec":{"paused":true}}`), metav1.PatchOptions{})
	must(t, err)
	contains(t, owners(t, k, "deploy/web"), "e2e.test Update")
}

func TestApplyThroughClients(t *testing.T) {
	ns := namespace(t, shared)
	client := shared.typed(t).AppsV1().Deployments(ns)
	var config appsapply.DeploymentApplyConfiguration
	must(t, json.Unmarshal([]byte(web(3)), &config))
	one, two := metav1.ApplyOptions{FieldManager: "one"}, metav1.ApplyOptions{FieldManager: "two"}
	_, err := client.Apply(within(t), &config, one)
	must(t, err)

	other := appsapply.Deployment("web", ns).WithLabels(map[string]string{"app": "other"}).WithSpec(appsapply.DeploymentSpec().WithReplicas(4))
	_, err = client.Apply(within(t), other, two)
	if !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	status := err.(apierrors.APIStatus).Status()
	equal(t, "message", status.Message, "Apply failed with 2 conflicts: conflicts with \"one\":\n- .metadata.labels.app\n- .spec.replicas")
	equal(t, "causes", fmt.Sprint(status.Details.Causes), fmt.Sprint([]metav1.StatusCause{
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "one"`, Field: ".metadata.labels.app"},
		{Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "one"`, Field: ".spec.replicas"},
	}))

	ready := appsapply.Deployment("web", ns).WithStatus(appsapply.DeploymentStatus().WithReplicas(3))
	applied, err := client.ApplyStatus(within(t), ready, two)
	must(t, err)
	equal(t, "status.replicas", applied.Status.Replicas, 3)

	scale := autoscalingapply.Scale().WithName("web").WithSpec(autoscalingapply.ScaleSpec().WithReplicas(7))
	if _, err = client.ApplyScale(within(t), "web", scale, two); !apierrors.IsConflict(err) {
		t.Fatalf("got %v, want a conflict", err)
	}
	two.Force = true
	scaled, err := client.ApplyScale(within(t), "web", scale, two)
	must(t, err)
	equal(t, "replicas", scaled.Spec.Replicas, 7)
	equal(t, "owners", owners(t, kubectl{shared, ns}, "deploy/web"), "one Apply, two Apply scale, two Apply status")
}

func TestApplyRefuses(t *testing.T) {
	ns := namespace(t, shared)
	rest := shared.typed(t).AppsV1().RESTClient()
	patch := func(body string, params ...string) string {
		request := rest.Patch(types.ApplyYAMLPatchType).Namespace(ns).Resource("deployments").Name("web").Body([]byte(body))
		for i := 0; i+1 < len(params); i += 2 {
			request = request.Param(params[i], params[i+1])
		}
		err := request.Do(within(t)).Error()
		if err == nil {
			t.Fatalf("%s was taken", body)
		}
		return err.Error()
	}
	for _, refused := range []struct {
		body   string
		params []string
		want   string
	}{
		{web(3), nil, `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		{web(3), []string{"fieldManager", "a\x01b"}, `fieldManager: Invalid value: "a\x01b": invalid character U+0001 (at position 1)`},
		{web(3), []string{"fieldManager", strings.Repeat("m", 129)}, "fieldManager: Too long: may not be more than 128 bytes"},
		{`{"apiVersion":"v1","kind":"Deployment"}`, []string{"fieldManager", "m"}, "invalid object type: /v1, Kind=Deployment"},
		{"a: [", []string{"fieldManager", "m"}, "error decoding patch: error converting YAML to JSON"},
		{"apiVersion: apps/v1\nkind: Deployment\nkind: Deployment\nmetadata: {name: web}\n", []string{"fieldManager", "m", "fieldValidation", "Strict"},
			"error strict decoding patch: error converting YAML to JSON"},
		{strings.Replace(web(3), `"replicas"`, `"replicaz"`, 1), []string{"fieldManager", "m"}, ".spec.replicaz: field not declared in schema"},
		{strings.Replace(web(3), `"labels"`, `"managedFields":[],"labels"`, 1), []string{"fieldManager", "m"}, "metadata.managedFields must be nil"},
	} {
		contains(t, patch(refused.body, refused.params...), refused.want)
	}
}
