package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net/http/httptest"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// newService is a converter whose certificate is for the name of a service.
func newService(t *testing.T, name string) *converter {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(t, err)
	c := &converter{}
	c.Server = httptest.NewUnstartedServer(c)
	c.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

// A webhook is named by its service, as manifests for clusters do, and verified by the service's name.
func TestConversionByAService(t *testing.T) {
	const group = "service.test"
	hook := newService(t, "converter.tools.svc")
	s := startServer(t, "--bundled-plugins=false", "--service-endpoints", "converter.tools.svc:9443="+hook.Listener.Addr().String())
	definition := hook.cronTabDefinition(t, "v1", group)
	use := func(obj *unstructured.Unstructured, name string) {
		bundle, _, err := unstructured.NestedString(obj.Object, "spec", "conversion", "webhook", "clientConfig", "caBundle")
		must(t, err)
		service := map[string]any{"name": name, "namespace": "tools", "port": int64(9443), "path": "/convert"}
		must(t, unstructured.SetNestedMap(obj.Object, map[string]any{"service": service, "caBundle": bundle}, "spec", "conversion", "webhook", "clientConfig"))
	}
	use(definition, "converter")
	define(t, s, definition)
	of := func(version string) *unstructured.UnstructuredList {
		list, err := s.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: version, Resource: "crontabs"}).List(within(t), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	v1 := s.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "crontabs"}).Namespace("default")
	_, err := v1.Create(within(t), parse(t, "{apiVersion: service.test/v1, kind: CronTab, metadata: {name: a}, host: h, port: '1'}"), metav1.CreateOptions{})
	must(t, err)
	equal(t, "hostPort", raw(&of("v1beta1").Items[0], "hostPort"), `"h:1"`)
	equal(t, "host", raw(&of("v1").Items[0], "host"), `"h"`)

	// A service that nobody knows fails what has to be converted, naming it; what is asked for as it is stored is served, and deleted.
	client := s.dynamic(t).Resource(definitions)
	now, err := client.Get(within(t), definition.GetName(), metav1.GetOptions{})
	must(t, err)
	use(now, "nowhere")
	_, err = client.Update(within(t), now, metav1.UpdateOptions{})
	must(t, err)
	_, err = v1.List(within(t), metav1.ListOptions{})
	contains(t, fmt.Sprint(err), "conversion webhook for service.test/v1beta1, Kind=CronTab failed: ", "nowhere.tools.svc")
	equal(t, "hostPort", raw(&of("v1beta1").Items[0], "hostPort"), `"h:1"`)
	k := kubectl{s, "default"}
	contains(t, k.refused(t, "", "get", "crontabs.v1.service.test"), "nowhere.tools.svc")
	contains(t, k.run(t, "delete", "crontabs.v1beta1.service.test", "a"), `"a" deleted`)

	// A definition goes with objects that cannot be converted.
	_, err = s.dynamic(t).Resource(schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: "crontabs"}).Namespace("default").Create(within(t),
		parse(t, "{apiVersion: service.test/v1beta1, kind: CronTab, metadata: {name: b}, hostPort: nothing}"), metav1.CreateOptions{})
	must(t, err)
	contains(t, k.run(t, "delete", "crd", definition.GetName()), "deleted")
}
