package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"

	storagemigrationv1 "k8s.io/api/storagemigration/v1"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// storedIn counts the objects of a resource in etcd by the version that they are stored in.
func storedIn(t *testing.T, db *etcd.Server, group, resource string) string {
	t.Helper()
	page, err := db.Storage("/registry").List(within(t), "/"+group+"/"+resource+"/", engine.ListOptions{})
	must(t, err)
	found := map[string]int{}
	for _, item := range page.Items {
		found[strings.TrimPrefix(engine.Object(item.Data).APIVersion(), group+"/")]++
	}
	return fmt.Sprint(found)
}

// seedDefinition is the seed's CronTab with the versions that it has at one time of its life: "v1beta1:served,storage v1:served".
func (c *converter) seedDefinition(t *testing.T, group, versions string) *unstructured.Unstructured {
	t.Helper()
	definition := c.cronTabDefinition(t, "v1", group)
	all, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	var kept []any
	for _, one := range strings.Fields(versions) {
		name, state, _ := strings.Cut(one, ":")
		for _, version := range all {
			if v := version.(map[string]any); v["name"] == name {
				v["served"], v["storage"] = strings.Contains(state, "served"), strings.Contains(state, "storage")
				kept = append(kept, v)
			}
		}
	}
	must(t, unstructured.SetNestedSlice(definition.Object, kept, "spec", "versions"))
	return definition
}

// redefine changes a definition's spec.
func redefine(t *testing.T, s *server, definition *unstructured.Unstructured) error {
	t.Helper()
	client := s.dynamic(t).Resource(definitions)
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		now, err := client.Get(within(t), definition.GetName(), metav1.GetOptions{})
		must(t, err)
		definition.SetResourceVersion(now.GetResourceVersion())
		_, err = client.Update(within(t), definition, metav1.UpdateOptions{})
		return err
	})
}

// writer counts an annotation of some objects up by patches in one version, until it is stopped. It gives way to a server
// that is not there, and to nothing else.
type writer struct {
	version string
	client  dynamic.ResourceInterface
	names   []string
	errs    []error
	acked   map[string]int
}

