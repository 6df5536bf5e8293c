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
	"github.com/stratagem-dev/stratagem/host/abitest/part"
	"github.com/stratagem-dev/stratagem/sdk"
)

// variant is one way to run Default and PrepareForCreate on an object of 3 kB.
type variant struct {
	name string
	run  func()
}

// variants are native Go, and Wasm under each metering and each reset policy.
func variants(b *testing.B) []variant {
	call := partCall(b, `{"image":"a:1","padding":"`+strings.Repeat("x", 2800)+`"}`)
	all := []variant{{"native", func() { native(b, call) }}}
	for _, v := range []struct {
		name     string
		metering host.Metering
		reset    int
	}{
		{"unbound/never", host.Unbound, host.Never},
		{"deadline/never", host.Deadline, host.Never},
		{"fuel/never", host.Fuel, host.Never},
		{"fuel/every-64", host.Fuel, 64},
		{"fuel/every-1", host.Fuel, 1},
	} {
		m := load(b, partWasm, host.Options{Metering: v.metering, Reset: host.Reset{Every: v.reset}})
		s := strategy(m, "")
		all = append(all, variant{v.name, func() {
			if _, err := s.Run(context.Background(), preparing, call); err != nil {
				b.Fatal(err)
			}
		}})
	}
	return all
}

// native does what the guest does between the frames.
func native(b *testing.B, call *engine.Call) {
	obj, err := sdk.ParseObject(string(call.Object))
	if err != nil {
		b.Fatal(err)
	}
	ctx := &sdk.Context{User: sdk.User{Name: call.Request.User.Name}}
	part.Strategy{}.Default(ctx, obj)
	part.Strategy{}.PrepareForCreate(ctx, obj)
	if obj.Raw() == "" {
		b.Fatal("nothing")
	}
}

// BenchmarkHook states each variant by itself, with what it allocates on the host's side.
func BenchmarkHook(b *testing.B) {
	b.Run("absent", func(b *testing.B) {
		var s engine.Strategy = strategy(load(b, partWasm, host.Options{}), "")
		for b.Loop() {
			if s.Hooks()&engine.HooksOf(engine.Convert) != 0 {
				b.Fatal("it is there")
			}
		}
	})
	b.Run("empty", func(b *testing.B) {
		m := load(b, func() ([]byte, error) { return os.ReadFile("../testdata/guests/counts.wasm") }, host.Options{Reset: host.Reset{Every: host.Never}})
		s, call := strategy(m, ""), partCall(b, `{}`)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Run(b.Context(), engine.HooksOf(engine.Canonicalize), call); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, v := range variants(b) {
		b.Run(v.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.run()
			}
		})
	}
}

// BenchmarkHookRatios runs the variants in turns, so that a noisy machine disturbs all alike, and states the median
// over the turns of each one's time to native Go's. One iteration is a turn.
func BenchmarkHookRatios(b *testing.B) {
	const calls = 64
	all := variants(b)
	turns := make([][]float64, len(all))
	for b.Loop() {
		var native float64
		for i, v := range all {
			began := time.Now()
			for range calls {
				v.run()
			}
			took := float64(time.Since(began))
			if i == 0 {
				native = took
			}
			turns[i] = append(turns[i], took/native)
		}
	}
	for i, v := range all {
		slices.Sort(turns[i])
		b.ReportMetric(turns[i][len(turns[i])/2], "x-"+v.name)
	}
}

// BenchmarkLoad is from the bytes of a stock-Go module to a module that serves calls: without and with compiled code in
// the cache.
func BenchmarkLoad(b *testing.B) {
	code, err := crontabs()
	if err != nil {
		b.Fatal(err)
	}
	for _, warm := range []bool{false, true} {
		b.Run(fmt.Sprintf("cached=%v", warm), func(b *testing.B) {
			dir := b.TempDir()
			once := func() {
				m, err := host.Load(b.Context(), code, "test@1", host.Options{CacheDir: dir})
				if err != nil {
					b.Fatal(err)
				}
				_ = m.Close(b.Context())
			}
			if warm {
				once()
			}
			for b.Loop() {
				once()
				if !warm {
					b.StopTimer()
					dir = b.TempDir()
					b.StartTimer()
				}
			}
		})
	}
}
