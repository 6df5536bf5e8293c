package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/bundle"
)

// running is a server in this process, on embedded etcd, with the bundled plugins.
type running struct {
	url    string
	token  string
	client *http.Client
	keys   engine.Storage // what the server stores in
}

func start(tb testing.TB) *running {
	tb.Helper()
	if modules, err := bundle.Modules(); err != nil || modules["crontabs"] == nil {
		tb.Fatalf("the bundled plugins are not built (%v): run make build", err)
	}
	storage, err := etcd.Start(etcd.EmbedConfig{DataDir: tb.TempDir(), NoSync: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = storage.Close() })
	keys := storage.Storage("/registry")
	r, stop := startOver(tb, keys, func(root string) engine.Storage { return etcd.NewCache(keys, root+"/", etcd.CacheOptions{}) })
	tb.Cleanup(stop)
	return r
}

// startOver starts a server over a storage and its caches, and returns when it listens. It may be stopped before the test ends.
func startOver(tb testing.TB, keys engine.Storage, newCache func(root string) engine.Storage) (r *running, stop func()) {
	tb.Helper()
	return startWith(tb, keys, newCache, "crontabs")
}

// startWith is startOver with one of the bundled plugins.
func startWith(tb testing.TB, keys engine.Storage, newCache func(root string) engine.Storage, plugin string) (r *running, stop func()) {
	tb.Helper()
	id, err := server.LoadIdentity(tb.TempDir(), []string{"127.0.0.1"})
	if err != nil {
		tb.Fatal(err)
	}
	modules, err := bundle.Modules()
	if err != nil {
		tb.Fatal(err)
	}
	bundled := map[string][]byte{}
	if modules[plugin] != nil {
		bundled[plugin] = modules[plugin]
	}
	ctx, cancel := context.WithCancel(context.Background())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var caches []engine.Storage
	s, err := server.New(ctx, server.Options{
		Storage: keys, Identity: id, NamespaceLifecycle: true, Bundled: bundled,
		Cache: func(root string) engine.Storage {
			cache := newCache(root)
			caches = append(caches, cache)
			return cache
		},
	}, listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener) }()
	r = &running{url: "https://" + listener.Addr().String(), token: id.Token, client: newClient(), keys: keys}
	return r, func() {
		r.client.CloseIdleConnections()
		cancel()
		if err := <-served; err != nil {
			tb.Error(err)
		}
		for _, cache := range caches {
			cache.(interface{ Stop() }).Stop()
		}
	}
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, //nolint:gosec // its own server
	}}
}

// another is the same server, over connections of its own.
func (r *running) another() *running {
	other := *r
	other.client = newClient()
	return &other
}

const crontabsPath = "/apis/example.com/v1/namespaces/default/crontabs"

func crontab(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":%q,"labels":{"app":"bench"}},"spec":{"cronSpec":"*/5 * * * *","image":"registry.example.com/cron:1.2.3"}}`, name)
}

// do sends a request and throws the answer away.
func (r *running) do(tb testing.TB, method, path string, body []byte, want int) {
	req, err := http.NewRequest(method, r.url+path, bytes.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		tb.Fatalf("%s %s: %s (%v): %s", method, path, resp.Status, err, answer)
	}
}

// BenchmarkCreate creates CronTabs through HTTP/2 and TLS: all hooks in Wasm, client and etcd in the same process.
func BenchmarkCreate(b *testing.B) {
	r := start(b)
	var n atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.do(b, "POST", crontabsPath, crontab(fmt.Sprintf("c%d", n.Add(1))), http.StatusCreated)
		}
	})
}

// BenchmarkGet reads one CronTab through HTTP/2 and TLS.
func BenchmarkGet(b *testing.B) {
	r := start(b)
	r.do(b, "POST", crontabsPath, crontab("one"), http.StatusCreated)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.do(b, "GET", crontabsPath+"/one", nil, http.StatusOK)
		}
	})
}

// BenchmarkList lists 1 000 CronTabs through HTTP/2 and TLS.
func BenchmarkList(b *testing.B) {
	r := start(b)
	for i := range 1000 {
		r.do(b, "POST", crontabsPath, crontab(fmt.Sprintf("c%d", i)), http.StatusCreated)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		r.do(b, "GET", crontabsPath, nil, http.StatusOK)
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
}
