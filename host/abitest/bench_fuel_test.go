package abitest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// bundledObjects are an ordinary object for each of some bundled plugins.
var bundledObjects = []struct{ plugin, apiVersion, kind, resource, spec string }{
	{"crontabs", "example.com/v1", "CronTab", "crontabs", `{"cronSpec":"*/5 * * * *","image":"registry.example.com/cron:1.2.3"}`},
	{"pods", "v1", "Pod", "pods", `{"containers":[{"name":"a","image":"nginx:1.27","ports":[{"containerPort":80}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}`},
	{"deployments", "apps/v1", "Deployment", "deployments", `{"replicas":3,"selector":{"matchLabels":{"app":"a"}},"template":{"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"a","image":"nginx:1.27"}]}}}`},
}

// meterings are the columns of the table; all guests are left as they are after a call, so that nothing but the metering differs.
var meterings = []struct {
	name     string
	metering host.Metering
}{{"unmetered", host.Unbound}, {"fuel", host.Fuel}, {"deadline", host.Deadline}}

// BenchmarkFuelOverhead states for the hooks of the bundled plugins what a call takes unmetered, with fuel, and with wazero's own deadline: one
// table, made in turns so that a noisy machine disturbs all alike. The ratios are medians over the turns; one iteration is a turn.
func BenchmarkFuelOverhead(b *testing.B) {
	rows := fuelRows(b)
	for b.Loop() {
		for _, row := range rows {
			row.turn(b)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-12s %-40s %14s %18s %18s\n", "plugin", "hooks", "unmetered", "fuel", "deadline")
	for _, row := range rows {
		fmt.Fprintf(&table, "%-12s %-40s %11.1f µs", row.plugin, row.hooks, middle(row.took[0])/1000)
		for i := 1; i < len(meterings); i++ {
			ratios := make([]float64, len(row.took[i]))
			for turn := range ratios {
				ratios[turn] = row.took[i][turn] / row.took[0][turn]
			}
			fmt.Fprintf(&table, " %8.1f µs %5.2f×", middle(row.took[i])/1000, middle(ratios))
			b.ReportMetric(middle(ratios), "x-"+row.plugin+"-"+meterings[i].name)
		}
		table.WriteString("\n")
	}
	b.Log(table.String())
	b.ReportMetric(0, "ns/op")
}

// fuelRow is one plugin's hooks under each metering.
type fuelRow struct {
	plugin     string
	hooks      engine.Hooks
	call       *engine.Call
	strategies []*host.Strategy
	took       [][]float64 // nanoseconds of a call, by metering and turn
}

func fuelRows(b *testing.B) (rows []*fuelRow) {
	for _, o := range bundledObjects {
		code, err := os.ReadFile("../../server/bundle/files/" + o.plugin + ".wasm")
		if err != nil {
			b.Fatalf("the bundled plugins are not built: %v", err)
		}
		group, version, _ := strings.Cut(o.apiVersion, "/")
		if version == "" {
			group, version = "", o.apiVersion
		}
		obj, _, err := engine.ParseObject([]byte(`{"apiVersion":"` + o.apiVersion + `","kind":"` + o.kind + `","metadata":{"name":"a","namespace":"default"},"spec":` + o.spec + `}`))
		if err != nil {
			b.Fatal(err)
		}
		call := &engine.Call{Object: obj, Request: &engine.RequestInfo{Verb: "create", Group: group, Version: version, Resource: o.resource, Namespace: "default", Name: "a", Time: time.Unix(0, 0)}}
		var loaded []*host.Strategy
		for _, m := range meterings {
			module := load(b, func() ([]byte, error) { return code, nil }, host.Options{Metering: m.metering, Reset: host.Reset{Every: host.Never}})
			loaded = append(loaded, module.Resources[0].Strategy.(*host.Strategy))
		}
		for _, hooks := range []engine.Hooks{
			engine.HooksOf(engine.Default, engine.PrepareForCreate), engine.HooksOf(engine.Validate, engine.WarningsOnCreate, engine.Canonicalize),
		} {
			if hooks &= loaded[0].Hooks(); hooks != 0 {
				rows = append(rows, &fuelRow{o.plugin, hooks, call, loaded, make([][]float64, len(meterings))})
			}
		}
	}
	return rows
}

// turn calls each variant some times.
func (r *fuelRow) turn(b *testing.B) {
	const calls = 16
	for i, s := range r.strategies {
		began := time.Now()
		for range calls {
			if _, err := s.Run(context.Background(), r.hooks, r.call); err != nil {
				b.Fatal(err)
			}
		}
		r.took[i] = append(r.took[i], float64(time.Since(began))/calls)
	}
}

func middle(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
