package meter

import (
	"slices"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"
)

// BenchmarkRewrite is the time to rewrite a stock-Go guest.
func BenchmarkRewrite(b *testing.B) {
	wasm, err := goGuest()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		if _, err := Rewrite(wasm, 0, Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMetered is the price of metering: each metric is the median over rounds of metered time over unmetered time,
// both taken in the same round because the machine's speed drifts.
func BenchmarkMetered(b *testing.B) {
	rt, wasm := newGoRuntime(b)
	plain := instantiate(b, rt, wasm)
	metered := instantiate(b, rt, rewrite(b, wasm, 50_000_000, Limits{}).Wasm)
	for _, work := range []struct {
		function string
		arg      uint64
		calls    int
	}{{"fib", 20, 5}, {"order", 512, 5}, {"encode", 26, 5}} {
		b.Run(work.function, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				base := duration(b, plain, work.function, work.arg, work.calls)
				ratios = append(ratios, float64(duration(b, metered, work.function, work.arg, work.calls))/float64(base))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "metered/unmetered")
		})
	}
}

// duration is the time of some calls, the setting of the fuel included.
func duration(b *testing.B, i api.Module, function string, arg uint64, calls int) time.Duration {
	f := i.ExportedFunction(function)
	metered := i.ExportedGlobal(FuelExport) != nil
	start := time.Now()
	for range calls {
		if metered {
			fuelOf(i).Set(1 << 40)
		}
		if _, err := f.Call(b.Context(), arg); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start)
}
