package migration

import "github.com/prometheus/client_golang/prometheus"

// metrics are what /metrics tells of migrations.
type metrics struct {
	objects    *prometheus.CounterVec
	migrations *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		objects: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stratagem_storage_migration_objects_total", Help: "Objects that storage migrations have looked at, by what was done: current, rewritten, failed.",
		}, []string{"group", "resource", "outcome"}),
		migrations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stratagem_storage_migrations_total", Help: "Storage migrations that have ended, by how: Succeeded, Failed.",
		}, []string{"group", "resource", "outcome"}),
	}
	registry.MustRegister(m.objects, m.migrations)
	return m
}
