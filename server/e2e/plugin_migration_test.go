package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// buildMigrating compiles testdata/migrating.go, laid over the CronTabs' plugin: its resource has these versions, of which the
// last one is stored.
func buildMigrating(t *testing.T, versions string) string {
	t.Helper()
	dir := t.TempDir()
	plugin, err := filepath.Abs("../../plugins/crontabs")
	must(t, err)
	source, err := os.ReadFile("testdata/migrating.go")
	must(t, err)
	file := filepath.Join(dir, "main.go")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(source), `"VERSIONS"`, fmt.Sprintf("%q", versions))), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(plugin, "main.go"): file}})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
	out := filepath.Join(dir, "migrating.wasm")
	must(t, command(plugin, []string{"GOFLAGS=-overlay=" + filepath.Join(dir, "overlay.json")}, bin.stratagem, "plugin", "build", "--compiler", "go", ".", "-o", out))
	return out
}

// The life of a version of a resource that a plugin defines: revisions of the plugin bring the new version and take the old
// one away, as soon as no object is stored in it.
func TestLifeOfAVersionOfAPlugin(t *testing.T) {
	const group, objects = "plugin.migration.test", 60
	first, both, last := buildMigrating(t, "v1beta1"), buildMigrating(t, "v1beta1 v1"), buildMigrating(t, "v1")
	db := startEtcd(t)
	s := startReplica(t, db, "--bundled-plugins=false")
	gvr := schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "crontabs"}
	stored := func() string {
		plugin, err := s.dynamic(t).Resource(plugins).Get(within(t), "migrating", metav1.GetOptions{})
		must(t, err)
		resources := plugin.Object["status"].(map[string]any)["resources"].([]any)
		return fmt.Sprint(resources[0].(map[string]any)["storedVersions"])
	}
	refused := func(file, version string) {
		t.Helper()
		out, err := s.stratagem(t, "plugin", "push", file, "--name", "migrating")
		if err == nil {
			t.Errorf("a revision that does not have %s was taken: %s", version, out)
		}
		contains(t, out, "objects are stored in version "+version+", which the module does not have")
	}

	s.push(t, "migrating", first)
	names := createOld(t, s.dynamic(t).Resource(gvr).Namespace("default"), "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: %s}, hostPort: 'h:1'}", objects)
	refused(last, "v1beta1")
	s.push(t, "migrating", both)
	equal(t, "stored versions", stored(), "[v1 v1beta1]")
	refused(last, "v1beta1")

	stop := startWriters(t, s, gvr, names, "v1beta1", "v1")
	out, err := s.stratagem(t, "migrate", "crontabs."+group)
	must(t, err)
	contains(t, out, "created", fmt.Sprintf("The migration has succeeded: %d of %d objects seen", objects, objects))
	equal(t, "stored objects by version", storedIn(t, db, group, "crontabs"), fmt.Sprintf("map[v1:%d]", objects))
	equal(t, "stored versions", stored(), "[v1]")
	stop()

	s.push(t, "migrating", last)
	c := s.curl(t)
	equal(t, "code of v1beta1", c.do(t, "GET", "/apis/"+group+"/v1beta1/namespaces/default/crontabs/old-0001", "").code, 404)
	got, err := s.dynamic(t).Resource(gvr.GroupResource().WithVersion("v1")).Namespace("default").Get(within(t), "old-0001", metav1.GetOptions{})
	must(t, err)
	equal(t, "host and port", raw(got, "host")+raw(got, "port"), `"h""1"`)
	refused(first, "v1")
}
