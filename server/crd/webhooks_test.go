package crd

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// certificateFor is a certificate for one name, which is its own authority.
func certificateFor(t *testing.T, name string) (tls.Certificate, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// renaming converts by changing the version alone, and fails where a name says "broken". It notes the hosts and paths it was asked at.
func renaming(t *testing.T, asked *[]string) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in reviewRequest
		_ = json.NewDecoder(r.Body).Decode(&in)
		*asked = append(*asked, fmt.Sprintf("%s%s %d", r.Host, r.URL, len(in.Request.Objects)))
		var out []string
		for _, obj := range in.Request.Objects {
			if text := string(obj); strings.Contains(text, "broken") {
				_, _ = fmt.Fprintf(w, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":%q,"result":{"status":"Failure","message":"it is broken"}}}`, in.Request.UID)
				return
			}
			out = append(out, strings.Replace(string(obj), "example.org/v1", "example.org/v2", 1))
		}
		_, _ = fmt.Fprintf(w, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":%q,"result":{"status":"Success"},"convertedObjects":[%s]}}`, in.Request.UID, strings.Join(out, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// definitionOf is a definition whose webhook is configured so.
func definitionOf(config *apiv1.WebhookClientConfig, reviews ...string) *apiv1.CustomResourceDefinition {
	crd := &apiv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.org"
	crd.Spec.Conversion = &apiv1.CustomResourceConversion{Strategy: apiv1.WebhookConverter, Webhook: &apiv1.WebhookConversion{ConversionReviewVersions: reviews, ClientConfig: config}}
	return crd
}

// some are objects to be converted.
func some(t *testing.T, names ...string) (objects []engine.Object) {
	for _, name := range names {
		objects = append(objects, object(t, `{apiVersion: example.org/v1, kind: Widget, metadata: {namespace: apart, name: `+name+`}}`))
	}
	return objects
}

// A service is dialled by its name in the DNS of the cluster, or where its endpoint is said to be; its certificate is for that name.
func TestWebhookByService(t *testing.T) {
	var asked []string
	s := renaming(t, &asked)
	own, bundle := certificateFor(t, "converter.tools.svc")
	s.TLS = &tls.Config{Certificates: []tls.Certificate{own}}
	s.StartTLS()
	address := s.Listener.Addr().String()
	_, foreign := certificateFor(t, "converter.tools.svc")
	port := func(n int32) *int32 { return &n }
	path := "/convert"
	for name, test := range map[string]struct {
		service   apiv1.ServiceReference
		endpoints map[string]string
		bundle    []byte
		want      string // "": it is taken
	}{
		"port and path":     {apiv1.ServiceReference{Namespace: "tools", Name: "converter", Port: port(8443), Path: &path}, map[string]string{"converter.tools.svc:8443": address}, bundle, ""},
		"defaults":          {apiv1.ServiceReference{Namespace: "tools", Name: "converter"}, map[string]string{"converter.tools.svc:443": address}, bundle, ""},
		"another authority": {apiv1.ServiceReference{Namespace: "tools", Name: "converter"}, map[string]string{"converter.tools.svc:443": address}, foreign, "certificate signed by unknown authority"},
		"another name":      {apiv1.ServiceReference{Namespace: "tools", Name: "other"}, map[string]string{"other.tools.svc:443": address}, bundle, "certificate is valid for converter.tools.svc, not other.tools.svc"},
		"no bundle":         {apiv1.ServiceReference{Namespace: "tools", Name: "converter"}, map[string]string{"converter.tools.svc:443": address}, nil, "certificate signed by unknown authority"},
		"a bundle of junk":  {apiv1.ServiceReference{Namespace: "tools", Name: "converter"}, nil, []byte("junk"), "unable to load root certificates: unable to parse bytes as PEM block"},
		"no name":           {apiv1.ServiceReference{Namespace: "tools"}, nil, bundle, "cannot resolve an empty service name or namespace or port"},
		"a bad endpoint":    {apiv1.ServiceReference{Namespace: "tools", Name: "converter"}, map[string]string{"converter.tools.svc:443": "nowhere"}, bundle, "endpoint of service converter.tools.svc:443: address nowhere: missing port in address"},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			c := Webhooks{Endpoints: test.endpoints}.converterOf(definitionOf(&apiv1.WebhookClientConfig{Service: &test.service, CABundle: test.bundle}, "v1"), "Widget")
			_, err := c.Convert(context.Background(), nil, some(t, "a"), "example.org/v2")
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
				return
			}
			if want := map[string]string{"defaults": "converter.tools.svc/ 1", "port and path": "converter.tools.svc:8443/convert 1"}[name]; err != nil || len(asked) != 1 || strings.Replace(asked[0], ":443/", "/", 1) != want {
				t.Errorf("asked %q, error %v, want %s", asked, err, want)
			}
		})
	}
	// Without an endpoint the name itself is dialled.
	host, address, err := Webhooks{}.resolve(&apiv1.ServiceReference{Namespace: "tools", Name: "converter", Port: port(9443)})
	if want := "converter.tools.svc:9443"; host != want || address != want || err != nil {
		t.Errorf("got %s at %s, error %v", host, address, err)
	}
}

