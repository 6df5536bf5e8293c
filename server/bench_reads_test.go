package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
)

// seed puts n CronTabs of about size bytes into the storage, and returns when the server lists them. It returns how long
// the list is.
func (r *running) seed(b *testing.B, n, size int) int64 {
	b.Helper()
	padding := strings.Repeat("x", size-360)
	work := make(chan int)
	var workers sync.WaitGroup
	for range 64 {
		workers.Go(func() {
			for i := range work {
				object := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"annotations":{"padding":"%s"},"creationTimestamp":"2026-01-01T00:00:00Z","generation":1,`+
					`"name":"c%06d","namespace":"default","uid":"00000000-0000-4000-8000-%012d"},"spec":{"concurrencyPolicy":"Allow","cronSpec":"*/5 * * * *","image":"registry.example.com/cron:1","replicas":1,"suspend":false}}`, padding, i, i)
				if _, err := r.keys.Create(b.Context(), fmt.Sprintf("/example.com/crontabs/default/c%06d", i), []byte(object), engine.WriteOptions{}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	workers.Wait()
	r.settle(b)
	return r.list(b)
}

// settle waits until the server's cache has all that was written: until a watch has told of a last write.
func (r *running) settle(b *testing.B) {
	b.Helper()
	revision, err := r.keys.Revision(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	path := fmt.Sprintf("%s%s?watch=1&fieldSelector=metadata.name%%3Dlast&resourceVersion=%d", r.url, crontabsPath, revision)
	req, err := http.NewRequestWithContext(b.Context(), "GET", path, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	r.do(b, "POST", crontabsPath, crontab("last"), http.StatusCreated)
	if _, err := bufio.NewReader(resp.Body).ReadBytes('\n'); err != nil {
		b.Fatal(err)
	}
}

// list lists all CronTabs and returns how many bytes came.
func (r *running) list(b *testing.B) int64 {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), "GET", r.url+crontabsPath, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := r.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s %v", resp.Status, err)
	}
	return n
}

// BenchmarkListMany lists 10 000 and 100 000 CronTabs of 2 KiB through HTTP/2 and TLS. B/op is what a list takes besides
// the objects that are held anyway.
func BenchmarkListMany(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := start(b)
			b.SetBytes(r.seed(b, n, 2048))
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				r.list(b)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
		})
	}
}

// BenchmarkHeap tells how many bytes of live heap there are for each byte that is served, of 100 000 CronTabs of 1 KiB.
// Etcd runs in the same process here, but keeps its values in a file that is mapped, not on the heap.
func BenchmarkHeap(b *testing.B) {
	r := start(b)
	before := liveHeap()
	served := r.seed(b, 100_000, 1024)
	after := liveHeap()
	for b.Loop() {
		r.list(b)
	}
	b.ReportMetric(float64(after-before)/float64(served), "heap/served")
	b.ReportMetric(float64(served)/100_000, "served-B/object")
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkFanOut writes to one CronTab while 100 and 1 000 clients watch, over HTTP/2 and TLS, and waits until each has
// seen all.
func BenchmarkFanOut(b *testing.B) {
	for _, watchers := range []int{100, 1000} {
		b.Run(fmt.Sprint(watchers), func(b *testing.B) {
			r := start(b)
			ctx, stop := context.WithCancel(b.Context())
			defer stop()
			var seen sync.WaitGroup
			for range watchers {
				req, err := http.NewRequestWithContext(ctx, "GET", r.url+crontabsPath+"?watch=1", nil)
				if err != nil {
					b.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+r.token)
				resp, err := r.client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				defer resp.Body.Close()
				go countAdded(resp.Body, &seen)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; b.Loop(); n++ {
				seen.Add(watchers)
				key := fmt.Sprintf("/example.com/crontabs/default/w%d", n)
				object := strings.Replace(string(crontab(fmt.Sprintf("w%d", n))), `"labels"`, `"namespace":"default","labels"`, 1)
				if _, err := r.keys.Create(ctx, key, []byte(object), engine.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
				if n%64 == 63 {
					seen.Wait()
				}
			}
			seen.Wait()
			b.ReportMetric(float64(watchers)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkStart starts a server where 100 000 CronTabs of 1 KiB are stored, until it is ready, and lists them for the first
// time: with etcd in the same process, and with one behind a socket.
func BenchmarkStart(b *testing.B) {
	storage, err := etcd.Start(etcd.EmbedConfig{DataDir: b.TempDir(), NoSync: true, ListenClientURL: "http://127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = storage.Close() })
	client, err := etcd.Dial(etcd.DialConfig{Endpoints: []string{storage.ClientURL()}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = client.Close() })
	embedded := storage.Storage("/registry")
	first, stop := startOver(b, embedded, func(root string) engine.Storage { return etcd.NewCache(embedded, root+"/", etcd.CacheOptions{}) })
	first.seed(b, 100_000, 1024)
	stop()
	for name, keys := range map[string]*etcd.Storage{"embedded": embedded, "external": etcd.New(client, "/registry")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				began := time.Now()
				r, stop := startOver(b, keys, func(root string) engine.Storage { return etcd.NewCache(keys, root+"/", etcd.CacheOptions{}) })
				r.waitReady(b)
				ready := time.Since(began)
				r.list(b)
				b.ReportMetric(ready.Seconds(), "s-to-ready")
				b.ReportMetric((time.Since(began) - ready).Seconds(), "s-first-list")
				stop()
			}
		})
	}
}

// countAdded tells of the objects that a watch adds, until it ends.
func countAdded(watch io.Reader, seen *sync.WaitGroup) {
	lines := bufio.NewReaderSize(watch, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return
		}
		if bytes.HasPrefix(line, []byte(`{"type":"ADDED"`)) {
			seen.Done()
		}
	}
}
