package host

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stratagem-dev/stratagem/engine"
)

// loadHostile loads a guest of testdata/hostile.
func loadHostile(t *testing.T, name string, options Options) *Strategy {
	t.Helper()
	wasm, err := os.ReadFile("testdata/hostile/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	options.Log = slog.New(slog.DiscardHandler)
	m, err := Load(t.Context(), wasm, "widgets@7", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close(context.Background()) })
	return m.Resources[0].Strategy.(*Strategy)
}

// counted is the value of the first series of a name that has the labels; of a histogram the number of its samples.
func counted(t *testing.T, registry *prometheus.Registry, name string, labels map[string]string) (value float64, found bool) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			had := map[string]string{}
			for _, l := range m.GetLabel() {
				had[l.GetName()] = l.GetValue()
			}
			if !contains(had, labels) {
				continue
			}
			switch {
			case m.GetCounter() != nil:
				return m.GetCounter().GetValue(), true
			case m.GetGauge() != nil:
				return m.GetGauge().GetValue(), true
			}
			return float64(m.GetHistogram().GetSampleCount()), true
		}
	}
	return 0, false
}

// contains tells whether all has the parts.
func contains(all, parts map[string]string) bool {
	for k, v := range parts {
		if all[k] != v {
			return false
		}
	}
	return true
}

// What is exceeded is named in the error, where there is one, and counted under its name.
func TestLimitsAreNamedAndCounted(t *testing.T) {
	validate, warnings, prepare := engine.HooksOf(engine.Validate), engine.HooksOf(engine.WarningsOnCreate), engine.HooksOf(engine.PrepareForCreate)
	for _, c := range []struct {
		limit  Limit
		guest  string
		limits Limits
		hooks  engine.Hooks
		text   string // "" where what is beyond is cut
	}{
		{LimitFuelPerHook, "endless_loop", Limits{Fuel: 1000, FuelPerByte: 1}, validate, "it ran out of its budget of "},
		{LimitCallDepth, "endless_recursion", Limits{CallDepth: 77}, validate, "its functions call each other more than 77 deep"},
		{LimitReplyBytes, "reply_too_large", Limits{}, validate, "bytes, at most 16777216 are allowed"},
		{LimitObjectBytes, "object_too_large", Limits{}, prepare, "bytes, at most 4194304 are allowed"},
		{LimitWarnings, "warnings_flood", Limits{}, warnings, ""},
		{LimitAllWarningRunes, "warnings_flood", Limits{AllWarningRunes: 10}, warnings, ""},
		{LimitWarningRunes, "warnings_long", Limits{}, warnings, ""},
		{LimitFieldErrors, "errors_flood", Limits{}, validate, ""},
		{LimitLogBytes, "log_flood", Limits{}, validate, ""},
	} {
		t.Run(c.limit.String(), func(t *testing.T) {
			registry := prometheus.NewRegistry()
			s := loadHostile(t, c.guest, Options{Limits: c.limits, Metrics: NewMetrics(registry)})
			_, err := s.Run(t.Context(), c.hooks, widgetCall(0))
			if c.text != "" {
				var exceeded *LimitError
				if !errors.As(err, &exceeded) || exceeded.Limit != c.limit || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), "(limit "+c.limit.String()+")") {
					t.Errorf("%v", err)
				}
			}
			labels := map[string]string{"plugin": "widgets", "revision": "7", "limit": c.limit.String()}
			if n, _ := counted(t, registry, "stratagem_plugin_limit_exceeded_total", labels); n != 1 {
				t.Errorf("counted %v times (the call: %v)", n, err)
			}
		})
	}
}