func (w *writer) run(ctx context.Context) {
	w.acked = map[string]int{}
	for n := 1; ctx.Err() == nil; n++ {
		name := w.names[n%len(w.names)]
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"%s":"%d"}}}`, w.version, n)
		_, err := w.client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		var answered apierrors.APIStatus
		switch {
		case err == nil:
			w.acked[name] = n
		case ctx.Err() == nil && asStatus(err, &answered):
			w.errs = append(w.errs, err)
			return
		default:
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

func asStatus(err error, into *apierrors.APIStatus) (ok bool) {
	*into, ok = err.(apierrors.APIStatus)
	return ok
}

// startWriters runs a writer for each version; the function returned stops them and looks whether all that was acknowledged is there.
func startWriters(t *testing.T, s *server, gvr schema.GroupVersionResource, names []string, versions ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var writers []*writer
	for _, version := range versions {
		w := &writer{version: version, client: s.dynamic(t).Resource(gvr.GroupResource().WithVersion(version)).Namespace("default"), names: names}
		writers = append(writers, w)
		running.Go(func() { w.run(ctx) })
	}
	return func() {
		t.Helper()
		cancel()
		running.Wait()
		for _, w := range writers {
			if len(w.errs) > 0 || len(w.acked) == 0 {
				t.Errorf("writer of %s: %d objects, %v", w.version, len(w.acked), w.errs)
			}
			for name, n := range w.acked {
				obj, err := w.client.Get(within(t), name, metav1.GetOptions{})
				must(t, err)
				if got, _ := strconv.Atoi(obj.GetAnnotations()[w.version]); got < n {
					t.Errorf("%s: %d of the writer of %s was acknowledged, %d is there", name, n, w.version, got)
				}
			}
		}
	}
}

// createOld creates objects in v1beta1, several at once.
func createOld(t *testing.T, client dynamic.ResourceInterface, manifest string, n int) (names []string) {
	t.Helper()
	work := make(chan string)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for name := range work {
				if _, err := client.Create(within(t), parse(t, fmt.Sprintf(manifest, name)), metav1.CreateOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		names = append(names, fmt.Sprintf("old-%04d", i))
		work <- names[i]
	}
	close(work)
	workers.Wait()
	return names
}

// migrateFirstPage begins a migration of the group's crontabs that is held up behind its first page, until open is called.
func migrateFirstPage(t *testing.T, s *server, hook *converter, group string) (name string, open func()) {
	t.Helper()
	const firstPage = 500
	gate := make(chan struct{})
	open = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	hook.setSpoil(func(r *response) {
		if len(r.Converted) > 0 && metadataOf(r, 0)["name"].(string) >= "old-0700" {
			<-gate
		}
	})
	out, err := s.stratagem(t, "migrate", "--no-wait", "crontab."+group)
	must(t, err)
	name = strings.TrimSuffix(strings.TrimPrefix(out, "storageversionmigration/"), " created\n")
	eventually(t, "a part of the migration", func() bool {
		seen, running := progressOf(t, s, name)
		return running && seen == firstPage
	})
	return name, open
}

func progressOf(t *testing.T, s *server, name string) (seen int64, running bool) {
	t.Helper()
	svm, err := s.dynamic(t).Resource(storageVersionMigrations).Get(within(t), name, metav1.GetOptions{})
	must(t, err)
	seen, _, _ = unstructured.NestedInt64(svm.Object, "status", "progress", "seen")
	return seen, strings.HasPrefix(condition(svm, "Running"), "True MigrationRunning")
}

var storageVersionMigrations = storagemigrationv1.SchemeGroupVersion.WithResource("storageversionmigrations")

// The life of a version as the seed tells it, with clients of both versions writing all the time, and a server that is
// killed in the middle of the migration.
func TestLifeOfAVersionWithItsMigration(t *testing.T) {
	const group, objects = "seed.life.test", 1200
	db := startEtcd(t)
	s, hook := startReplica(t, db, "--bundled-plugins=false"), newConverter(t)
	gvr := schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "crontabs"}
	define(t, s, hook.seedDefinition(t, group, "v1beta1:served,storage"))
	beta := s.dynamic(t).Resource(gvr).Namespace("default")
	names := createOld(t, beta, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: %s}, hostPort: 'h:1'}", objects)

	must(t, redefine(t, s, hook.seedDefinition(t, group, "v1beta1:served,storage v1:served")))
	stop := startWriters(t, s, gvr, names[:100], "v1beta1", "v1")
	must(t, redefine(t, s, hook.seedDefinition(t, group, "v1beta1:served v1:served,storage")))
	contains(t, fmt.Sprint(redefine(t, s, hook.seedDefinition(t, group, "v1:served,storage"))), `status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions`)

	name, open := migrateFirstPage(t, s, hook, group)
	s.kill()
	open()
	hook.asked()
	must(t, s.start())
	contains(t, kubectl{s, ""}.run(t, "wait", "--for=condition=Succeeded", "--timeout=60s", "storageversionmigration/"+name), "condition met")
	equal(t, "objects of the first page that were converted again", fmt.Sprint(hook.converted("old-0200", "old-0499")), "[]")
	stop()

	equal(t, "stored objects by version", storedIn(t, db, group, "crontabs"), fmt.Sprintf("map[v1:%d]", objects))
	definition, err := s.dynamic(t).Resource(definitions).Get(within(t), "crontabs."+group, metav1.GetOptions{})
	must(t, err)
	equal(t, "storedVersions", raw(definition, "status", "storedVersions"), `["v1"]`)
	equal(t, "StorageMigrating", condition(definition, "StorageMigrating"), "False MigrationSucceeded: The migration has succeeded and the stored versions have been updated")

	read := func(version string) int {
		return s.curl(t).do(t, "GET", "/apis/"+group+"/"+version+"/namespaces/default/crontabs/old-0003", "").code
	}
	for _, stage := range []struct {
		versions string
		beta     int
	}{{"v1beta1:served v1:served,storage", 200}, {"v1beta1: v1:served,storage", 404}, {"v1:served,storage", 404}} {
		must(t, redefine(t, s, hook.seedDefinition(t, group, stage.versions)))
		equal(t, stage.versions+": v1beta1", read("v1beta1"), stage.beta)
		equal(t, stage.versions+": v1", read("v1"), 200)
	}
	list, err := s.dynamic(t).Resource(gvr.GroupResource().WithVersion("v1")).Namespace("default").List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "objects", len(list.Items), objects)
	equal(t, "host and port", raw(&list.Items[0], "host")+raw(&list.Items[0], "port"), `"h""1"`)
}

// converted are the names from first to last among what the webhook was asked to convert since the last call of asked.
func (c *converter) converted(first, last string) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.reviews {
		for _, obj := range r.Request.Objects {
			if name := obj["metadata"].(map[string]any)["name"].(string); name >= first && name <= last {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// What cannot be converted fails the migration, which names it; the version stays on the account. Migrations look to clients
// as in Kubernetes.
func TestMigrationThatFails(t *testing.T) {
	const group = "failing.migration.test"
	hook := newConverter(t)
	define(t, shared, hook.seedDefinition(t, group, "v1beta1:served,storage v1:served"))
	gvr := schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "crontabs"}
	client := shared.dynamic(t).Resource(gvr).Namespace("default")
	for name, hostPort := range map[string]string{"good": "h:1", "broken": "nothing"} {
		_, err := client.Create(within(t), parse(t, "{apiVersion: "+group+"/v1beta1, kind: CronTab, metadata: {name: "+name+"}, hostPort: '"+hostPort+"'}"), metav1.CreateOptions{})
		must(t, err)
	}
	must(t, redefine(t, shared, hook.seedDefinition(t, group, "v1beta1:served v1:served,storage")))
	out, err := shared.stratagem(t, "migrate", "crontabs."+group)
	contains(t, fmt.Sprint(err), "exit status 1")
	contains(t, out, "created", `failed: crontabs.failing.migration.test "default/broken": conversion webhook for failing.migration.test/v1beta1, Kind=CronTab failed: hostPort could not be parsed into a separate host and port`)
	definition, err := shared.dynamic(t).Resource(definitions).Get(within(t), "crontabs."+group, metav1.GetOptions{})
	must(t, err)
	equal(t, "storedVersions", raw(definition, "status", "storedVersions"), `["v1beta1","v1"]`)
	equal(t, "StorageMigrating", condition(definition, "StorageMigrating"), "False MigrationFailed: The migration has failed")

	must(t, client.Delete(within(t), "broken", metav1.DeleteOptions{}))
	out, err = shared.stratagem(t, "migrate", "CronTab."+group)
	must(t, err)
	contains(t, out, "The migration has succeeded: 1 of 1 objects seen, 0 rewritten in version v1")
	k := kubectl{shared, ""}
	contains(t, k.run(t, "get", "storageversionmigrations"), "NAME", "RESOURCE", "STATUS", "crontabs."+group, "Failed")
	contains(t, k.run(t, "explain", "storageversionmigration.spec.resource"), "VERSION:    v1\n", "Immutable", "group", "resource")

	for args, want := range map[string]string{
		"nothings":                     `the server doesn't have a resource type "nothings"`,
		"crontabs.nothing":             `the server doesn't have a resource type "crontabs.nothing"`,
		"ct":                           `"ct" is ambiguous: name one of `,
		"crontabs --timeout -1s":       "--timeout -1s: must not be negative",
		"crontabs --kubeconfig /never": "--kubeconfig: open /never",
	} {
		out, err := shared.stratagem(t, append([]string{"migrate"}, strings.Fields(args)...)...)
		if err == nil {
			t.Errorf("migrate %s succeeded", args)
		}
		contains(t, out, want)
	}
}

