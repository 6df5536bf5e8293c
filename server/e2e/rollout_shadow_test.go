package e2e

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// A revision in shadow differs, traps, loops and hoards memory, and no request notices. What it would have done is counted.
func TestShadow(t *testing.T) {
	s := startServer(t)
	deployments := s.typed(t).AppsV1().Deployments("default")
	contains(t, s.run(t, "plugin", "push", tried(t), "--name", "deployments", "--shadow"), "strategyplugin/deployments revision 2 is in shadow: deployments.apps")
	wanted := map[string]int{"": 6, "reject": 3, "trap": 2, "loop": 2, "memory": 1, "stamp": 2}
	requests := 0
	for what, n := range wanted {
		for i := range n {
			got, err := deployments.Create(within(t), trying(fmt.Sprintf("shadowed-%s-%d", what+"x", i), what), metav1.CreateOptions{})
			must(t, err)
			equal(t, "stamp of "+got.Name, got.Annotations["answered-by"], "")
			requests++
		}
	}
	_, err := deployments.Patch(within(t), "shadowed-x-0", types.MergePatchType, []byte(`{"metadata":{"annotations":{"try":"stamp"}}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, deployments.Delete(within(t), "shadowed-x-1", metav1.DeleteOptions{}))
	bad := newDeployment("shadowed-bad")
	bad.Spec.Template.Spec.Containers = nil
	if _, err := deployments.Create(within(t), bad, metav1.CreateOptions{}); err == nil {
		t.Error("a Deployment without containers was taken")
	}
	requests += 3

	var plugin *unstructured.Unstructured
	eventually(t, "all requests compared", func() bool {
		plugin = s.plugin(t)
		return counted(plugin, "requests")+counted(plugin, "dropped") >= int64(requests)
	})
	for name, want := range map[string]int64{"requests": int64(requests), "dropped": 0, "newlyRejected": 3, "failed": 5, "differentObjects": 3, "differentErrors": 0, "newlyTaken": 0} {
		equal(t, name, counted(plugin, name), want)
	}
	if counted(plugin, "fuel") == 0 || counted(plugin, "activeFuel") == 0 {
		t.Error("no fuel was counted")
	}
	equal(t, "condition", conditionOf(plugin, "Rollout"), told{"True", "Shadow", "revision 2 runs beside the active one on 100% of the writes"})
	equal(t, "state of the revision in shadow", stateOf(plugin, 2), "Shadow")
	equal(t, "state of the active revision", stateOf(plugin, 1), "Active")

	shown := s.run(t, "plugin", "status", "deployments")
	contains(t, shown, "revision 1 serves deployments.apps", "2 ", "Shadow", "Rollout ", "Shadow of revision 2 since", "counted by 1 server", "3 newly rejected")
	contains(t, shown, "NewlyRejected: create deployments.apps default/shadowed-rejectx-", "candidate spec.replicas: Invalid value: 1: is stricter now")
	contains(t, shown, "DifferentObject: ", "/metadata/annotations/answered-by \"2\"")
	contains(t, shown, "Failed: create deployments.apps default/shadowed-")
	contains(t, kubectl{s, ""}.run(t, "get", "strategyplugins", "deployments"), "ROLLOUT", "Shadow of 2: ", "3 newly rejected")

	contains(t, s.run(t, "plugin", "rollback", "deployments"), "revision 1 is active")
	plugin = s.plugin(t)
	equal(t, "condition", conditionOf(plugin, "Rollout"), told{"False", "RolledBack", "the shadow of revision 2 was rolled back"})
	equal(t, "state after the rollback", stateOf(plugin, 2), "RolledBack")
	if _, found, _ := unstructured.NestedMap(plugin.Object, "spec", "rollout"); found {
		t.Error("spec.rollout is still there")
	}
	equal(t, "counts kept", counted(plugin, "newlyRejected"), 3)
}
