package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const manifests = "../../examples/manifests"

// nginx is the Deployment of Kubernetes' documentation, as a file.
var nginx = filepath.Join(manifests, "nginx-deployment.yaml")

// edited is a copy of a manifest with one text replaced.
func edited(t *testing.T, file, old, replacement string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	must(t, err)
	if !strings.Contains(string(raw), old) {
		t.Fatalf("%s has no %q", file, old)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(file))
	must(t, os.WriteFile(out, []byte(strings.ReplaceAll(string(raw), old, replacement)), 0o600))
	return out
}

// deployment reads a Deployment as stock kubectl shows it.
func (k kubectl) deployment(t *testing.T, name string) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{}
	must(t, json.Unmarshal([]byte(k.run(t, "get", "deployment", name, "-o", "json")), d))
	return d
}

func TestDeploymentApply(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "apply", k.run(t, "apply", "-f", nginx), "deployment.apps/nginx-deployment created\n")
	equal(t, "apply again", k.run(t, "apply", "-f", nginx), "deployment.apps/nginx-deployment unchanged\n")

	contains(t, k.run(t, "get", "deployments"),
		"NAME               READY   UP-TO-DATE   AVAILABLE   AGE\n", "nginx-deployment   0/3     0            0           ")
	contains(t, k.run(t, "get", "deploy", "-o", "wide"), "CONTAINERS", "IMAGES", "SELECTOR\n", "nginx ", "nginx:1.14.2", "app=nginx\n")
	contains(t, k.run(t, "get", "all"), "deployment.apps/nginx-deployment")
	equal(t, "names", k.run(t, "get", "deploy", "-o", "name"), "deployment.apps/nginx-deployment\n")

	d := k.deployment(t, "nginx-deployment")
	equal(t, "generation", d.Generation, 1)
	equal(t, "replicas", *d.Spec.Replicas, 3)
	equal(t, "progressDeadlineSeconds", *d.Spec.ProgressDeadlineSeconds, 600)
	equal(t, "maxSurge", d.Spec.Strategy.RollingUpdate.MaxSurge.String(), "25%")
	equal(t, "restartPolicy", d.Spec.Template.Spec.RestartPolicy, corev1.RestartPolicyAlways)
	equal(t, "imagePullPolicy", d.Spec.Template.Spec.Containers[0].ImagePullPolicy, corev1.PullIfNotPresent)

	contains(t, k.run(t, "get", "deploy", "nginx-deployment", "-o", "yaml"),
		"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n", "generation: 1\n", "strategy:\n    rollingUpdate:\n      maxSurge: 25%\n",
		"terminationMessagePolicy: File\n", "status: {}\n")
	contains(t, k.run(t, "describe", "deployment", "nginx-deployment"),
		"Name:                   nginx-deployment\n", "Labels:                 app=nginx\n", "Selector:               app=nginx\n",
		"Replicas:               3 desired | 0 updated | 0 total | 0 available | 0 unavailable\n",
		"RollingUpdateStrategy:  25% max unavailable, 25% max surge\n", "Image:         nginx:1.14.2\n")
}

func TestDeploymentExplain(t *testing.T) {
	k := kubectl{shared, ""}
	contains(t, k.run(t, "explain", "deployment.spec"), "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n",
		"FIELD: spec <DeploymentSpec>", "replicas\t<integer>", "Number of desired pods", "selector\t<LabelSelector> -required-")
	contains(t, k.run(t, "explain", "deployment.spec", "--recursive"),
		"strategy\t<DeploymentStrategy>\n    rollingUpdate\t<RollingUpdateDeployment>\n      maxSurge\t<IntOrString>",
		"template\t<PodTemplateSpec> -required-", "containers\t<[]Container> -required-", "image\t<string>")
	contains(t, k.run(t, "explain", "pod.spec.containers.ports.protocol"), "FIELD: protocol <string>", "ENUM:", "SCTP")
	contains(t, k.run(t, "explain", "crontab.spec.cronSpec"), "KIND:       CronTab", "FIELD: cronSpec <string>")
}