// A guest that dies of too little memory is said to have too little memory.
func TestMemoryLimitIsNamed(t *testing.T) {
	s := loadHostile(t, "memory_grow_bomb", Options{Limits: Limits{MemoryPages: 8}})
	in, err := s.module.obtain(t.Context(), "default", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := in.mod.Memory().Grow(4); !ok {
		t.Fatal("it cannot grow to what it may have")
	}
	if _, ok := in.mod.Memory().Grow(1); ok || in.mod.Memory().Size() != 8<<16 {
		t.Fatal("it can grow beyond what it may have")
	}
	var exceeded *LimitError
	if err := in.explain(errors.New("wasm error: unreachable")); !errors.As(err, &exceeded) || exceeded.Limit != LimitMemory || !strings.Contains(err.Error(), "512Ki") {
		t.Error(err)
	}
	s.module.pool.discard(in)
}

// All calls of one request share a budget, however often they are made; the next request has its own.
func TestFuelPerRequest(t *testing.T) {
	s := loadHostile(t, "endless_loop", Options{Limits: Limits{Fuel: 1_000_000, FuelPerRequest: 2_500_000, FuelPerByte: 1, FailingTime: time.Second}})
	run := func(account *engine.Account) Limit {
		t.Helper()
		call := widgetCall(0)
		call.Request.Account = account
		_, err := s.Run(t.Context(), engine.HooksOf(engine.Validate), call)
		var exceeded *LimitError
		var failed *engine.HookError
		if !errors.As(err, &exceeded) || !errors.As(err, &failed) || failed.Kind != engine.FailedBudget {
			t.Fatal(err)
		}
		return exceeded.Limit
	}
	account := &engine.Account{}
	for i, want := range []Limit{LimitFuelPerHook, LimitFuelPerHook, LimitFuelPerRequest, LimitFuelPerRequest} {
		if got := run(account); got != want {
			t.Errorf("call %d ends by %s, not %s", i, got, want)
		}
	}
	if fuel, _ := account.Spent(s.module); fuel < 2_500_000 || fuel > 2_600_000 {
		t.Errorf("the request has used %d", fuel)
	}
	if got := run(&engine.Account{}); got != LimitFuelPerHook {
		t.Errorf("another request's first call ends by %s", got)
	}
}

// A plugin that keeps failing is refused before it runs, until time has made up for it.
func TestFailingTime(t *testing.T) {
	var f failing
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	const perSecond = 10 * time.Millisecond
	if _, refused := f.refuses(perSecond, clock); refused {
		t.Fatal("refused before anything failed")
	}
	f.charge(90*time.Millisecond, perSecond, now)
	if _, refused := f.refuses(perSecond, clock); refused {
		t.Fatal("refused within what can be saved up")
	}
	f.charge(30*time.Millisecond, perSecond, now)
	if wait, refused := f.refuses(perSecond, clock); !refused || wait != 2*time.Second {
		t.Fatalf("%v, %v", wait, refused)
	}
	now = now.Add(1999 * time.Millisecond)
	if _, refused := f.refuses(perSecond, clock); !refused {
		t.Error("let go too early")
	}
	now = now.Add(2 * time.Millisecond)
	if _, refused := f.refuses(perSecond, clock); refused {
		t.Error("never let go")
	}

	registry := prometheus.NewRegistry()
	s := loadHostile(t, "trap_divide_by_zero", Options{Limits: Limits{FailingTime: 1}, Metrics: NewMetrics(registry)})
	validate := engine.HooksOf(engine.Validate)
	var failed *engine.HookError
	if _, err := s.Run(t.Context(), validate, widgetCall(0)); !errors.As(err, &failed) {
		t.Fatal(err)
	}
	var busy *engine.BusyError
	if _, err := s.Run(t.Context(), canonicalize, wellCall()); !errors.As(err, &busy) || busy.RetryAfter < time.Second || !strings.Contains(err.Error(), "keep failing") {
		t.Fatal(err)
	}
	for name, outcome := range map[string]string{"Validate": "trap", "Canonicalize": "busy"} {
		labels := map[string]string{"plugin": "widgets", "revision": "7", "hooks": name, "outcome": outcome}
		if n, _ := counted(t, registry, "stratagem_hook_calls_total", labels); n != 1 {
			t.Errorf("%s: %s counted %v times", name, outcome, n)
		}
	}
}

// Every call is counted once, and what has become of the instances; what a revision counted goes with it.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	metrics := NewMetrics(registry)
	s := load(t, "counts", Options{Metrics: metrics, Limits: Limits{Instances: 1}})
	for range 5 {
		if _, err := s.Run(t.Context(), canonicalize, wellCall()); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		labels map[string]string
		want   float64
	}{
		{"stratagem_hook_calls_total", map[string]string{"hooks": "Canonicalize", "outcome": "ok"}, 5},
		{"stratagem_hook_calls_total", map[string]string{"hooks": "Canonicalize", "outcome": "trap"}, 0},
		{"stratagem_hook_duration_seconds", map[string]string{"hooks": "Canonicalize"}, 5},
		{"stratagem_plugin_instances", nil, 1},
		{"stratagem_plugin_instances_started_total", nil, 1},
		{"stratagem_plugin_resets_total", nil, 5},
		{"stratagem_plugin_discards_total", nil, 0},
		{"stratagem_plugin_waiting", nil, 0},
	} {
		if c.labels == nil {
			c.labels = map[string]string{}
		}
		c.labels["plugin"], c.labels["revision"] = "counts", "1"
		if n, found := counted(t, registry, c.name, c.labels); !found || n != c.want {
			t.Errorf("%s%v: %v, %v; want %v", c.name, c.labels, n, found, c.want)
		}
	}
	if fuel, _ := counted(t, registry, "stratagem_hook_fuel_total", map[string]string{"hooks": "Canonicalize"}); fuel <= 0 {
		t.Errorf("fuel: %v", fuel)
	}
	metrics.Forget("counts@1")
	if families, err := registry.Gather(); err != nil || len(families) != 0 {
		t.Errorf("after Forget: %v, %v", families, err)
	}
}

