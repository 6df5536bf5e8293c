package e2e

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ownedPods makes a Deployment and pods that it owns, as its controllers would.
func ownedPods(t *testing.T, s *server, ns, name string, pods int, finalizers ...string) *appsv1.Deployment {
	t.Helper()
	client := s.typed(t)
	d, err := client.AppsV1().Deployments(ns).Create(within(t), newDeployment(name), metav1.CreateOptions{})
	must(t, err)
	for i := range pods {
		pod := newPod(fmt.Sprintf("%s-%d", name, i))
		pod.Finalizers = finalizers
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))}
		_, err := client.CoreV1().Pods(ns).Create(within(t), pod, metav1.CreateOptions{})
		must(t, err)
	}
	return d
}

// pods lists the pods of a namespace.
func (k kubectl) pods(t *testing.T) []corev1.Pod {
	t.Helper()
	list, err := k.server.typed(t).CoreV1().Pods(k.namespace).List(within(t), metav1.ListOptions{})
	must(t, err)
	return list.Items
}

// release takes the finalizers off all pods of a namespace.
func (k kubectl) release(t *testing.T) {
	t.Helper()
	for _, pod := range k.pods(t) {
		k.run(t, "patch", "pod", pod.Name, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	}
}

func TestCascadeBackground(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	ownedPods(t, shared, k.namespace, "web", 3)
	ownedPods(t, shared, k.namespace, "other", 1)
	equal(t, "delete", k.run(t, "delete", "deployment", "web", "--cascade=background"), "deployment.apps \"web\" deleted from "+k.namespace+" namespace\n")
	eventually(t, "the pods of web go and the other one stays", func() bool { return len(k.pods(t)) == 1 })
}

func TestCascadeForeground(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	ownedPods(t, shared, k.namespace, "web", 3, "example.com/hold")
	k.run(t, "delete", "deployment", "web", "--cascade=foreground", "--wait=false")
	eventually(t, "all pods are being deleted", func() bool {
		for _, pod := range k.pods(t) {
			if pod.DeletionTimestamp == nil {
				return false
			}
		}
		return true
	})
	d := k.deployment(t, "web")
	if d.DeletionTimestamp == nil || strings.Join(d.Finalizers, " ") != metav1.FinalizerDeleteDependents {
		t.Errorf("the deployment waits with %v, deleted at %v", d.Finalizers, d.DeletionTimestamp)
	}
	k.release(t)
	k.run(t, "wait", "--for=delete", "deployment/web", "--timeout=60s")
	equal(t, "pods that are left", len(k.pods(t)), 0)
}

func TestCascadeOrphan(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	ownedPods(t, shared, k.namespace, "web", 3)
	k.run(t, "delete", "deployment", "web", "--cascade=orphan")
	equal(t, "pods that are left", len(k.pods(t)), 3)
	for _, pod := range k.pods(t) {
		if len(pod.OwnerReferences) != 0 || pod.DeletionTimestamp != nil {
			t.Errorf("%s has owners %v, deleted at %v", pod.Name, pod.OwnerReferences, pod.DeletionTimestamp)
		}
	}
}

func TestDeleteNamespace(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	ownedPods(t, shared, k.namespace, "web", 3)
	k.run(t, "create", "-f", "../../examples/manifests/crontab.yaml")
	equal(t, "delete", kubectl{shared, ""}.run(t, "delete", "namespace", k.namespace), "namespace \""+k.namespace+"\" deleted\n")
	client := shared.typed(t)
	if _, err := client.CoreV1().Namespaces().Get(within(t), k.namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace is there: %v", err)
	}
	// A namespace of the same name begins empty.
	kubectl{shared, ""}.run(t, "create", "namespace", k.namespace)
	equal(t, "objects in it", k.run(t, "get", "pods,deployments,crontabs", "-o", "name"), "")
}

func TestTerminatingNamespace(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	ownedPods(t, shared, k.namespace, "web", 2, "example.com/hold")
	cluster := kubectl{shared, ""}
	cluster.run(t, "delete", "namespace", k.namespace, "--wait=false")
	cluster.run(t, "delete", "namespace", k.namespace, "--wait=false")
	contains(t, cluster.run(t, "get", "namespace", k.namespace), "STATUS", k.namespace, "Terminating")
	equal(t, "refusal", k.refused(t, "", "create", "-f", "../../examples/manifests/crontab.yaml"),
		"Error from server (Forbidden): error when creating \"../../examples/manifests/crontab.yaml\": crontabs.example.com \"my-new-cron-object\" is forbidden: "+
			"unable to create new content in namespace "+k.namespace+" because it is being terminated\n")
	eventually(t, "the conditions tell what remains", func() bool {
		ns, err := shared.typed(t).CoreV1().Namespaces().Get(within(t), k.namespace, metav1.GetOptions{})
		must(t, err)
		for _, c := range ns.Status.Conditions {
			if c.Type == corev1.NamespaceFinalizersRemaining && c.Status == corev1.ConditionTrue {
				return c.Reason == "SomeFinalizersRemain" && c.Message == "Some finalizers are remaining: example.com/hold in 2 resource instances"
			}
		}
		return false
	})
	k.release(t)
	cluster.run(t, "wait", "--for=delete", "namespace/"+k.namespace, "--timeout=60s")
}

func TestFinalizeNamespace(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	client := shared.typed(t).CoreV1().Namespaces()
	ns, err := client.Get(within(t), k.namespace, metav1.GetOptions{})
	must(t, err)
	ns.Spec.Finalizers = append(ns.Spec.Finalizers, "example.com/mine")
	ns, err = client.Finalize(within(t), ns, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "finalizers", fmt.Sprint(ns.Spec.Finalizers), "[kubernetes example.com/mine]")
	must(t, client.Delete(within(t), k.namespace, metav1.DeleteOptions{}))
	eventually(t, "the server's own finalizer goes", func() bool {
		ns, err = client.Get(within(t), k.namespace, metav1.GetOptions{})
		must(t, err)
		return fmt.Sprint(ns.Spec.Finalizers) == "[example.com/mine]"
	})
	ns.Spec.Finalizers = nil
	_, err = client.Finalize(within(t), ns, metav1.UpdateOptions{})
	must(t, err)
	if _, err = client.Get(within(t), k.namespace, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace is there: %v", err)
	}
}

// TestCollectionAfterARestart: what was under way when the server ended goes on when it is back.
func TestCollectionAfterARestart(t *testing.T) {
	s := startServer(t)
	k := kubectl{s, namespace(t, s)}
	ownedPods(t, s, k.namespace, "web", 2, "example.com/hold")
	gone := kubectl{s, "going"}
	gone.run(t, "create", "namespace", "going")
	ownedPods(t, s, "going", "web", 2, "example.com/hold")
	k.run(t, "delete", "deployment", "web", "--cascade=foreground", "--wait=false")
	kubectl{s, ""}.run(t, "delete", "namespace", "going", "--wait=false")
	s.kill()
	must(t, s.start())
	k.release(t)
	gone.release(t)
	k.run(t, "wait", "--for=delete", "deployment/web", "--timeout=60s")
	gone.run(t, "wait", "--for=delete", "namespace/going", "--timeout=60s")
}

func TestNoGarbageCollector(t *testing.T) {
	s := startServer(t, "--enable-garbage-collector=false")
	k := kubectl{s, namespace(t, s)}
	ownedPods(t, s, k.namespace, "web", 2)
	k.run(t, "delete", "deployment", "web", "--cascade=foreground")
	equal(t, "pods that are left", len(k.pods(t)), 2)
	kubectl{s, ""}.run(t, "delete", "namespace", k.namespace)
}
