package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestPodStory(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "apply", k.run(t, "apply", "-f", filepath.Join(manifests, "nginx-pod.yaml")), "pod/nginx created\n")
	equal(t, "run", k.run(t, "run", "busy", "--image=busybox", "--restart=Never", "--env=A=b", "--override-type=strategic",
		`--overrides={"spec":{"containers":[{"name":"busy","resources":{"requests":{"cpu":"100m"}}}]}}`, "--", "sleep", "1"), "pod/busy created\n")
	contains(t, k.run(t, "get", "pods"), "NAME    READY   STATUS    RESTARTS   AGE\n", "busy    0/1     Pending   0          ", "nginx   0/1     Pending   0  ")
	contains(t, k.run(t, "get", "pods", "-o", "wide"), "IP       NODE     NOMINATED NODE   READINESS GATES\n", "<none>   <none>   <none>           <none>\n")
	contains(t, k.run(t, "describe", "pod", "busy"), "Status:       Pending\n", "busybox", "A:         b\n", "QoS Class:       Burstable\n")

	pod := &corev1.Pod{}
	must(t, json.Unmarshal([]byte(k.run(t, "get", "pod", "busy", "-o", "json")), pod))
	equal(t, "phase", pod.Status.Phase, corev1.PodPending)
	equal(t, "qosClass", pod.Status.QOSClass, corev1.PodQOSBurstable)
	equal(t, "generation", pod.Generation, 1)
	equal(t, "grace", *pod.Spec.TerminationGracePeriodSeconds, 30)

	contains(t, k.refused(t, "", "patch", "pod", "busy", "-p", `{"spec":{"nodeName":"n"}}`),
		`The Pod "busy" is invalid: spec: Forbidden: pod updates may not change fields other than`)
	k.run(t, "set", "image", "pod/busy", "busy=busybox:2")
	contains(t, k.refused(t, "", "logs", "busy"), "Error from server (NotImplemented): pods/log needs a kubelet, and this server has none\n")
	contains(t, k.refused(t, "", "exec", "busy", "--", "ls"), "pods/exec needs a kubelet, and this server has none\n")
	equal(t, "delete", k.run(t, "delete", "pod", "busy", "nginx", "--wait"),
		fmt.Sprintf("pod \"busy\" deleted from %[1]s namespace\npod \"nginx\" deleted from %[1]s namespace\n", k.namespace))
}

func TestPodWithoutContainers(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	const bad = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bad-pod"},"spec":{}}`
	c := shared.curl(t)
	path := "/api/v1/namespaces/" + k.namespace + "/pods"
	status := c.do(t, "POST", path, bad, "Content-Type: application/json").
		refused(t, 422, metav1.StatusReasonInvalid, `Pod "bad-pod" is invalid: spec.containers: Required value`)
	if len(status.Details.Causes) != 1 {
		t.Fatalf("causes: %v", status.Details.Causes)
	}
	equal(t, "cause", status.Details.Causes[0], metav1.StatusCause{Type: "FieldValueRequired", Message: "Required value", Field: "spec.containers"})
	equal(t, "kind", status.Details.Kind, "Pod")
	equal(t, "name", status.Details.Name, "bad-pod")

	c.do(t, "GET", path+"/bad-pod", "").refused(t, 404, metav1.StatusReasonNotFound, `pods "bad-pod" not found`)
	equal(t, "kubectl", k.refused(t, bad, "create", "-f", "-"), "The Pod \"bad-pod\" is invalid: spec.containers: Required value\n")
	equal(t, "stored", k.run(t, "get", "pods", "-o", "name"), "")
}

func TestPodWarning(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	const warning = "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
	a := shared.curl(t).do(t, "POST", "/api/v1/namespaces/"+k.namespace+"/pods", podJSON("my.pod"), "Content-Type: application/json")
	equal(t, "code", a.code, 201)
	if got := a.header.Values("Warning"); len(got) != 1 || got[0] != fmt.Sprintf("299 - %q", warning) {
		t.Errorf("Warning headers: %q", got)
	}
	equal(t, "stored", k.run(t, "get", "pods", "-o", "name"), "pod/my.pod\n")

	r := k.try(t, podJSON("your.pod"), "create", "-f", "-")
	equal(t, "kubectl", r.stdout, "pod/your.pod created\n")
	equal(t, "kubectl's warning", r.stderr, "Warning: "+warning+"\n")
}

func TestPodBinding(t *testing.T) {
	ns := namespace(t, shared)
	pods := shared.typed(t).CoreV1().Pods(ns)
	_, err := pods.Create(within(t), newPod("p"), metav1.CreateOptions{})
	must(t, err)
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}
	must(t, pods.Bind(within(t), binding, metav1.CreateOptions{}))
	pod, err := pods.Get(within(t), "p", metav1.GetOptions{})
	must(t, err)
	equal(t, "nodeName", pod.Spec.NodeName, "node-1")
	if c := pod.Status.Conditions; len(c) != 1 || c[0].Type != corev1.PodScheduled || c[0].Status != corev1.ConditionTrue {
		t.Errorf("conditions: %v", c)
	}
	err = pods.Bind(within(t), binding, metav1.CreateOptions{})
	if !apierrors.IsConflict(err) {
		t.Errorf("second binding: %v", err)
	}

	// A pod on a node is deleted gracefully: it stays until the kubelet confirms.
	must(t, pods.Delete(within(t), "p", metav1.DeleteOptions{}))
	pod, err = pods.Get(within(t), "p", metav1.GetOptions{})
	must(t, err)
	if pod.DeletionTimestamp == nil || *pod.DeletionGracePeriodSeconds != 30 {
		t.Errorf("deletionTimestamp %v, grace %v", pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds)
	}
	k := kubectl{shared, ns}
	contains(t, k.run(t, "get", "pods"), "p      0/1     Terminating   0 ")
	must(t, pods.Delete(within(t), "p", *metav1.NewDeleteOptions(0)))
	if _, err = pods.Get(within(t), "p", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the kubelet's delete: %v", err)
	}
}

func TestPodEviction(t *testing.T) {
	ns := namespace(t, shared)
	pods := shared.typed(t).CoreV1().Pods(ns)
	pod, err := pods.Create(within(t), newPod("p"), metav1.CreateOptions{})
	must(t, err)
	other := types.UID("another")
	evict := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "p"}, DeleteOptions: &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}}
	if err := pods.EvictV1(within(t), evict); !apierrors.IsConflict(err) {
		t.Errorf("eviction of another pod by that name: %v", err)
	}
	evict.DeleteOptions.Preconditions.UID = &pod.UID
	must(t, pods.EvictV1(within(t), evict))
	if _, err := pods.Get(within(t), "p", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the eviction: %v", err)
	}
}

func TestPodEphemeralContainers(t *testing.T) {
	ns := namespace(t, shared)
	pods := shared.typed(t).CoreV1().Pods(ns)
	pod, err := pods.Create(within(t), newPod("p"), metav1.CreateOptions{})
	must(t, err)
	pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
		Name: "debug", Image: "busybox", TerminationMessagePolicy: corev1.TerminationMessageReadFile, ImagePullPolicy: corev1.PullAlways,
	}}}
	got, err := pods.UpdateEphemeralContainers(within(t), "p", pod, metav1.UpdateOptions{})
	must(t, err)
	if len(got.Spec.EphemeralContainers) != 1 {
		t.Errorf("ephemeral containers: %v", got.Spec.EphemeralContainers)
	}
}
