package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// All manifests of the examples are taken without a warning, except for the one that the CronTab is there to show.
func TestExampleManifests(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	r := k.try(t, "", "apply", "-f", manifests)
	equal(t, "exit code", r.code, 0)
	equal(t, "apply", r.stdout, "crontab.example.com/my-new-cron-object created\ndeployment.apps/nginx-deployment created\npod/nginx created\n")
	equal(t, "warnings", r.stderr, "Warning: spec.cronSpec: runs every minute\n")
	k.run(t, "delete", "-f", manifests)
}

// The controller of examples/controller, run beside the server as its users would.
func TestExampleController(t *testing.T) {
	file := filepath.Join(t.TempDir(), "controller")
	must(t, command("../../examples/controller", nil, "go", "build", "-o", file, "."))
	log := &logBuffer{}
	cmd := exec.Command(file)
	cmd.Env, cmd.Stderr = append(os.Environ(), "KUBECONFIG="+shared.kubeconfig), log
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of the controller:\n%s", log.tail())
		}
	})
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "apply", "-f", filepath.Join(manifests, "crontab.yaml"))
	const name = "my-new-cron-object"
	deployments := shared.typed(t).AppsV1().Deployments(k.namespace)
	matches := func(what string, replicas int32) *appsv1.Deployment {
		t.Helper()
		var d *appsv1.Deployment
		eventually(t, what, func() (ok bool) {
			var err error
			d, err = deployments.Get(within(t), name, metav1.GetOptions{})
			return err == nil && d.DeletionTimestamp == nil && *d.Spec.Replicas == replicas && k.cronTabReplicas(t, name) == int64(replicas)
		})
		return d
	}
	first := matches("a Deployment for the CronTab", 1)
	equal(t, "image", first.Spec.Template.Spec.Containers[0].Image, "my-awesome-cron-image")
	equal(t, "owner", first.OwnerReferences[0].Kind+"/"+first.OwnerReferences[0].Name, "CronTab/"+name)

	k.run(t, "scale", "crontab", name, "--replicas=3")
	matches("a Deployment scaled with the CronTab", 3)
	_, err := shared.dynamic(t).Resource(cronTabs).Namespace(k.namespace).
		Patch(within(t), name, types.MergePatchType, []byte(`{"spec":{"suspend":true}}`), metav1.PatchOptions{})
	must(t, err)
	matches("a Deployment of a suspended CronTab", 0)
	must(t, deployments.Delete(within(t), name, metav1.DeleteOptions{}))
	eventually(t, "a new Deployment", func() bool {
		d, err := deployments.Get(within(t), name, metav1.GetOptions{})
		return err == nil && d.UID != first.UID
	})
}

// cronTabReplicas is what the controller reports.
func (k kubectl) cronTabReplicas(t *testing.T, name string) int64 {
	t.Helper()
	obj, err := k.server.dynamic(t).Resource(cronTabs).Namespace(k.namespace).Get(within(t), name, metav1.GetOptions{})
	must(t, err)
	replicas, _, err := unstructured.NestedInt64(obj.Object, "status", "replicas")
	must(t, err)
	return replicas
}
