package e2e

import (
	"context"
	"encoding/hex"
	"net"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// traceReceiver is a collector that keeps the spans that it gets.
type traceReceiver struct {
	collector.UnimplementedTraceServiceServer
	endpoint string

	mu    sync.Mutex
	spans []*trace.Span
}

func startTraceReceiver(t *testing.T) *traceReceiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := &traceReceiver{endpoint: "grpc://" + listener.Addr().String()}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r
}

// Export takes spans.
func (r *traceReceiver) Export(_ context.Context, req *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range req.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// of are the spans of a trace, by their names.
func (r *traceReceiver) of(traceID string) map[string]*trace.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]*trace.Span{}
	for _, span := range r.spans {
		if hex.EncodeToString(span.TraceId) == traceID {
			found[span.Name] = span
		}
	}
	return found
}

// A client that says it is traced gets a span for its request, and below it one for each call of the plugin and each operation
// of the storage; one that says that it is not gets none.
func TestTracing(t *testing.T) {
	receiver := startTraceReceiver(t)
	s := startServer(t, "--tracing-endpoint", receiver.endpoint, "--tracing-sampling-rate-per-million", "0")
	const traced, untraced, parent = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	c, path := s.curl(t), "/apis/example.com/v1/namespaces/default/crontabs"
	post := func(name, header string) {
		t.Helper()
		body := `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"` + name + `"},"spec":{"cronSpec":"* * * * *","image":"i"}}`
		if a := c.do(t, "POST", path, body, "Content-Type: application/json", "traceparent: "+header); a.code != 201 {
			t.Fatalf("%d: %s", a.code, a.body)
		}
	}
	post("untraced", "00-"+untraced+"-"+parent+"-00")
	post("traced", "00-"+traced+"-"+parent+"-01")
	eventually(t, "the spans", func() bool { return receiver.of(traced)["create crontabs"] != nil })

	spans := receiver.of(traced)
	request := spans["create crontabs"]
	equal(t, "the request's parent", hex.EncodeToString(request.ParentSpanId), parent)
	hooks, stored := 0, false
	for name, span := range spans {
		if name == "create crontabs" {
			continue
		}
		equal(t, "parent of "+name, hex.EncodeToString(span.ParentSpanId), hex.EncodeToString(request.SpanId))
		if span.StartTimeUnixNano < request.StartTimeUnixNano || span.EndTimeUnixNano > request.EndTimeUnixNano {
			t.Errorf("%s lies outside of the request", name)
		}
		if strings.HasPrefix(name, "hooks ") {
			hooks++
			if revision := attributeOf(span, "stratagem.revision"); revision != "crontabs@1" {
				t.Errorf("%s is of %s", name, revision)
			}
		}
		if name == "storage create" {
			stored = true
			equal(t, "key", attributeOf(span, "etcd.key"), "/example.com/crontabs/default/traced")
		}
	}
	if hooks != 2 || !stored {
		t.Errorf("spans: %v", spans)
	}
	equal(t, "code", attributeOf(request, "http.response.status_code"), "201")
	equal(t, "spans of a request that is not sampled", len(receiver.of(untraced)), 0)

	s.stop()
	s.args = []string{"--tracing-endpoint", "localhost:4317"}
	if err := s.start(); err == nil || !strings.Contains(err.Error(), "must be grpc://HOST:PORT or grpcs://HOST:PORT") {
		t.Errorf("an endpoint without a scheme: %v", err)
	}
}

// attributeOf is an attribute of a span as text.
func attributeOf(span *trace.Span, key string) string {
	for _, a := range span.Attributes {
		if a.Key == key {
			if text := a.Value.GetStringValue(); text != "" {
				return text
			}
			return strings.TrimPrefix(a.Value.String(), "int_value:")
		}
	}
	return ""
}