func TestParseLimit(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
		err        string
	}{
		{"fuelPerHook", "5000", 5000, ""},
		{"fuelPerHook", "5k", 0, "must be an integer"},
		{"fuelPerHook", "0", 0, "must be at least 1"},
		{"fuelPerHook", "-1", 0, "must be at least 1"},
		{"fuelPerHook", "99999999999999999999", 0, "must be an integer"},
		{"memory", "32Mi", 32 << 20, ""},
		{"memory", "65536", 65536, ""},
		{"memory", "1Ki", 0, "must be at least 64Ki"},
		{"memory", "much", 0, "must be a number of bytes, such as 64Mi"},
		{"wait", "250ms", int64(250 * time.Millisecond), ""},
		{"wait", "10", 0, "must be a duration, such as 10s"},
	} {
		limit, known := LimitByName(c.name)
		if !known {
			t.Fatal(c.name)
		}
		got, err := limit.Parse(c.text)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s=%s: %d, %v", c.name, c.text, got, err)
		}
	}
	if _, known := LimitByName("fuel"); known {
		t.Error("fuel is no limit's name")
	}
	var set Limits
	for i, limit := range AllLimits() {
		value := int64(i+1) * pageBytes
		set.Set(limit, value)
		if got := set.Get(limit); got != value {
			t.Errorf("%s: %d, want %d", limit, got, value)
		}
		if least := DefaultLimits(); least.Get(limit) <= 0 {
			t.Errorf("%s has no default", limit)
		}
		caps, usual := LimitCaps(), DefaultLimits()
		if caps.Get(limit) < usual.Get(limit) {
			t.Errorf("%s: the default is above the cap", limit)
		}
		if text := limit.Format(usual.Get(limit)); !bytes.Equal([]byte(text), bytes.TrimSpace([]byte(text))) || text == "" {
			t.Errorf("%s: %q", limit, text)
		}
		if back, err := limit.Parse(limit.Format(usual.Get(limit))); err != nil || back != usual.Get(limit) {
			t.Errorf("%s: %d, %v", limit, back, err)
		}
	}
}
