package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// migrated is how many objects of a resource a server's migrations have looked at.
func migrated(t *testing.T, s *server, resource string) (n int) {
	t.Helper()
	text := string(s.curl(t).do(t, "GET", "/metrics", "").body)
	for _, found := range regexp.MustCompile(`stratagem_storage_migration_objects_total\{[^}]*resource="`+resource+`"\} (\d+)`).FindAllStringSubmatch(text, -1) {
		count, err := strconv.Atoi(found[1])
		must(t, err)
		n += count
	}
	return n
}

// Of two servers one does a migration. When it ends in the middle, the other goes on from where it was.
func TestMigrationByOneOfTwoServers(t *testing.T) {
	const group, objects, firstPage = "replicas.life.test", 1200, 500
	db, hook := startEtcd(t), newConverter(t)
	a, b := startReplica(t, db, "--bundled-plugins=false"), startReplica(t, db, "--bundled-plugins=false")
	define(t, a, hook.seedDefinition(t, group, "v1beta1:served,storage v1:served"))
	beta := a.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "crontabs"}).Namespace("default")
	createOld(t, beta, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: %s}, hostPort: 'h:1'}", objects)
	must(t, redefine(t, a, hook.seedDefinition(t, group, "v1beta1:served v1:served,storage")))

	name, open := migrateFirstPage(t, a, hook, group)
	worker, other := a, b
	if migrated(t, a, "crontabs") == 0 {
		worker, other = b, a
	}
	if n := migrated(t, worker, "crontabs"); n < firstPage {
		t.Errorf("the server that migrates has looked at %d objects", n)
	}
	equal(t, "objects that the other has looked at", migrated(t, other, "crontabs"), 0)

	worker.kill()
	open()
	contains(t, kubectl{other, ""}.run(t, "wait", "--for=condition=Succeeded", "--timeout=60s", "storageversionmigration/"+name), "condition met")
	equal(t, "stored objects by version", storedIn(t, db, group, "crontabs"), fmt.Sprintf("map[v1:%d]", objects))
	equal(t, "objects that the other has looked at in the end", migrated(t, other, "crontabs"), objects-firstPage)
	definition, err := other.dynamic(t).Resource(definitions).Get(within(t), "crontabs."+group, metav1.GetOptions{})
	must(t, err)
	equal(t, "storedVersions", raw(definition, "status", "storedVersions"), `["v1"]`)
	must(t, worker.start()) // whoever cleans up asks it
}
