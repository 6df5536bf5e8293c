package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pluginDiff is a PluginDiff as far as the test looks at it.
type pluginDiff struct {
	Resources []struct {
		Resource, ResourceVersion string
		Objects, Differing        int64
		Update, Create            struct{ Requests, NewlyRejected, NewlyTaken, DifferentObjects, Failed int64 }
	}
}

// A module is run over all stored objects before it is trusted, and tells what it would make of them. Nothing is written.
func TestDiffOverStoredObjects(t *testing.T) {
	s := startServer(t)
	deployments := s.typed(t).AppsV1().Deployments("default")
	objects := 0
	for what, n := range map[string]int{"": 20, "reject": 4, "trap": 2, "loop": 1, "stamp": 3} {
		for i := range n {
			_, err := deployments.Create(within(t), trying(fmt.Sprintf("stored-%sx-%d", what, i), what), metav1.CreateOptions{})
			must(t, err)
			objects++
		}
	}
	before, err := deployments.List(within(t), metav1.ListOptions{})
	must(t, err)

	out, err := s.stratagem(t, "plugin", "diff", "deployments", tried(t), "-o", "json")
	if err == nil {
		t.Error("the command succeeded, though there are differences")
	}
	var diff pluginDiff
	must(t, json.Unmarshal([]byte(lastJSON(out)), &diff))
	equal(t, "resources", len(diff.Resources), 1)
	r := diff.Resources[0]
	equal(t, "resource", r.Resource, "deployments.apps")
	equal(t, "objects", r.Objects, int64(objects))
	equal(t, "resourceVersion", r.ResourceVersion, before.ResourceVersion)
	equal(t, "differing", r.Differing, 4+2+1+3)
	equal(t, "puts", r.Update.Requests, int64(objects))
	equal(t, "puts newly rejected", r.Update.NewlyRejected, 0) // the stricter rule is for new objects
	equal(t, "puts changed", r.Update.DifferentObjects, 3)
	equal(t, "creates newly rejected", r.Create.NewlyRejected, 4)
	equal(t, "creates failed", r.Create.Failed, 3)
	equal(t, "creates changed", r.Create.DifferentObjects, 3)
	after, err := deployments.List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "resourceVersion of what was compared", after.Items[0].ResourceVersion, before.Items[0].ResourceVersion)
	equal(t, "revision", s.plugin(t).Object["status"].(map[string]any)["activeRevision"], any(int64(1)))

	out, _ = s.stratagem(t, "plugin", "diff", "deployments", tried(t))
	contains(t, out, "beside the active revision 1", "deployments.apps: 30 objects at resourceVersion", "10 of them differ", "put as they are", "created anew", "4 newly rejected")
	contains(t, out, "NewlyRejected: create deployments.apps default/stored-rejectx-", "candidate spec.replicas: Invalid value: 1: is stricter now")
	contains(t, out, "stratagem: the candidate makes something else of stored objects")

	s.run(t, "plugin", "push", tried(t), "--name", "deployments")
	contains(t, s.run(t, "plugin", "diff", "deployments", tried(t)), "30 objects", "0 of them differ")
	out, _ = s.stratagem(t, "plugin", "diff", "deployments", "--revision", "1", "-o", "json")
	contains(t, out, "PluginDiff")
	must(t, json.Unmarshal([]byte(lastJSON(out)), &diff))
	equal(t, "creates newly taken", diff.Resources[0].Create.NewlyTaken, 4+3)
}

// lastJSON is the last line of an output that is JSON.
func lastJSON(out string) (last string) {
	for line := range strings.Lines(out) {
		if json.Valid([]byte(line)) && line != "" && line[0] == '{' {
			last = line
		}
	}
	return last
}

func TestDiffRefuses(t *testing.T) {
	broken := t.TempDir() + "/broken.wasm"
	must(t, os.WriteFile(broken, []byte("\x00asm"), 0o600))
	for want, args := range map[string][]string{
		"either SOURCE or --revision is required":                        {"deployments"},
		`strategyplugins.stratagem.dev "absent" not found`:               {"absent", "--revision", "1"},
		"revision: Invalid value: 99: is not in the history; there are:": {"deployments", "--revision", "99"},
		`StrategyPlugin.stratagem.dev "deployments" is invalid`:          {"deployments", broken},
		`--output "yaml": must be "json"`:                                {"deployments", "--revision", "1", "-o", "yaml"},
	} {
		out, err := shared.stratagem(t, append([]string{"plugin", "diff"}, args...)...)
		if err == nil {
			t.Errorf("%v succeeded", args)
		}
		contains(t, out, want)
	}
}
