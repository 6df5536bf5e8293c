package host

import (
	"strconv"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratagem-dev/stratagem/engine"
)

// BenchmarkMetrics is the emptiest call of a hook without and with metrics, reset after each call as by default; the last is
// what counts, alone.
func BenchmarkMetrics(b *testing.B) {
	hooks := engine.HooksOf(engine.Canonicalize)
	for _, metrics := range []*Metrics{nil, NewMetrics(prometheus.NewRegistry())} {
		b.Run("call/metrics="+strconv.FormatBool(metrics != nil), func(b *testing.B) {
			s, call := load(b, "counts", Options{Metrics: metrics}), widgetCall(0)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Run(b.Context(), hooks, call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("counting", func(b *testing.B) {
		of := NewMetrics(prometheus.NewRegistry()).of("counts@1")
		b.ReportAllocs()
		for b.Loop() {
			of.called(hooks, callOK, Cost{Fuel: 4711, Time: 12345}, 0)
			of.reset()
		}
	})
}
