package crd

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// webhookOf is the converter of a definition whose webhook is a server.
func webhookOf(t testing.TB, server *httptest.Server, reviews ...string) engine.Converter {
	t.Helper()
	crd := &apiv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.org"
	crd.Spec.Conversion = &apiv1.CustomResourceConversion{Strategy: apiv1.WebhookConverter, Webhook: &apiv1.WebhookConversion{
		ConversionReviewVersions: reviews,
		ClientConfig: &apiv1.WebhookClientConfig{
			URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
	}}
	return Webhooks{}.converterOf(crd, "Widget")
}

// reviewRequest is a ConversionReview as a webhook gets it.
type reviewRequest struct {
	Request struct {
		UID     string
		Objects []json.RawMessage
	}
}

// answering is a webhook that always says the same; UID stands for the uid of the request.
func answering(t *testing.T, code int, reply string) *httptest.Server {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in reviewRequest
		_ = json.NewDecoder(r.Body).Decode(&in)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, strings.ReplaceAll(reply, "UID", in.Request.UID))
	}))
	t.Cleanup(s.Close)
	return s
}

// Replies that break a rule of ConversionReview are refused in Kubernetes' words.
func TestWebhookIsNotTrusted(t *testing.T) {
	asked := []engine.Object{object(t, `{apiVersion: example.org/v1, kind: Widget, metadata: {name: a, uid: u}}`)}
	const good = `{"apiVersion":"example.org/v2","kind":"Widget","metadata":{"name":"a","uid":"u"}}`
	review := func(version, response string) string {
		return `{"apiVersion":"apiextensions.k8s.io/` + version + `","kind":"ConversionReview","response":` + response + `}`
	}
	success := func(uid, objects string) string {
		return `{"uid":"` + uid + `","result":{"status":"Success"},"convertedObjects":[` + objects + `]}`
	}
	const prefix = "conversion webhook for example.org/v1, Kind=Widget "
	for name, test := range map[string]struct {
		version, reply string
		code           int
		want           string // "": it is taken
	}{
		"good":                 {"v1", review("v1", success("UID", good)), 200, ""},
		"good v1beta1":         {"v1beta1", review("v1beta1", success("UID", good)), 200, ""},
		"v1beta1 without uid":  {"v1beta1", `{"response":` + success("", good) + `}`, 200, ""},
		"no JSON":              {"v1", "no", 200, "failed: invalid character 'o' in literal null (expecting 'u')"},
		"empty":                {"v1", "", 200, "failed: unexpected end of JSON input"},
		"no review":            {"v1", "{}", 200, "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="},
		"another version":      {"v1", review("v1beta1", success("UID", good)), 200, "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1beta1, Kind=ConversionReview"},
		"no response":          {"v1", review("v1", "null"), 200, "failed: no response provided"},
		"another uid":          {"v1", review("v1", success("other", good)), 200, "failed: expected response.uid="},
		"no success":           {"v1", review("v1", `{"uid":"UID"}`), 200, "failed: response.result.status was '', not 'Success'"},
		"more objects":         {"v1", review("v1", success("UID", good+","+good)), 200, "returned 2 objects, expected 1"},
		"an array":             {"v1", review("v1", success("UID", "[]")), 200, "returned invalid converted object at index 0: json: cannot unmarshal"},
		"no metadata":          {"v1", review("v1", success("UID", `{"apiVersion":"example.org/v2","kind":"Widget"}`)), 200, "returned invalid converted object at index 0: missing metadata in converted object"},
		"another namespace":    {"v1", review("v1", success("UID", strings.Replace(good, `"name"`, `"namespace":"n","name"`, 1))), 200, "returned invalid converted object at index 0: must have the same namespace:  != n"},
		"an error of a server": {"v1", "broken", 500, "failed: an error on the server (\"broken\") has prevented the request from succeeding"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := webhookOf(t, answering(t, test.code, test.reply), test.version).Convert(context.Background(), nil, asked, "example.org/v2")
			if test.want == "" {
				if err != nil || len(out) != 1 || string(out[0]) != good {
					t.Errorf("got %s, error %v", out, err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), prefix+test.want) {
				t.Errorf("got  %v\nwant %s", err, prefix+test.want)
			}
		})
	}
}

// The budget of Kubernetes is 50 ms for one object and 1 s for 1 500 objects of 10 kB.
func BenchmarkWebhook(b *testing.B) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in reviewRequest
		_ = json.NewDecoder(r.Body).Decode(&in)
		_, _ = fmt.Fprintf(w, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":%q,"result":{"status":"Success"},"convertedObjects":[`, in.Request.UID)
		for i, obj := range in.Request.Objects {
			if i > 0 {
				_, _ = io.WriteString(w, ",")
			}
			_, _ = io.WriteString(w, strings.Replace(string(obj), "example.org/v1", "example.org/v2", 1))
		}
		_, _ = io.WriteString(w, "]}}")
	}))
	defer s.Close()
	c := webhookOf(b, s, "v1")
	obj := engine.Object(`{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"text":"` + strings.Repeat("x", 10_000) + `"}}`)
	for _, n := range []int{1, 1500} {
		objects := make([]engine.Object, n)
		for i := range objects {
			objects[i] = obj
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Convert(b.Context(), nil, objects, "example.org/v2"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
