package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// curl sends bare HTTP requests with the admin's credentials.
type curl struct {
	server string
	client *http.Client
}

func (s *server) curl(t *testing.T) curl {
	t.Helper()
	config := s.restConfig(t)
	client, err := rest.HTTPClientFor(config)
	must(t, err)
	return curl{config.Host, client}
}

// answer is what came back.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

// do sends one request. Headers are "Name: value".
func (c curl) do(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, c.server+path, strings.NewReader(body))
	must(t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := c.client.Do(req)
	must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	return answer{resp.StatusCode, resp.Header, raw}
}

// status reads the answer as a Status.
func (a answer) status(t *testing.T) metav1.Status {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal(a.body, &status); err != nil || status.Kind != "Status" {
		t.Fatalf("the answer (%d) is no Status: %v\n%s", a.code, err, a.body)
	}
	return status
}

// refused fails unless the answer is a Status of failure with this code, reason and message.
func (a answer) refused(t *testing.T, code int, reason metav1.StatusReason, message string) metav1.Status {
	t.Helper()
	status := a.status(t)
	equal(t, "HTTP code", a.code, code)
	equal(t, "code", int(status.Code), code)
	equal(t, "reason", status.Reason, reason)
	equal(t, "message", status.Message, message)
	return status
}
