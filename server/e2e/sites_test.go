package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

var sites = schema.GroupVersionResource{Group: "web.example.org", Version: "v1", Resource: "sites"}

// siteWorld is a namespace with the controller of examples/controller/sites beside it.
type siteWorld struct {
	kubectl
	t       *testing.T
	command string
}

func newSiteWorld(t *testing.T) *siteWorld {
	t.Helper()
	w := &siteWorld{kubectl{shared, namespace(t, shared)}, t, filepath.Join(t.TempDir(), "sites")}
	must(t, command("../../examples/controller", []string{"GOWORK=off"}, "go", "build", "-o", w.command, "./sites"))
	const definition = "../../examples/controller/sites/crd.yaml"
	w.run(t, "apply", "-f", definition)
	t.Cleanup(func() {
		ctx, cancel := cleaning()
		defer cancel()
		cmd := exec.CommandContext(ctx, bin.kubectl, "--kubeconfig", shared.kubeconfig, "delete", "--wait=false", "-f", definition)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	w.run(t, "wait", "--for=condition=Established", "crd/sites.web.example.org", "--timeout=60s")
	return w
}

// replica is one process of the controller.
type replica struct {
	cmd *exec.Cmd
	log *logBuffer
}

func (w *siteWorld) start() *replica {
	w.t.Helper()
	r := &replica{exec.Command(w.command, "--leader-election-namespace", w.namespace, "--lease-duration=15s"), &logBuffer{}}
	r.cmd.Env, r.cmd.Stderr = append(os.Environ(), "KUBECONFIG="+shared.kubeconfig), r.log
	must(w.t, r.cmd.Start())
	w.t.Cleanup(func() {
		r.kill()
		if w.t.Failed() {
			w.t.Logf("log of a replica:\n%s", r.log.tail())
		}
	})
	return r
}

// kill ends the process at once: it lets go of nothing.
func (r *replica) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (r *replica) leads() bool { return strings.Contains(r.log.tail(), "this replica leads") }

func (w *siteWorld) create(from, to int) {
	w.t.Helper()
	for i := from; i < to; i++ {
		_, err := w.server.dynamic(w.t).Resource(sites).Namespace(w.namespace).Create(within(w.t), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "web.example.org/v1", "kind": "Site", "metadata": map[string]any{"name": fmt.Sprintf("s%02d", i)}, "spec": map[string]any{"host": fmt.Sprintf("s%02d.example.org", i)},
		}}, metav1.CreateOptions{FieldValidation: "Strict"})
		must(w.t, err)
	}
}

// settled waits until the controller has seen the newest generation of that many sites, and the directory names them all.
func (w *siteWorld) settled(count int) {
	w.t.Helper()
	eventually(w.t, fmt.Sprintf("%d sites that are ready", count), func() bool {
		list, err := w.server.dynamic(w.t).Resource(sites).Namespace(w.namespace).List(within(w.t), metav1.ListOptions{})
		if err != nil || len(list.Items) != count {
			return false
		}
		for i := range list.Items {
			observed, _, _ := unstructured.NestedInt64(list.Items[i].Object, "status", "observedGeneration")
			if observed != list.Items[i].GetGeneration() {
				return false
			}
		}
		directory, err := w.server.typed(w.t).CoreV1().ConfigMaps(w.namespace).Get(within(w.t), "site-directory", metav1.GetOptions{})
		return err == nil && len(directory.Data) == count
	})
}

func (w *siteWorld) holder() (identity string, transitions int32) {
	w.t.Helper()
	lease, err := w.server.typed(w.t).CoordinationV1().Leases(w.namespace).Get(within(w.t), "sites.web.example.org", metav1.GetOptions{})
	must(w.t, err)
	if lease.Spec.HolderIdentity == nil || lease.Spec.LeaseTransitions == nil {
		return "", 0
	}
	return *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions
}

// A controller written for Kubernetes, unchanged: one replica leads, is killed while there is work, and the other goes on.
func TestControllerWithLeaderElection(t *testing.T) {
	w := newSiteWorld(t)
	a := w.start()
	eventually(t, "a leader", a.leads)
	b := w.start()
	w.create(0, 5)
	w.settled(5)
	first, before := w.holder()
	siteIsWhole(w)
	equal(t, "a second leader", b.leads(), false)

	w.create(5, 15)
	w.run(t, "patch", "site", "s00", "--type=merge", "-p", `{"spec":{"pages":{"about.html":"us"}}}`)
	a.kill()
	w.create(15, 25)
	w.run(t, "patch", "site", "s01", "--type=merge", "-p", `{"spec":{"language":"de"}}`)
	w.run(t, "delete", "site", "s02", "--wait=false")
	eventually(t, "the other replica leads", b.leads)
	w.settled(24)
	second, after := w.holder()
	if second == first || after <= before {
		t.Errorf("the Lease went from %s (%d) to %s (%d)", first, before, second, after)
	}
	siteIsGone(w, "s02")

	w.run(t, "delete", "sites", "--all", "--timeout=60s")
	w.settled(0)
	siteIsGone(w, "s00")
}

// siteIsWhole looks at all that one site brings along.
func siteIsWhole(w *siteWorld) {
	t := w.t
	t.Helper()
	site, err := w.server.dynamic(t).Resource(sites).Namespace(w.namespace).Get(within(t), "s00", metav1.GetOptions{})
	must(t, err)
	language, _, _ := unstructured.NestedString(site.Object, "spec", "language")
	equal(t, "language by the schema's default", language, "en")
	pages, _, _ := unstructured.NestedInt64(site.Object, "status", "pages")
	equal(t, "pages by the schema's default", pages, 1)
	equal(t, "finalizers", fmt.Sprint(site.GetFinalizers()), "[web.example.org/directory]")
	configMap, err := w.server.typed(t).CoreV1().ConfigMaps(w.namespace).Get(within(t), "s00", metav1.GetOptions{})
	must(t, err)
	equal(t, "page", configMap.Data["index.html"], "Coming soon")
	equal(t, "owner", configMap.OwnerReferences[0].UID, site.GetUID())
	contains(t, w.run(t, "get", "sites", "s00"), "HOST", "READY", "s00.example.org", "True")
	eventually(t, "an event about the site", func() bool {
		list, err := w.server.typed(t).EventsV1().Events(w.namespace).List(within(t), metav1.ListOptions{FieldSelector: "reason=Published,regarding.name=s00,regarding.uid=" + string(site.GetUID())})
		return err == nil && len(list.Items) == 1 && list.Items[0].Note == "1 pages at s00.example.org"
	})
	contains(t, w.run(t, "get", "events", "--field-selector", "reason=LeaderElection"), "LeaderElection", "lease/sites.web.example.org", "became leader")
	_, err = w.server.dynamic(t).Resource(sites).Namespace(w.namespace).Patch(within(t), "s00", types.MergePatchType, []byte(`{"spec":{"host":"else.example.org"}}`), metav1.PatchOptions{})
	contains(t, fmt.Sprint(err), "a site does not move")
}

// siteIsGone makes sure that a site has taken everything along.
func siteIsGone(w *siteWorld, name string) {
	t := w.t
	t.Helper()
	contains(t, w.refused(t, "", "get", "site", name), "NotFound")
	eventually(t, "the end of the pages of "+name, func() bool { return w.try(t, "", "get", "configmap", name).code != 0 })
	directory, err := w.server.typed(t).CoreV1().ConfigMaps(w.namespace).Get(within(t), "site-directory", metav1.GetOptions{})
	must(t, err)
	if _, listed := directory.Data[name]; listed {
		t.Errorf("%s is still in the directory: %v", name, directory.Data)
	}
}
