package e2e

import (
	"path/filepath"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// bundled is a plugin as `make` has built it.
func bundled(name string) string { return filepath.Join("..", "bundle", "files", name+".wasm") }

// Two servers on one etcd serve the plugins that are pushed to either.
func TestReplicas(t *testing.T) {
	db := startEtcd(t)
	a := startReplica(t, db, "--bundled-plugins=false")
	b := startReplica(t, db, "--bundled-plugins=false")
	onB := b.dynamic(t).Resource(cronTabs).Namespace("default")
	if _, err := onB.List(within(t), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("crontabs before any plugin defines them: %v", err)
	}

	a.push(t, "crontabs", bundled("crontabs"))
	eventually(t, "the resource on the other server", func() bool {
		_, err := onB.List(within(t), metav1.ListOptions{})
		return err == nil
	})
	_, err := onB.Create(within(t), newCronTab("on-b"), metav1.CreateOptions{})
	must(t, err)
	got, err := a.dynamic(t).Resource(cronTabs).Namespace("default").Get(within(t), "on-b", metav1.GetOptions{})
	must(t, err)
	replicas, _, _ := unstructured.NestedInt64(got.Object, "spec", "replicas")
	equal(t, "default by the plugin", replicas, 1)

	a.push(t, "deployments", buildStamped(t, "1"))
	eventually(t, "deployments on the other server", func() bool {
		_, err := b.typed(t).AppsV1().Deployments("default").List(within(t), metav1.ListOptions{})
		return err == nil
	})
	for _, revision := range []string{"2", "3"} {
		a.push(t, "deployments", buildStamped(t, revision))
		// Not eventually: the very next write on the other server is made by the new revision.
		created, err := b.typed(t).AppsV1().Deployments("default").Create(within(t), newDeployment("d"+revision), metav1.CreateOptions{})
		must(t, err)
		equal(t, "stamp on the other server", created.Annotations["prepared-by"], revision)
	}
	b.stop()
	must(t, b.start())
	created, err := b.typed(t).AppsV1().Deployments("default").Create(within(t), newDeployment("after-restart"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "stamp after a restart", created.Annotations["prepared-by"], "3")
	plugin, err := b.dynamic(t).Resource(plugins).Get(within(t), "deployments", metav1.GetOptions{})
	must(t, err)
	revision, _, _ := unstructured.NestedInt64(plugin.Object, "status", "activeRevision")
	equal(t, "activeRevision", revision, 3)
}
