package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/server/bundle"
)

// views are the forms that objects are read in.
var views = map[string]string{
	"whole":    "application/json",
	"metadata": "application/json;as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1",
	"table":    "application/json;as=Table;g=meta.k8s.io;v=v1",
}

// startPods starts a server with the pods plugin, whose columns come from its hook.
func startPods(b *testing.B) *running {
	b.Helper()
	modules, err := bundle.Modules()
	if err != nil || modules["pods"] == nil {
		b.Fatalf("the bundled plugins are not built (%v): run make build", err)
	}
	storage, err := etcd.Start(etcd.EmbedConfig{DataDir: b.TempDir(), NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = storage.Close() })
	keys := storage.Storage("/registry")
	r, stop := startWith(b, keys, func(root string) engine.Storage { return etcd.NewCache(keys, root+"/", etcd.CacheOptions{}) }, "pods")
	b.Cleanup(stop)
	return r
}

const podsPath = "/api/v1/namespaces/default/pods"

func podNamed(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"default","uid":"00000000-0000-4000-8000-000000000000","creationTimestamp":"2026-01-01T00:00:00Z","annotations":{"padding":%q}},`+
		`"spec":{"containers":[{"name":"c","image":"nginx:1.14.2"}]},"status":{"phase":"Pending"}}`, name, strings.Repeat("x", 1500))
}

// view asks for a form of what is at a path.
func (r *running) view(b *testing.B, ctx context.Context, path, accept string) *http.Response {
	b.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", r.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := r.client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatal(resp, err)
	}
	return resp
}

// BenchmarkViewFanOut writes Pods while 100 clients watch, each in the same form, and waits until each has seen all.
func BenchmarkViewFanOut(b *testing.B) {
	const watchers = 100
	for name, accept := range views {
		b.Run(name, func(b *testing.B) {
			r := startPods(b)
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			var seen sync.WaitGroup
			for range watchers {
				resp := r.view(b, ctx, podsPath+"?watch=1", strings.ReplaceAll(accept, "%s", ""))
				defer resp.Body.Close()
				go countAdded(resp.Body, &seen)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; b.Loop(); n++ {
				seen.Add(watchers)
				if _, err := r.keys.Create(ctx, fmt.Sprintf("/pods/default/w%d", n), podNamed(fmt.Sprintf("w%d", n)), engine.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
				if n%64 == 63 {
					seen.Wait()
				}
			}
			seen.Wait()
			b.ReportMetric(watchers*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkViewList lists 10 000 Pods in each form.
func BenchmarkViewList(b *testing.B) {
	const n = 10_000
	r := startPods(b)
	for i := range n {
		if _, err := r.keys.Create(b.Context(), fmt.Sprintf("/pods/default/p%05d", i), podNamed(fmt.Sprintf("p%05d", i)), engine.WriteOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	for name, accept := range views {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resp := r.view(b, b.Context(), podsPath, strings.ReplaceAll(accept, "%s", "List"))
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
		})
	}
}