// A webhook that never answers costs its caller the timeout, or the end of the request's own time.
func TestWebhookTakesTooLong(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(release)
	config := &apiv1.WebhookClientConfig{URL: &s.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})}
	_, err := Webhooks{Timeout: 50 * time.Millisecond}.converterOf(definitionOf(config, "v1"), "Widget").Convert(context.Background(), nil, some(t, "a"), "example.org/v2")
	if err == nil || !strings.Contains(err.Error(), "conversion webhook for example.org/v1, Kind=Widget failed") || !strings.Contains(err.Error(), "Timeout exceeded") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = Webhooks{}.converterOf(definitionOf(config, "v1"), "Widget").Convert(ctx, nil, some(t, "a"), "example.org/v2")
	if err == nil || !strings.Contains(err.Error(), "context deadline exceeded") {
		t.Errorf("got %v", err)
	}
}

func TestWebhookOfUnknownReviews(t *testing.T) {
	url := "https://127.0.0.1:1/"
	for _, test := range []struct {
		reviews []string
		want    string
	}{{[]string{"v2", "v1alpha1"}, ""}, {[]string{"v2", "v1beta1", "v1"}, "v1beta1"}, {[]string{"v1", "v1beta1"}, "v1"}} {
		c := Webhooks{}.converterOf(definitionOf(&apiv1.WebhookClientConfig{URL: &url}, test.reviews...), "Widget").(*webhook)
		if c.review != test.want {
			t.Errorf("%v: got %q, want %q", test.reviews, c.review, test.want)
		}
		if test.want == "" {
			_, err := c.Convert(context.Background(), nil, some(t, "a"), "example.org/v2")
			if want := "conversion webhook for example.org/v1, Kind=Widget failed: no supported conversion review versions"; fmt.Sprint(err) != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
	if c := (Webhooks{}).converterOf(&apiv1.CustomResourceDefinition{}, "Widget"); c != nil {
		t.Errorf("without a webhook: %v", c)
	}
}

// All objects go in one review, in their order; when one fails, it is found and named.
func TestWebhookNamesTheCulprit(t *testing.T) {
	var asked []string
	s := renaming(t, &asked)
	s.StartTLS()
	c := webhookOf(t, s, "v1")
	out, err := c.Convert(context.Background(), nil, some(t, "c", "a", "b"), "example.org/v2")
	if err != nil || len(asked) != 1 || !strings.HasSuffix(asked[0], " 3") {
		t.Fatalf("asked %q, error %v", asked, err)
	}
	for i, name := range []string{"c", "a", "b"} {
		if out[i].Name() != name || out[i].APIVersion() != "example.org/v2" {
			t.Errorf("object %d is %s", i, out[i])
		}
	}
	const prefix = "conversion webhook for example.org/v1, Kind=Widget failed: it is broken"
	for i := range 5 {
		names := []string{"a", "b", "c", "d", "e"}
		names[i] = "broken-one"
		if _, err := c.Convert(context.Background(), nil, some(t, names...), "example.org/v2"); fmt.Sprint(err) != prefix+` (object "apart/broken-one")` {
			t.Errorf("%v: got %v", names, err)
		}
	}
	if _, err := c.Convert(context.Background(), nil, some(t, "broken"), "example.org/v2"); fmt.Sprint(err) != prefix {
		t.Errorf("one alone: got %v", err)
	}
}

// dialled addresses cannot be looked up where there is no cluster: the error names the service.
func TestWebhookByServiceThatIsNowhere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	service := &apiv1.ServiceReference{Namespace: "tools", Name: "converter"}
	c := Webhooks{Endpoints: map[string]string{"converter.tools.svc:443": closed}}.converterOf(definitionOf(&apiv1.WebhookClientConfig{Service: service}, "v1"), "Widget")
	_, err = c.Convert(context.Background(), nil, some(t, "a"), "example.org/v2")
	if err == nil || !strings.Contains(err.Error(), "converter.tools.svc") || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}