func TestStorageVersionMigrationByATypedClient(t *testing.T) {
	client := shared.typed(t).StoragemigrationV1().StorageVersionMigrations()
	svm := &storagemigrationv1.StorageVersionMigration{ObjectMeta: metav1.ObjectMeta{GenerateName: "typed-"}}
	_, err := client.Create(within(t), svm, metav1.CreateOptions{})
	equal(t, "causes", fmt.Sprint(causes(t, err)), "[spec.resource.resource: Required value: resource is required]")
	svm.Spec.Resource = metav1.GroupResource{Resource: "namespaces"}
	svm.Status.ResourceVersion = "7"
	created, err := client.Create(within(t), svm, metav1.CreateOptions{})
	must(t, err)
	eventually(t, "the end", func() bool {
		now, err := client.Get(within(t), created.Name, metav1.GetOptions{})
		must(t, err)
		return len(now.Status.Conditions) == 1 && now.Status.Conditions[0].Type == string(storagemigrationv1.MigrationSucceeded) && now.Status.ResourceVersion != "7"
	})
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"resource": map[string]string{"resource": "pods"}}})
	must(t, err)
	_, err = client.Patch(within(t), created.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	equal(t, "causes", fmt.Sprint(causes(t, err)), `[resource: Invalid value: "pods": field is immutable]`)
	got, err := shared.typed(t).StoragemigrationV1beta1().StorageVersionMigrations().Get(within(t), created.Name, metav1.GetOptions{})
	must(t, err)
	equal(t, "resource by v1beta1", got.Spec.Resource.Resource, "namespaces")
}
