package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// The cases beside the core pack's sources, taken through the real engine by the compiled module.
func TestCoreCases(t *testing.T) {
	must(t, command(".", nil, bin.stratagem, "plugin", "test", bundled("core"), "../../plugins/core/cases"))
}

// What stock kubectl makes by its own commands, and how it shows it.
func TestKubectlCore(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	k.run(t, "create", "configmap", "settings", "--from-literal=a=1", "--from-literal=b=2")
	k.run(t, "create", "secret", "generic", "opaque", "--from-literal=user=me")
	k.run(t, "create", "secret", "docker-registry", "registry", "--docker-server=r.example.org", "--docker-username=u", "--docker-password=p")
	k.run(t, "create", "serviceaccount", "builder")
	contains(t, k.run(t, "get", "cm,secret,sa"),
		"NAME", "DATA", "AGE", "configmap/settings", "2",
		"NAME", "TYPE", "DATA", "secret/opaque", "Opaque", "1", "secret/registry", "kubernetes.io/dockerconfigjson", "1",
		"NAME", "SECRETS", "AGE", "serviceaccount/builder", "0")
	equal(t, "by type", k.run(t, "get", "secrets", "--field-selector=type=Opaque", "-o", "name"), "secret/opaque\n")
	contains(t, k.refused(t, "", "create", "token", "builder"), "this server issues no tokens")
	contains(t, k.refused(t, "", "create", "secret", "generic", "broken", "--type=kubernetes.io/tls"),
		`Secret "broken" is invalid`, "data[tls.crt]: Required value", "data[tls.key]: Required value")

	k.run(t, "patch", "configmap", "settings", "-p", `{"immutable":true}`)
	contains(t, k.refused(t, "", "patch", "configmap", "settings", "-p", `{"data":{"a":"9"}}`), "data: Forbidden: field is immutable when `immutable` is set")
	k.run(t, "label", "configmap", "settings", "kept=yes")
	k.feed(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"opaque"},"stringData":{"user":"you"}}`, "apply", "--server-side", "--force-conflicts", "-f", "-")
	equal(t, "user", k.run(t, "get", "secret", "opaque", "-o", "jsonpath={.data.user}{.stringData}"), "eW91")

	contains(t, k.run(t, "explain", "lease.spec.holderIdentity"), "holderIdentity contains the identity of the holder")
	contains(t, k.run(t, "delete", "serviceaccount", "builder"), `serviceaccount "builder" deleted`)
}

// Typed clients send JSON or protobuf.
func TestTypedCore(t *testing.T) {
	ns := namespace(t, shared)
	for name, config := range map[string]*rest.Config{"json": shared.restConfig(t), "protobuf": protobufConfig(t, shared)} {
		t.Run(name, func(t *testing.T) {
			client, err := kubernetes.NewForConfig(config)
			must(t, err)
			typedConfigMap(t, client, ns, name)
			typedSecret(t, client, ns, name)
			typedLease(t, client, ns, name)
		})
	}
}

func typedConfigMap(t *testing.T, client kubernetes.Interface, ns, name string) {
	t.Helper()
	all := client.CoreV1().ConfigMaps(ns)
	made, err := all.Create(within(t), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"a": "<&>"}, BinaryData: map[string][]byte{"b": {0, 255, 10}},
	}, metav1.CreateOptions{FieldValidation: "Strict"})
	must(t, err)
	made.Data["a"] = "2"
	made.ResourceVersion = ""
	_, err = all.Update(within(t), made, metav1.UpdateOptions{})
	must(t, err)
	got, err := all.Get(within(t), name, metav1.GetOptions{})
	must(t, err)
	if got.Data["a"] != "2" || !bytes.Equal(got.BinaryData["b"], []byte{0, 255, 10}) {
		t.Errorf("%v %v", got.Data, got.BinaryData)
	}
	_, err = all.Update(within(t), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "missing"}}, metav1.UpdateOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a PUT of a ConfigMap that is not there: %v", err)
	}
}

func typedSecret(t *testing.T, client kubernetes.Interface, ns, name string) {
	t.Helper()
	all := client.CoreV1().Secrets(ns)
	made, err := all.Create(within(t), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"a": []byte("old"), "b": {0, 1}}, StringData: map[string]string{"a": "new"},
	}, metav1.CreateOptions{})
	must(t, err)
	if made.Type != corev1.SecretTypeOpaque || string(made.Data["a"]) != "new" || !bytes.Equal(made.Data["b"], []byte{0, 1}) || made.StringData != nil {
		t.Errorf("%+v", made)
	}
	_, err = all.Patch(within(t), name, types.StrategicMergePatchType, []byte(`{"stringData":{"c":"x"}}`), metav1.PatchOptions{})
	must(t, err)
	made.Data["a"] = make([]byte, 1<<20)
	if _, err := all.Update(within(t), made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a stale update: %v", err)
	}
	made.ResourceVersion = ""
	_, err = all.Update(within(t), made, metav1.UpdateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Fatalf("more than a MiB: %v", err)
	}
	contains(t, err.Error(), "data: Too long: may not be more than 1048576 bytes")
	made.Data = map[string][]byte{"a": make([]byte, 1<<20)}
	made, err = all.Update(within(t), made, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "bytes", len(made.Data["a"]), 1<<20)
	large := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name + "-large"}, StringData: map[string]string{"a": strings.Repeat("y", 1<<20)}}
	_, err = all.Create(within(t), large, metav1.CreateOptions{})
	must(t, err)
	large = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name + "-config"}, Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{
		corev1.DockerConfigJsonKey: []byte(`{"auths":{"x":"` + strings.Repeat("y", 1<<20-20) + `"}}`),
	}}
	_, err = all.Create(within(t), large, metav1.CreateOptions{})
	must(t, err)
}

func typedLease(t *testing.T, client kubernetes.Interface, ns, name string) {
	t.Helper()
	all := client.CoordinationV1().Leases(ns)
	holder, seconds, now := "one", int32(15), metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: coordinationv1.LeaseSpec{
		HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now, PreferredHolder: &holder,
	}}
	lease, err := all.Update(within(t), lease, metav1.UpdateOptions{}) // a Lease is created by PUT
	must(t, err)
	if !lease.Spec.RenewTime.Equal(&now) || lease.Spec.PreferredHolder != nil {
		t.Errorf("%+v", lease.Spec)
	}
	stale := lease.DeepCopy()
	other := "two"
	lease.Spec.HolderIdentity = &other
	_, err = all.Update(within(t), lease, metav1.UpdateOptions{})
	must(t, err)
	if _, err = all.Update(within(t), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a stale update of a lease: %v", err)
	}
	stale.ResourceVersion = ""
	if _, err = all.Update(within(t), stale, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an update of a lease without a resourceVersion: %v", err)
	}
}
