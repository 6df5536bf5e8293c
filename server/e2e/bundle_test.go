package e2e

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an operator says of a bundled plugin before its first installation holds from the start. Where it cannot be met, the plugin is
// not installed and says why, and the server starts without it.
func TestBundledPluginsThatAreExpected(t *testing.T) {
	db := startEtcd(t)
	a := startReplica(t, db, "--bundled-plugins=false")
	k := kubectl{a, ""}
	for name, spec := range map[string]string{
		"deployments": `{revisionHistoryLimit: 3}`,
		"core":        `{bindings: [{group: expected.test, resources: [things], strategy: nothing.expected.test}]}`,
		"pods":        `{}`,
	} {
		k.feed(t, `{apiVersion: stratagem.dev/v1alpha1, kind: StrategyPlugin, metadata: {name: `+name+`}, spec: `+spec+`}`, "create", "-f", "-")
	}
	contains(t, a.run(t, "plugin", "disable", "pods", "--etcd-servers", db.ClientURL()), "strategyplugin/pods is disabled")
	a.stop()

	b := startReplica(t, db)
	k = kubectl{b, ""}
	_, err := b.typed(t).AppsV1().Deployments("default").Create(within(t), newDeployment("early"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "what was said before", k.run(t, "get", "sp", "deployments", "-o", "jsonpath={.spec}"), `{"revision":1,"revisionHistoryLimit":3}`)
	_, err = b.typed(t).CoordinationV1().Leases("default").List(within(t), metav1.ListOptions{})
	equal(t, "leases are served", !apierrors.IsNotFound(err), false)
	contains(t, k.run(t, "get", "sp", "core", "-o", "yaml"), "was refused: ", "nothing.expected.test")
	_, err = b.typed(t).CoreV1().Pods("default").List(within(t), metav1.ListOptions{})
	equal(t, "pods, which were switched off, are served", !apierrors.IsNotFound(err), false)

	// Once it can be met, the next start installs the plugin.
	k.run(t, "patch", "sp", "core", "--type=merge", "-p", `{"spec":{"bindings":null}}`)
	b.stop()
	must(t, b.start())
	_, err = b.typed(t).CoordinationV1().Leases("default").List(within(t), metav1.ListOptions{})
	must(t, err)
}
