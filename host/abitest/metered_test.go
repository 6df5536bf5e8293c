package abitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// bundledModules are bundled plugins as stock Go compiles them, by name.
var bundledModules = map[string]func() ([]byte, error){
	"crontabs":    crontabs,
	"pods":        sync.OnceValues(func() ([]byte, error) { return wasm("../../plugins", "./pods") }),
	"deployments": sync.OnceValues(func() ([]byte, error) { return wasm("../../plugins", "./deployments") }),
}

// Rewritten modules compute what the originals compute: every hook of the bundled plugins, on objects that are right and wrong in many
// ways, with and without metering. From the snapshot each takes the same fuel in two modules that were loaded apart.
func TestMeteredPluginsComputeTheSame(t *testing.T) {
	for _, o := range bundledObjects {
		t.Run(o.plugin, func(t *testing.T) {
			built := bundledModules[o.plugin]
			limits := host.Limits{FailingTime: time.Second} // some of the objects make the plugins panic
			plain := load(t, built, host.Options{Limits: limits, Metering: host.Unbound, Reset: host.Reset{Every: host.Never}})
			metered, again := load(t, built, host.Options{Limits: limits}), load(t, built, host.Options{Limits: limits})
			random := rand.New(rand.NewPCG(7, 11))
			calls := 0
			for n := range 40 {
				spec := disturbed(t, random, o.spec, n)
				obj, _, err := engine.ParseObject([]byte(`{"apiVersion":"` + o.apiVersion + `","kind":"` + o.kind + `","metadata":{"name":"a","namespace":"default"},"spec":` + spec + `}`))
				if err != nil {
					t.Fatal(err)
				}
				version := o.apiVersion[strings.LastIndexByte(o.apiVersion, '/')+1:]
				call := &engine.Call{Object: obj, Old: obj, Request: &engine.RequestInfo{Verb: "create", Version: version, Resource: o.resource, Namespace: "default", Name: "a"}}
				for hook := engine.Default; hook <= engine.Canonicalize; hook++ {
					if !plain.Resources[0].Strategy.Hooks().Has(hook) {
						continue
					}
					calls++
					hooks := engine.HooksOf(hook)
					want, wantErr := plain.Resources[0].Strategy.Run(t.Context(), hooks, call)
					got, cost, gotErr := strategy(metered, "").Measure(t.Context(), hooks, call)
					if !bytes.Equal(got.Object, want.Object) || !reflect.DeepEqual(got.Errors, want.Errors) || !reflect.DeepEqual(got.Warnings, want.Warnings) || (gotErr == nil) != (wantErr == nil) {
						t.Fatalf("%s of %s\nmetered:  %s %v %v %v\noriginal: %s %v %v %v", hook, spec, got.Object, got.Errors, got.Warnings, gotErr, want.Object, want.Errors, want.Warnings, wantErr)
					}
					if _, second, _ := strategy(again, "").Measure(t.Context(), hooks, call); second.Fuel != cost.Fuel || cost.Fuel <= 0 {
						t.Fatalf("%s of %s took %d units, and %d in another module", hook, spec, cost.Fuel, second.Fuel)
					}
				}
			}
			if calls < 100 {
				t.Errorf("only %d calls", calls)
			}
		})
	}
}

// disturbed is a spec with some of its values replaced by others, of the same type or not.
func disturbed(t *testing.T, random *rand.Rand, spec string, times int) string {
	t.Helper()
	var tree any
	if err := json.Unmarshal([]byte(spec), &tree); err != nil {
		t.Fatal(err)
	}
	for range times % 5 {
		tree = disturb(random, tree)
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func disturb(random *rand.Rand, value any) any {
	switch v := value.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		if len(keys) == 0 {
			return v
		}
		key := keys[random.IntN(len(keys))]
		v[key] = disturb(random, v[key])
		return v
	case []any:
		if len(v) > 0 && random.IntN(3) > 0 {
			v[0] = disturb(random, v[0])
			return v
		}
		return append(v, v...)
	case string:
		return []any{"", v + "/é", strings.Repeat(v, 40), "0 0 31 2 *", fmt.Sprint(random.IntN(9))}[random.IntN(5)]
	}
	return []any{-1.0, 0.0, 70000.0, 1.5}[random.IntN(4)]
}
