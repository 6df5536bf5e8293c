package server

import (
	"context"
	"fmt"
	"net/url"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/stratagem-dev/stratagem/engine"
)

// Tracing sends a span for every sampled request, and below it one for each call of a strategy and each operation of the
// storage, to a collector. Requests that are not sampled cost no spans; without a Tracing nothing is wrapped at all.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// TracingOptions are where spans go, and of which requests.
type TracingOptions struct {
	// Endpoint is a collector that speaks OTLP over gRPC: grpc://HOST:PORT in plain text, grpcs://HOST:PORT with TLS.
	Endpoint string
	// PerMillion is how many of a million requests are sampled that do not say themselves, in a traceparent header,
	// whether they are.
	PerMillion int
	// Version of the server.
	Version string
}

// NewTracing makes a Tracing. The collector need not be there yet.
func NewTracing(ctx context.Context, options TracingOptions) (*Tracing, error) {
	if options.PerMillion < 0 || options.PerMillion > 1_000_000 {
		return nil, fmt.Errorf("sampling %d of a million requests: must be between 0 and 1000000", options.PerMillion)
	}
	endpoint, err := url.Parse(options.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Path != "" || endpoint.Scheme != "grpc" && endpoint.Scheme != "grpcs" {
		return nil, fmt.Errorf("endpoint %q: must be grpc://HOST:PORT or grpcs://HOST:PORT", options.Endpoint)
	}
	client := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(endpoint.Host)}
	if endpoint.Scheme == "grpc" {
		client = append(client, otlptracegrpc.WithInsecure())
	}
	exporter, err := otlptracegrpc.New(ctx, client...)
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(float64(options.PerMillion)/1e6))),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "stratagem"), attribute.String("service.version", options.Version))),
	)
	return &Tracing{provider: provider, tracer: provider.Tracer("github.com/stratagem-dev/stratagem/server")}, nil
}

// Close sends what is left.
func (t *Tracing) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// request begins the span of a request, in the trace that the client says it belongs to.
func (t *Tracing) request(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx, span := t.tracer.Start(t.context.Extract(r.Context(), propagation.HeaderCarrier(r.Header)), r.Method, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		if !span.IsRecording() {
			return next(c)
		}
		if target, ok := parseTarget(r.URL.Path); ok {
			verb := verbOf(r.Method, target, r.URL.Query())
			span.SetName(verb + " " + target.resource)
			span.SetAttributes(attribute.String("k8s.verb", verb), attribute.String("k8s.group", target.group), attribute.String("k8s.resource", target.resource),
				attribute.String("k8s.subresource", target.subresource), attribute.String("k8s.namespace.name", target.namespace))
		}
		span.SetAttributes(attribute.String("http.request.method", r.Method), attribute.String("url.path", r.URL.Path))
		c.SetRequest(r.WithContext(ctx))
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		status := c.Response().Status
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= 500 {
			span.SetStatus(codes.Error, fmt.Sprint(status))
		}
		return nil
	}
}

// begin starts a span in a request that is sampled; else it is nil.
func (t *Tracing) begin(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, nil
	}
	return t.tracer.Start(ctx, name, trace.WithAttributes(attributes...))
}

// end ends what begin has started.
func end(span trace.Span, err error) {
	if span == nil {
		return
	}
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// store is a store whose strategies' calls have spans.
func (t *Tracing) store(s *engine.Store) *engine.Store {
	return s.Wrapped(func(subresource string, inner engine.Strategy) engine.Strategy {
		return &tracedStrategy{inner, t, s.Resource.Revision, subresource}
	})
}

// tracedStrategy is a strategy whose calls have spans.
type tracedStrategy struct {
	engine.Strategy
	tracing               *Tracing
	revision, subresource string
}

// Unwrap is the strategy itself.
func (s *tracedStrategy) Unwrap() engine.Strategy { return s.Strategy }

// Run runs the hooks in a span named after them.
func (s *tracedStrategy) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return s.Strategy.Run(ctx, hooks, call)
	}
	ctx, span := s.tracing.begin(ctx, "hooks "+hooks.String(), attribute.String("stratagem.revision", s.revision), attribute.String("k8s.subresource", s.subresource))
	reply, err := s.Strategy.Run(ctx, hooks, call)
	if n := len(reply.Errors); n > 0 {
		span.SetAttributes(attribute.Int("stratagem.field_errors", n))
	}
	end(span, err)
	return reply, err
}

var _ engine.Wrapper = (*tracedStrategy)(nil)
