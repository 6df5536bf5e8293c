package e2e

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What a canary answers is the same on every replica, on a dry run and on an update.
func TestCanary(t *testing.T) {
	db := startEtcd(t)
	a, b := startReplica(t, db), startReplica(t, db)
	onA, onB := a.typed(t).AppsV1().Deployments("default"), b.typed(t).AppsV1().Deployments("default")
	contains(t, a.run(t, "plugin", "push", tried(t), "--name", "deployments", "--canary", "30%"), "strategyplugin/deployments revision 2 is in canary")
	chosen := 0
	for i := range 40 {
		name := fmt.Sprintf("c-%d", i)
		want := answeredBy("default", name, 30)
		chosen += len(want)
		created, err := onA.Create(within(t), trying(name, "stamp"), metav1.CreateOptions{})
		must(t, err)
		equal(t, "stamp of "+name, created.Annotations["answered-by"], want)
		dry, err := onB.Create(within(t), trying(name+"-dry", "stamp"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		must(t, err)
		equal(t, "stamp of the dry run of "+name, dry.Annotations["answered-by"], answeredBy("default", name+"-dry", 30))
		changed, err := onB.Patch(within(t), name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"answered-by":null,"n":"1"}}}`), metav1.PatchOptions{})
		must(t, err)
		equal(t, "stamp of the patched "+name, changed.Annotations["answered-by"], want)
	}
	if chosen == 0 || chosen == 40 {
		t.Errorf("%d of 40 were chosen", chosen)
	}
	for _, prefix := range []string{"g-", "h-", "i-", "j-", "k-", "l-"} {
		for range 3 {
			d := trying("", "stamp")
			d.GenerateName, d.Spec = prefix, newDeployment("x").Spec
			got, err := onB.Create(within(t), d, metav1.CreateOptions{})
			must(t, err)
			equal(t, "stamp of "+got.Name, got.Annotations["answered-by"], answeredBy("default", prefix, 30))
		}
	}
	eventually(t, "counts of both servers", func() bool {
		replicas := a.plugin(t).Object["status"].(map[string]any)["rollout"].(map[string]any)["replicas"]
		list, _ := replicas.([]any)
		return len(list) == 2 && counted(a.plugin(t), "requests") > int64(2*chosen)
	})
	contains(t, a.run(t, "plugin", "promote", "deployments"), "revision 2 is active")
	for i := range 5 { // not eventually: the very next write on the other server is made by the promoted revision
		got, err := onB.Create(within(t), trying(fmt.Sprintf("promoted-%d", i), "stamp"), metav1.CreateOptions{})
		must(t, err)
		equal(t, "stamp of "+got.Name, got.Annotations["answered-by"], "2")
	}
	plugin := a.plugin(t)
	equal(t, "states", stateOf(plugin, 1)+" "+stateOf(plugin, 2), "Superseded Active")
	equal(t, "condition", conditionOf(plugin, "Rollout"), told{"False", "Promoted", "revision 2 was promoted"})
	contains(t, b.run(t, "plugin", "rollback", "deployments"), "revision 1 is active")
	got, err := onA.Create(within(t), trying("rolled-back", "stamp"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "stamp after the rollback", got.Annotations["answered-by"], "")
}

// A canary by labels of namespaces, asked for in the spec; what cannot be is refused by field.
func TestCanaryByNamespace(t *testing.T) {
	s := startServer(t)
	k := kubectl{s, ""}
	s.run(t, "plugin", "push", tried(t), "--name", "deployments", "--shadow")
	for name, value := range map[string]string{"tester": "test", "producer": "prod"} {
		k.run(t, "create", "namespace", name)
		k.run(t, "label", "namespace", name, "env="+value)
	}
	patch := func(rollout string) []string {
		return []string{"patch", "strategyplugin", "deployments", "--type=merge", "-p", `{"spec":{"rollout":` + rollout + `}}`}
	}
	for rollout, want := range map[string]string{
		`{"percent":0,"mode":"Canary"}`:    "spec.rollout.percent: Invalid value: 0: must be between 1 and 100, inclusive",
		`{"percent":101}`:                  "spec.rollout.percent: Invalid value: 101: must be between 1 and 100, inclusive",
		`{"mode":"Blue"}`:                  `spec.rollout.mode: Unsupported value: "Blue": supported values: "Shadow", "Canary"`,
		`{"mode":"Canary","percent":null}`: "spec.rollout.percent: Required value: a canary needs a percentage, or a namespaceSelector, or both",
		`{"revision":1}`:                   "spec.rollout.revision: Invalid value: 1: is the active revision",
		`{"revision":99}`:                  "spec.rollout.revision: Invalid value: 99: is not in the history; there are: 1, 2",
		`{"revision":-1}`:                  "spec.rollout.revision: Invalid value: -1: must be the number of a revision",
		`{"maxErrorPercent":5}`:            "spec.rollout.maxErrorPercent: Forbidden: a shadow answers nothing, so nothing ends it",
		`{"mode":"Canary","percent":5,"maxErrorPercent":-1}`:                           "spec.rollout.maxErrorPercent: Invalid value: -1: must be between 0 and 100, inclusive",
		`{"mode":"Canary","percent":5,"minRequests":0}`:                                "spec.rollout.minRequests: Invalid value: 0: must be between 1 and 1000, inclusive",
		`{"namespaceSelector":{"matchLabels":{"a b":"c"}}}`:                            "spec.rollout.namespaceSelector.matchLabels: Invalid value: \"a b\"",
		`{"namespaceSelector":{"matchExpressions":[{"key":"a","operator":"Nearly"}]}}`: "spec.rollout.namespaceSelector.matchExpressions[0].operator: Invalid value: \"Nearly\"",
	} {
		contains(t, k.refused(t, "", patch(rollout)...), want)
	}
	contains(t, k.refused(t, "", patch(`{"percent":"ten"}`)...), "percent")
	contains(t, k.refused(t, "", "patch", "strategyplugin", "deployments", "--type=merge", "-p", `{"spec":{"revisionHistoryLimit":0}}`),
		"spec.revisionHistoryLimit: Invalid value: 0: must be between 1 and 100, inclusive")

	k.run(t, patch(`{"mode":"Canary","namespaceSelector":{"matchLabels":{"env":"test"}}}`)...)
	equal(t, "condition", conditionOf(s.plugin(t), "Rollout"), told{"True", "Canary", "revision 2 answers 100% of the writes in the selected namespaces"})
	for namespace, want := range map[string]string{"tester": "2", "producer": "", "default": ""} {
		got, err := s.typed(t).AppsV1().Deployments(namespace).Create(within(t), trying("a", "stamp"), metav1.CreateOptions{})
		must(t, err)
		equal(t, "stamp in "+namespace, got.Annotations["answered-by"], want)
	}
	k.run(t, "label", "namespace", "tester", "env-")
	eventually(t, "that the labels of the namespace are known", func() bool {
		got, err := s.typed(t).AppsV1().Deployments("tester").Create(within(t), trying("b", "stamp"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		must(t, err)
		return got.Annotations["answered-by"] == ""
	})
	k.run(t, patch("null")...)
	equal(t, "reason of the end", conditionOf(s.plugin(t), "Rollout").reason, "Ended")
}

// Only hooks can be tried: what else differs is named.
func TestCanaryOfAnotherDescription(t *testing.T) {
	s := startServer(t)
	out, err := s.stratagem(t, "plugin", "push", bundled("crontabs"), "--name", "deployments", "--canary", "10%")
	if err == nil {
		t.Fatalf("it was taken: %s", out)
	}
	contains(t, out, "module.describe: ")
	out, err = s.stratagem(t, "plugin", "push", bundled("crontabs"), "--name", "anew", "--shadow")
	if err == nil {
		t.Fatalf("it was taken: %s", out)
	}
	for _, args := range [][]string{{"--canary", "0%"}, {"--canary", "many"}, {"--shadow", "--canary", "1%"}, {"--min-requests", "3"}, {"--canary-namespaces", "a b"}} {
		if out, err := s.stratagem(t, append([]string{"plugin", "push", tried(t), "--name", "deployments"}, args...)...); err == nil {
			t.Errorf("%v was taken: %s", args, out)
		}
	}
	out, err = s.stratagem(t, "plugin", "promote", "deployments")
	if err == nil || !strings.Contains(out, "no revision is on trial") {
		t.Errorf("promote without a trial: %v, %s", err, out)
	}
	got, err := s.typed(t).AppsV1().Deployments("default").Create(within(t), trying("a", "stamp"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "stamp", got.Annotations["answered-by"], "")
}

// A canary that traps is rolled back by itself, on every replica at once.
func TestCanaryRollsBackByItself(t *testing.T) {
	db := startEtcd(t)
	a, b := startReplica(t, db), startReplica(t, db)
	onA, onB := a.typed(t).AppsV1().Deployments("default"), b.typed(t).AppsV1().Deployments("default")
	a.run(t, "plugin", "push", tried(t), "--name", "deployments", "--canary", "50%", "--min-requests", "4", "--max-error-percent", "25")
	var names []string // those that the canary answers
	for i := 0; len(names) < 8; i++ {
		if name := fmt.Sprintf("broken-%d", i); inCanary("default", name, 50) {
			names = append(names, name)
		}
	}
	for i, name := range names[:4] {
		what := "stamp"
		if i >= 2 {
			what = "trap"
		}
		_, err := onA.Create(within(t), trying(name, what), metav1.CreateOptions{})
		if what == "stamp" {
			must(t, err)
		} else if err == nil || !strings.Contains(err.Error(), "the new revision is broken") {
			t.Errorf("request %d of a broken canary: %v", i, err)
		}
	}
	// Not eventually: the answer to the request that was one too many came after the end, and no other write is made by the canary.
	for _, name := range names[4:] {
		got, err := onB.Create(within(t), trying(name, "trap"), metav1.CreateOptions{})
		must(t, err)
		equal(t, "stamp", got.Annotations["answered-by"], "")
	}
	plugin := a.plugin(t)
	condition := conditionOf(plugin, "Rollout")
	equal(t, "condition", condition.status+" "+condition.reason, "False ErrorRateExceeded")
	contains(t, condition.message, "the canary of revision 2 was rolled back: 2 of the last 4 requests that it answered on one server failed, at most 25% may", "the new revision is broken")
	equal(t, "state", stateOf(plugin, 2), "RolledBack")
	equal(t, "mode that is asked for", nested(plugin, "spec", "rollout", "mode"), "")
	eventually(t, "the counts", func() bool { return counted(a.plugin(t), "failed") == 2 })
	contains(t, a.run(t, "plugin", "status", "deployments"), "RolledBack", "ErrorRateExceeded", "2 failed in the plugin")
}
