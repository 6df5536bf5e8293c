package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A plugin is switched off in etcd, with the servers up and with the last of them down.
func TestDisableInEtcd(t *testing.T) {
	db := startEtcd(t)
	a := startReplica(t, db)
	b := startReplica(t, db)
	served := func(s *server) bool {
		_, err := s.typed(t).AppsV1().Deployments("default").List(within(t), metav1.ListOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		return err == nil
	}
	_, err := a.typed(t).AppsV1().Deployments("default").Create(within(t), newDeployment("kept"), metav1.CreateOptions{})
	must(t, err)
	a.run(t, "plugin", "push", tried(t), "--name", "deployments", "--canary", "50%")

	disable := []string{"plugin", "disable", "deployments", "--etcd-servers", db.ClientURL()}
	contains(t, a.run(t, disable...), "strategyplugin/deployments is disabled")
	for _, s := range []*server{a, b} {
		eventually(t, "that the resource is no longer served", func() bool { return !served(s) })
	}
	plugin := a.plugin(t)
	equal(t, "state", nested(plugin, "status", "state"), "Disabled")
	equal(t, "Active", conditionOf(plugin, "Active").reason, "Disabled")
	equal(t, "Rollout", conditionOf(plugin, "Rollout").reason, "Disabled")
	equal(t, "states", stateOf(plugin, 1)+" "+stateOf(plugin, 2), "Disabled RolledBack")
	contains(t, a.run(t, "plugin", "rollback", "deployments"), "revision 1 is active")
	eventually(t, "that the resource is served again", func() bool { return served(a) && served(b) })

	a.stop()
	b.stop()
	contains(t, a.run(t, disable...), "strategyplugin/deployments is disabled")
	contains(t, a.run(t, disable...), "strategyplugin/deployments is disabled") // once more changes nothing
	must(t, a.start())
	if served(a) {
		t.Error("the plugin was installed again by a start")
	}
	contains(t, a.run(t, "plugin", "rollback", "deployments", "--to-revision", "1"), "revision 1 is active")
	_, err = a.typed(t).AppsV1().Deployments("default").Get(within(t), "kept", metav1.GetOptions{})
	must(t, err)

	out, err := a.stratagem(t, "plugin", "disable", "nobody", "--etcd-servers", db.ClientURL())
	if err == nil {
		t.Errorf("a plugin that is not there was disabled: %s", out)
	}
	contains(t, out, `strategyplugins.stratagem.dev "nobody" not found`)
	out, err = a.stratagem(t, "plugin", "disable", "deployments", "--data-dir", t.TempDir())
	if err == nil {
		t.Errorf("a data dir without etcd was taken: %s", out)
	}
	contains(t, out, "--data-dir: ")
}
