package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics tells.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	plugins  *prometheus.GaugeVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	m := &metrics{
		registry: registry,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_request_total", Help: "Requests by verb, group, version, resource, subresource and code.",
		}, []string{"verb", "group", "version", "resource", "subresource", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_request_duration_seconds", Help: "Time to answer a request, watches excepted.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 5},
		}, []string{"verb", "group", "resource"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "apiserver_current_inflight_requests", Help: "Requests that are being served."}),
		plugins: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "stratagem_plugin_revision", Help: "The active revision of each strategy plugin.",
		}, []string{"plugin"}),
	}
	registry.MustRegister(m.requests, m.duration, m.inFlight, m.plugins, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// observe counts a request when it has been answered. Names of objects never become labels.
func (m *metrics) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		m.inFlight.Inc()
		defer m.inFlight.Dec()
		err := next(c)
		if err != nil {
			c.Error(err)
		}
		t, ok := parseTarget(c.Request().URL.Path)
		if !ok {
			return nil
		}
		code := c.Response().Status
		if code == http.StatusNotFound {
			t = target{} // a path that does not exist must not make a series of its own
		}
		verb := verbOf(c.Request().Method, t, c.Request().URL.Query())
		m.requests.WithLabelValues(verb, t.group, t.version, t.resource, t.subresource, strconv.Itoa(code)).Inc()
		if verb != "watch" {
			m.duration.WithLabelValues(verb, t.group, t.resource).Observe(time.Since(began).Seconds())
		}
		return nil
	}
}