func TestDeploymentPatch(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "-f", nginx)
	const patched = "deployment.apps/nginx-deployment patched\n"

	// Strategic merge patch merges containers by name: the ports stay.
	equal(t, "strategic", k.run(t, "patch", "deploy", "nginx-deployment", "-p",
		`{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1.16.1"}]}}}}`), patched)
	d := k.deployment(t, "nginx-deployment")
	equal(t, "image", d.Spec.Template.Spec.Containers[0].Image, "nginx:1.16.1")
	equal(t, "ports", len(d.Spec.Template.Spec.Containers[0].Ports), 1)
	equal(t, "generation after a change of spec", d.Generation, 2)

	equal(t, "json", k.run(t, "patch", "deploy", "nginx-deployment", "--type=json", "-p", `[{"op":"replace","path":"/spec/replicas","value":4}]`), patched)
	equal(t, "merge", k.run(t, "patch", "deploy", "nginx-deployment", "--type=merge", "-p", `{"metadata":{"labels":{"tier":"web"}}}`), patched)
	d = k.deployment(t, "nginx-deployment")
	equal(t, "replicas", *d.Spec.Replicas, 4)
	equal(t, "label", d.Labels["tier"], "web")
	equal(t, "generation after a change of labels", d.Generation, 3)
	equal(t, "a patch that changes nothing", k.run(t, "patch", "deploy", "nginx-deployment", "-p", `{"spec":{"replicas":4}}`),
		"deployment.apps/nginx-deployment patched (no change)\n")

	contains(t, k.run(t, "set", "image", "deploy/nginx-deployment", "nginx=nginx:1.17"), "image updated")
	contains(t, k.refused(t, "", "patch", "deploy", "nginx-deployment", "-p", `{"spec":{"selector":{"matchLabels":{"app":"other"}}}}`),
		"The Deployment \"nginx-deployment\" is invalid:", "spec.selector: Invalid value:", "field is immutable")
	contains(t, k.refused(t, "", "patch", "deploy", "nginx-deployment", "--type=json", "-p", `[{"op":"test","path":"/spec/replicas","value":9}]`),
		"The request is invalid: the server rejected our request due to an error in our request")
}

func TestDeploymentEdit(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "-f", nginx)
	cmd := k.command(t, "edit", "deployment", "nginx-deployment")
	cmd.Env = append(cmd.Env, "KUBE_EDITOR=sed -i -e s/nginx:1.14.2/nginx:1.15/")
	out, err := cmd.CombinedOutput()
	must(t, err)
	equal(t, "edit", string(out), "deployment.apps/nginx-deployment edited\n")
	equal(t, "image", k.deployment(t, "nginx-deployment").Spec.Template.Spec.Containers[0].Image, "nginx:1.15")
}

func TestDeploymentScale(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "-f", nginx)
	equal(t, "scale", k.run(t, "scale", "deployment/nginx-deployment", "--replicas=5"), "deployment.apps/nginx-deployment scaled\n")
	d := k.deployment(t, "nginx-deployment")
	equal(t, "replicas", *d.Spec.Replicas, 5)
	equal(t, "generation", d.Generation, 2)
	contains(t, k.refused(t, "", "scale", "deployment/nginx-deployment", "--replicas=1", "--current-replicas=3"), "Expected replicas to be 3, was 5")

	scale, err := shared.typed(t).AppsV1().Deployments(k.namespace).GetScale(within(t), "nginx-deployment", metav1.GetOptions{})
	must(t, err)
	equal(t, "scale", scale.Spec.Replicas, 5)
	equal(t, "selector", scale.Status.Selector, "app=nginx")
	scale.Spec.Replicas = 2
	_, err = shared.typed(t).AppsV1().Deployments(k.namespace).UpdateScale(within(t), "nginx-deployment", scale, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "replicas", *k.deployment(t, "nginx-deployment").Spec.Replicas, 2)
}

