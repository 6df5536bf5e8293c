package e2e

import (
	"bytes"
	"encoding/json"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// Events lie under one key, in the core group's form, and live for an hour, or as long as the operator says.
func TestEventsExpire(t *testing.T) {
	db := startEtcd(t)
	s := startReplica(t, db)
	modern := s.typed(t).EventsV1().Events("default")
	_, err := modern.Create(within(t), newEvent("default", "hour"), metav1.CreateOptions{})
	must(t, err)
	granted, value := lifeOf(t, db.Client(), "/registry/events/default/hour")
	if granted < 3600 || granted > 3700 {
		t.Errorf("an event lives for %d s", granted)
	}
	var stored map[string]any
	must(t, json.Unmarshal(value, &stored))
	equal(t, "stored as", stored["apiVersion"], any("v1"))
	equal(t, "stored message", stored["message"], any("bound"))
	must(t, s.typed(t).CoreV1().Events("default").Delete(within(t), "hour", metav1.DeleteOptions{}))

	short := startReplica(t, db, "--event-ttl=2s")
	client := short.typed(t)
	watching, err := client.CoreV1().Events("default").Watch(within(t), metav1.ListOptions{})
	must(t, err)
	defer watching.Stop()
	_, err = client.CoreV1().Events("default").Create(within(t), coreEvent("default", "short"), metav1.CreateOptions{})
	must(t, err)
	for _, want := range []string{"ADDED", "DELETED"} {
		change := <-watching.ResultChan()
		equal(t, "change", string(change.Type), want)
	}
	_, err = client.CoreV1().ConfigMaps("default").Create(within(t), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "lasting"}}, metav1.CreateOptions{})
	must(t, err)
	if granted, _ := lifeOf(t, db.Client(), "/registry/configmaps/default/lasting"); granted != 0 {
		t.Errorf("a ConfigMap lives for %d s", granted)
	}
}

// lifeOf is how many seconds a key was granted, 0 for ever, and its value.
func lifeOf(t *testing.T, client *clientv3.Client, key string) (seconds int64, value []byte) {
	t.Helper()
	got, err := client.Get(within(t), key)
	must(t, err)
	if len(got.Kvs) != 1 {
		t.Fatalf("etcd has no key %s; it has %s", key, keysOf(t, client))
	}
	if got.Kvs[0].Lease == 0 {
		return 0, got.Kvs[0].Value
	}
	life, err := client.TimeToLive(within(t), clientv3.LeaseID(got.Kvs[0].Lease))
	must(t, err)
	return life.GrantedTTL, got.Kvs[0].Value
}

// What a kube-apiserver has left in etcd, in protobuf, is read through every group that shows it, and written back as JSON.
func TestCoreStoredByKubernetes(t *testing.T) {
	db := startEtcd(t)
	s := startReplica(t, db)
	holder, name := "kube", metav1.ObjectMeta{Name: "left", Namespace: "default", UID: "d9607e19-f88f-11e6-a518-42010a800195"}
	event := coreEvent("default", "left")
	event.ObjectMeta = name
	for key, obj := range map[string]runtime.Object{
		"/registry/configmaps/default/left":      &corev1.ConfigMap{ObjectMeta: name, BinaryData: map[string][]byte{"b": {0, 1, 2}}},
		"/registry/secrets/default/left":         &corev1.Secret{ObjectMeta: name, Type: "Opaque", Data: map[string][]byte{"a": []byte("secret")}},
		"/registry/serviceaccounts/default/left": &corev1.ServiceAccount{ObjectMeta: name, Secrets: []corev1.ObjectReference{{Name: "s"}}},
		"/registry/events/default/left":          event,
		"/registry/leases/default/left":          &coordinationv1.Lease{ObjectMeta: name, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}},
	} {
		gvks, _, err := scheme.Scheme.ObjectKinds(obj)
		must(t, err)
		obj.GetObjectKind().SetGroupVersionKind(gvks[0])
		var out bytes.Buffer
		must(t, protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(obj, &out))
		_, err = db.Client().Put(within(t), key, out.String())
		must(t, err)
	}
	client := s.typed(t)
	eventually(t, "the ConfigMap", func() bool {
		got, err := client.CoreV1().ConfigMaps("default").Get(within(t), "left", metav1.GetOptions{})
		return err == nil && bytes.Equal(got.BinaryData["b"], []byte{0, 1, 2})
	})
	secret, err := client.CoreV1().Secrets("default").Get(within(t), "left", metav1.GetOptions{})
	must(t, err)
	equal(t, "secret", string(secret.Data["a"]), "secret")
	account, err := client.CoreV1().ServiceAccounts("default").Get(within(t), "left", metav1.GetOptions{})
	must(t, err)
	equal(t, "secrets", account.Secrets[0].Name, "s")
	lease, err := client.CoordinationV1().Leases("default").Get(within(t), "left", metav1.GetOptions{})
	must(t, err)
	equal(t, "holder", *lease.Spec.HolderIdentity, "kube")
	old, err := client.CoreV1().Events("default").Get(within(t), "left", metav1.GetOptions{})
	must(t, err)
	equal(t, "message", old.Message, "pulled")
	modern, err := client.EventsV1().Events("default").Get(within(t), "left", metav1.GetOptions{})
	must(t, err)
	equal(t, "note", modern.Note, "pulled")
	contains(t, kubectl{s, "default"}.run(t, "get", "events,cm,secrets,sa,leases"), "pod/web", "configmap/left", "secret/left", "serviceaccount/left", "lease.coordination.k8s.io/left", "kube")

	_, err = client.EventsV1().Events("default").Patch(within(t), "left", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	must(t, err)
	_, value := lifeOf(t, db.Client(), "/registry/events/default/left")
	contains(t, string(value), `"apiVersion":"v1"`, `"involvedObject":`, `"message":"pulled"`)
}
