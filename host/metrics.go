package host

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratagem-dev/stratagem/engine"
)

// Metrics count what modules do, by plugin, revision and the hooks that ran in one call. Names of objects never become labels.
//
//   - What a call counts with is looked up once for each module and set of hooks.
//   - A nil *Metrics counts nothing.
type Metrics struct {
	calls     *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	fuel      *prometheus.CounterVec
	instances *prometheus.GaugeVec
	started   *prometheus.CounterVec
	resets    *prometheus.CounterVec
	discards  *prometheus.CounterVec
	waiting   *prometheus.GaugeVec
	pauses    *prometheus.CounterVec
	limits    *prometheus.CounterVec
}

// NewMetrics makes the metrics of a host and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, append([]string{"plugin", "revision"}, labels...))
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"plugin", "revision"})
	}
	m := &Metrics{
		calls: counter("stratagem_hook_calls_total", "Calls of a guest by the hooks that it ran and what they came to.", "hooks", "outcome"),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stratagem_hook_duration_seconds", Help: "Time that a guest ran for one call.",
			Buckets: []float64{5e-6, 10e-6, 25e-6, 50e-6, 100e-6, 250e-6, 500e-6, .001, .0025, .005, .01, .025, .05, .1, .5},
		}, []string{"plugin", "revision", "hooks"}),
		fuel:      counter("stratagem_hook_fuel_total", "Fuel that guests have used; approximate where instances are not reset after every call.", "hooks"),
		instances: gauge("stratagem_plugin_instances", "Instances that there are."),
		started:   counter("stratagem_plugin_instances_started_total", "Instances that have been made."),
		resets:    counter("stratagem_plugin_resets_total", "Instances that have been brought back to the snapshot."),
		discards:  counter("stratagem_plugin_discards_total", "Instances that have been thrown away."),
		waiting:   gauge("stratagem_plugin_waiting", "Calls that wait for an instance."),
		pauses:    counter("stratagem_plugin_paused_seconds_total", "Time that long calls have waited in the middle to leave the processors to others."),
		limits:    counter("stratagem_plugin_limit_exceeded_total", "Calls that have exceeded a limit, by its name.", "limit"),
	}
	registry.MustRegister(m.calls, m.duration, m.fuel, m.instances, m.started, m.resets, m.discards, m.waiting, m.pauses, m.limits)
	return m
}

// Forget drops the series of a revision that serves no longer.
func (m *Metrics) Forget(revision string) {
	plugin, number := cutRevision(revision)
	labels := prometheus.Labels{"plugin": plugin, "revision": number}
	for _, vec := range []interface {
		DeletePartialMatch(prometheus.Labels) int
	}{m.calls, m.duration, m.fuel, m.instances, m.started, m.resets, m.discards, m.waiting, m.pauses, m.limits} {
		vec.DeletePartialMatch(labels)
	}
}

// cutRevision takes "crontabs@3" apart.
func cutRevision(revision string) (plugin, number string) {
	if at := strings.LastIndexByte(revision, '@'); at >= 0 {
		return revision[:at], revision[at+1:]
	}
	return revision, ""
}

// outcome is what a call came to, as the metrics have it.
type outcome uint8

const (
	callOK outcome = iota
	callRejected
	callError
	callTrap
	callBudget
	callMalformed
	callBusy
	outcomeCount
)

var outcomeNames = [outcomeCount]string{"ok", "rejected", "error", "trap", "budget", "malformed", "busy"}

// moduleMetrics are those of one revision; nil counts nothing.
type moduleMetrics struct {
	all              *Metrics
	plugin, revision string
	started          prometheus.Counter
	resets, discards prometheus.Counter
	pauses           prometheus.Counter
	instances        prometheus.Gauge
	waiting          prometheus.Gauge

	mu    sync.Mutex // guards the replacement of hooks
	hooks atomic.Pointer[map[engine.Hooks]*hookMetrics]
}

// hookMetrics are those of one set of hooks.
type hookMetrics struct {
	calls    [outcomeCount]prometheus.Counter
	duration prometheus.Observer
	fuel     prometheus.Counter
}

func (m *Metrics) of(revision string) *moduleMetrics {
	if m == nil {
		return nil
	}
	plugin, number := cutRevision(revision)
	of := &moduleMetrics{
		all: m, plugin: plugin, revision: number,
		started: m.started.WithLabelValues(plugin, number), resets: m.resets.WithLabelValues(plugin, number),
		pauses:    m.pauses.WithLabelValues(plugin, number),
		discards:  m.discards.WithLabelValues(plugin, number),
		instances: m.instances.WithLabelValues(plugin, number), waiting: m.waiting.WithLabelValues(plugin, number),
	}
	of.hooks.Store(&map[engine.Hooks]*hookMetrics{})
	return of
}

// of is what calls of these hooks count with. It is made at their first call.
func (m *moduleMetrics) of(hooks engine.Hooks) *hookMetrics {
	if known := (*m.hooks.Load())[hooks]; known != nil {
		return known
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	name, old := hooks.String(), *m.hooks.Load()
	made := &hookMetrics{
		duration: m.all.duration.WithLabelValues(m.plugin, m.revision, name),
		fuel:     m.all.fuel.WithLabelValues(m.plugin, m.revision, name),
	}
	for o := range outcomeCount {
		made.calls[o] = m.all.calls.WithLabelValues(m.plugin, m.revision, name, outcomeNames[o])
	}
	next := make(map[engine.Hooks]*hookMetrics, len(old)+1)
	for h, known := range old {
		next[h] = known
	}
	next[hooks] = made
	m.hooks.Store(&next)
	return made
}

// called counts a call that ran, and the limits that it exceeded.
func (m *moduleMetrics) called(hooks engine.Hooks, o outcome, cost Cost, exceeded uint32) {
	if m == nil {
		return
	}
	of := m.of(hooks)
	of.calls[o].Inc()
	if o != callBusy {
		of.duration.Observe(cost.Time.Seconds())
		of.fuel.Add(float64(max(0, cost.Fuel)))
	}
	if exceeded == 0 {
		return
	}
	for _, limit := range AllLimits() {
		if exceeded&(1<<limit) != 0 {
			m.all.limits.WithLabelValues(m.plugin, m.revision, limit.String()).Inc()
		}
	}
}

func (m *moduleMetrics) start() {
	if m != nil {
		m.started.Inc()
		m.instances.Inc()
	}
}

func (m *moduleMetrics) end() {
	if m != nil {
		m.instances.Dec()
	}
}

func (m *moduleMetrics) reset() {
	if m != nil {
		m.resets.Inc()
	}
}

func (m *moduleMetrics) discard() {
	if m != nil {
		m.discards.Inc()
	}
}

func (m *moduleMetrics) paced(waited time.Duration) {
	if m != nil && waited > 0 {
		m.pauses.Add(waited.Seconds())
	}
}

func (m *moduleMetrics) wait(change float64) {
	if m != nil {
		m.waiting.Add(change)
	}
}