func TestDeploymentDiffAndDryRun(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "apply", "-f", nginx)
	equal(t, "diff without a difference", k.run(t, "diff", "-f", nginx), "")

	changed := edited(t, nginx, "replicas: 3", "replicas: 2")
	before := k.deployment(t, "nginx-deployment").ResourceVersion
	diff := k.try(t, "", "diff", "-f", changed)
	equal(t, "exit code of diff", diff.code, 1)
	contains(t, diff.stdout, "-  generation: 1\n+  generation: 2\n", "-  replicas: 3\n+  replicas: 2\n")
	equal(t, "dry run", k.run(t, "apply", "--dry-run=server", "-f", changed), "deployment.apps/nginx-deployment configured (server dry run)\n")
	equal(t, "dry run of a create", k.run(t, "create", "deployment", "dry", "--image=nginx", "--dry-run=server"), "deployment.apps/dry created (server dry run)\n")
	equal(t, "dry run of a delete", k.run(t, "delete", "deployment", "nginx-deployment", "--dry-run=server"),
		"deployment.apps \"nginx-deployment\" deleted from "+k.namespace+" namespace (server dry run)\n")

	equal(t, "names", k.run(t, "get", "deploy", "-o", "name"), "deployment.apps/nginx-deployment\n")
	equal(t, "resourceVersion", k.deployment(t, "nginx-deployment").ResourceVersion, before)
	equal(t, "apply", k.run(t, "apply", "-f", changed), "deployment.apps/nginx-deployment configured\n")
	equal(t, "replicas", *k.deployment(t, "nginx-deployment").Spec.Replicas, 2)
}

// Stock kubectl sends what it makes itself as protobuf.
func TestDeploymentCreate(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "create", k.run(t, "create", "deployment", "web", "--image=nginx", "--replicas=2", "--port=80"), "deployment.apps/web created\n")
	d := k.deployment(t, "web")
	equal(t, "replicas", *d.Spec.Replicas, 2)
	equal(t, "label", d.Labels["app"], "web")
	equal(t, "port", d.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort, 80)
	equal(t, "create again", k.refused(t, "", "create", "deployment", "web", "--image=nginx"), "error: failed to create deployment: deployments.apps \"web\" already exists\n")

	equal(t, "pause", k.run(t, "rollout", "pause", "deployment/web"), "deployment.apps/web paused\n")
	equal(t, "resume", k.run(t, "rollout", "resume", "deployment/web"), "deployment.apps/web resumed\n")
	equal(t, "restart", k.run(t, "rollout", "restart", "deployment/web"), "deployment.apps/web restarted\n")
	if _, found := k.deployment(t, "web").Spec.Template.Annotations["kubectl.kubernetes.io/restartedAt"]; !found {
		t.Error("rollout restart left no annotation")
	}

	equal(t, "delete", k.run(t, "delete", "deployment", "web", "--wait"), "deployment.apps \"web\" deleted from "+k.namespace+" namespace\n")
	equal(t, "get", k.refused(t, "", "get", "deployment", "web"), "Error from server (NotFound): deployments.apps \"web\" not found\n")
}

func TestDeploymentRollback(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "-f", nginx)
	path := "/apis/apps/v1/namespaces/" + k.namespace + "/deployments/nginx-deployment/rollback"
	body := `{"apiVersion":"apps/v1beta1","kind":"DeploymentRollback","name":"nginx-deployment","updatedAnnotations":{"by":"me"},"rollbackTo":{"revision":2}}`
	a := shared.curl(t).do(t, "POST", path, body, "Content-Type: application/json")
	equal(t, "code", a.code, 201)
	d := k.deployment(t, "nginx-deployment")
	equal(t, "annotation", d.Annotations["deprecated.deployment.rollback.to"], "2")
	equal(t, "updated annotation", d.Annotations["by"], "me")
}
