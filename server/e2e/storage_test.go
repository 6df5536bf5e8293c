package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// seedObjects are one object of each kind, and the key under which each is stored.
var seedObjects = map[string]struct {
	resource schema.GroupVersionResource
	name     string
}{
	"/registry/pods/default/nginx":                   {schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "nginx"},
	"/registry/deployments/default/nginx-deployment": {schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "nginx-deployment"},
	"/registry/example.com/crontabs/default/a":       {cronTabs, "a"},
	"/registry/namespaces/default":                   {schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "default"},
}

// startReplica runs a server on an external etcd.
func startReplica(t *testing.T, db *etcd.Server, args ...string) *server {
	t.Helper()
	return startServer(t, append([]string{"--etcd-servers", db.ClientURL()}, args...)...)
}

// object reads one of the seed objects.
func (s *server) object(t *testing.T, r schema.GroupVersionResource, name string) *unstructured.Unstructured {
	t.Helper()
	namespace := "default"
	if r.Resource == "namespaces" {
		namespace = ""
	}
	obj, err := s.dynamic(t).Resource(r).Namespace(namespace).Get(within(t), name, metav1.GetOptions{})
	must(t, err)
	return obj
}

func TestExternalEtcd(t *testing.T) {
	db := startEtcd(t)
	a := startReplica(t, db)
	k := kubectl{a, "default"}
	k.run(t, "create", "-f", nginx, "-f", manifests+"/nginx-pod.yaml")
	k.feed(t, cronTab, "create", "-f", "-")
	served := map[string]string{}
	for key, seed := range seedObjects {
		obj := a.object(t, seed.resource, seed.name)
		served[key] = asJSON(t, obj.Object)
		stored, err := db.Client().Get(within(t), key)
		must(t, err)
		if len(stored.Kvs) != 1 {
			t.Fatalf("etcd has no key %s; it has %s", key, keysOf(t, db.Client()))
		}
		equal(t, "resourceVersion of "+key, obj.GetResourceVersion(), fmt.Sprint(stored.Kvs[0].ModRevision))
		unstructured.RemoveNestedField(obj.Object, "metadata", "resourceVersion")
		var value map[string]any
		must(t, json.Unmarshal(stored.Kvs[0].Value, &value))
		equal(t, "value of "+key, asJSON(t, value), asJSON(t, obj.Object))
	}

	b := startReplica(t, db)
	for key, seed := range seedObjects {
		equal(t, key+" from a second server", asJSON(t, b.object(t, seed.resource, seed.name).Object), served[key])
	}
	a.stop()
	must(t, a.start())
	for key, seed := range seedObjects {
		equal(t, key+" after a restart", asJSON(t, a.object(t, seed.resource, seed.name).Object), served[key])
	}
}

func TestEtcdPrefix(t *testing.T) {
	db := startEtcd(t)
	s := startReplica(t, db, "--etcd-prefix", "clusters/one", "--watch-cache=false")
	_, err := s.typed(t).CoreV1().Pods("default").Create(within(t), newPod("p"), metav1.CreateOptions{})
	must(t, err)
	keys := keysOf(t, db.Client())
	if !slices.Contains(keys, "/clusters/one/pods/default/p") {
		t.Errorf("keys: %s", keys)
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, "/clusters/one/") {
			t.Errorf("key %s is outside of the prefix", key)
		}
	}
}

// What others write to etcd is served, or named when it cannot be.
func TestEtcdChangedByOthers(t *testing.T) {
	db := startEtcd(t)
	s := startReplica(t, db)
	client := db.Client()
	const key = "/registry/example.com/crontabs/default/foreign"
	foreign := newCronTab("foreign")
	foreign.SetNamespace("default")
	foreign.SetUID("d9607e19-f88f-11e6-a518-42010a800195")
	_, err := client.Put(within(t), key, asJSON(t, foreign.Object))
	must(t, err)
	k := kubectl{s, "default"}
	eventually(t, "the foreign object", func() bool { return k.try(t, "", "get", "crontab", "foreign").code == 0 })
	k.run(t, "patch", "crontab", "foreign", "--type=merge", "-p", `{"spec":{"replicas":7}}`)
	got, err := client.Get(within(t), key)
	must(t, err)
	contains(t, string(got.Kvs[0].Value), `"replicas":7`)
	_, err = client.Delete(within(t), key)
	must(t, err)
	eventually(t, "its end", func() bool { return k.try(t, "", "get", "crontab", "foreign").code != 0 })

	_, err = client.Put(within(t), key, "no JSON")
	must(t, err)
	eventually(t, "an error that names the key", func() bool {
		return strings.Contains(k.try(t, "", "get", "crontab", "foreign").stderr, "the stored value of key "+strings.TrimPrefix(key, "/registry"))
	})
}

func keysOf(t *testing.T, client *clientv3.Client) (keys []string) {
	t.Helper()
	got, err := client.Get(within(t), "", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	must(t, err)
	for _, kv := range got.Kvs {
		keys = append(keys, string(kv.Key))
	}
	return keys
}

// asJSON is a tree as text, its keys in order.
func asJSON(t *testing.T, tree any) string {
	t.Helper()
	text, err := json.Marshal(tree)
	must(t, err)
	return string(text)
}
