package command

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server"
)

// tracingFlags are the flags of serve that say where traces go.
type tracingFlags struct {
	endpoint   string
	perMillion int
}

func (f *tracingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.endpoint, "tracing-endpoint", "", "collector to send traces to by OTLP over gRPC: grpc://HOST:PORT in plain text, grpcs://HOST:PORT with TLS; without it there are no traces")
	flags.IntVar(&f.perMillion, "tracing-sampling-rate-per-million", 10_000, "how many of a million requests are traced that do not say themselves, in a traceparent header, whether they are")
}

// open makes the Tracing of the flags, nil where there is none.
func (f *tracingFlags) open(ctx context.Context) (*server.Tracing, error) {
	if f.endpoint == "" {
		return nil, nil
	}
	tracing, err := server.NewTracing(ctx, server.TracingOptions{Endpoint: f.endpoint, PerMillion: f.perMillion, Version: Version})
	if err != nil {
		return nil, fmt.Errorf("--tracing-endpoint, --tracing-sampling-rate-per-million: %w", err)
	}
	return tracing, nil
}

// tracingGrace is how long the end of the server waits for the collector.
const tracingGrace = 5 * time.Second

// closeTracing sends what is left, if the collector takes it.
func closeTracing(tracing *server.Tracing, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), tracingGrace)
	defer cancel()
	if err := tracing.Close(ctx); err != nil {
		log.Warn("sending the last traces", "error", err)
	}
}
