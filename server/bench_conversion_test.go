package server_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
)

// Kubernetes' scale targets for custom resources: what the 99th percentile of conversions may take.
const (
	oneBudget  = 50 * time.Millisecond // one object
	listBudget = time.Second           // a list of 1 500 objects of 10 kB
)

const (
	conversionGroup = "bound.test"
	conversionsPath = "/apis/" + conversionGroup + "/v1/namespaces/default/crontabs"
	definitionPath  = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
)

// conversions are the ways from the stored version, which has hostPort, to the one that is asked for.
var conversions = []struct {
	name    string
	prepare func(*testing.B, *running) (strategy string, converted *atomic.Int64)
}{
	{"None", func(*testing.B, *running) (string, *atomic.Int64) { return `{"strategy":"None"}`, nil }},
	{"Wasm", pushConversion},
	{"Webhook", startWebhook},
}

// pushConversion compiles the tests' plugin that converts and binds it to the resource.
func pushConversion(b *testing.B, r *running) (string, *atomic.Int64) {
	source, err := filepath.Abs("e2e/testdata/bound.go")
	if err != nil {
		b.Fatal(err)
	}
	plugin, err := filepath.Abs("../plugins/crontabs")
	if err != nil {
		b.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(plugin, "main.go"): source}})
	if err != nil {
		b.Fatal(err)
	}
	file, out := filepath.Join(b.TempDir(), "overlay.json"), filepath.Join(b.TempDir(), "bound.wasm")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		b.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags=-s -w", "-o", out, ".")
	build.Dir, build.Env = plugin, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off")
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	r.send(b, "PUT", "/apis/stratagem.dev/v1alpha1/strategyplugins/bound/module", "application/wasm", wasm)
	return `{"strategy":"None"}`, nil
}

// startWebhook serves the conversion over HTTPS, as an author would write it: with encoding/json, over maps.
func startWebhook(b *testing.B, _ *running) (string, *atomic.Int64) {
	converted := &atomic.Int64{}
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Request    *struct {
				UID               string           `json:"uid"`
				DesiredAPIVersion string           `json:"desiredAPIVersion"`
				Objects           []map[string]any `json:"objects"`
			} `json:"request,omitempty"`
			Response map[string]any `json:"response"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, obj := range review.Request.Objects {
			host, port, _ := strings.Cut(fmt.Sprint(obj["hostPort"]), ":")
			obj["apiVersion"], obj["host"], obj["port"] = review.Request.DesiredAPIVersion, host, port
			delete(obj, "hostPort")
		}
		converted.Add(int64(len(review.Request.Objects)))
		review.Response = map[string]any{"uid": review.Request.UID, "result": map[string]string{"status": "Success"}, "convertedObjects": review.Request.Objects}
		review.Request = nil
		_ = json.NewEncoder(w).Encode(review)
	}))
	b.Cleanup(hook.Close)
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw})
	client, err := json.Marshal(map[string]any{"url": hook.URL, "caBundle": bundle})
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf(`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":%s}}`, client), converted
}

// send is do with a content type, for answers of any success.
func (r *running) send(b *testing.B, method, path, contentType string, body []byte) []byte {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, r.url+path, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := r.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		b.Fatalf("%s %s: %s (%v): %.300s", method, path, resp.Status, err, answer)
	}
	return answer
}

// define makes the definition, and n objects of about size bytes in the storage, in the version that is not asked for.
func (r *running) define(b *testing.B, conversion string, n, size int) {
	b.Helper()
	entries := `"entries":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}}`
	version := func(name, storage string) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%s,"schema":{"openAPIV3Schema":{"type":"object","properties":{"hostPort":{"type":"string"},"host":{"type":"string"},"port":{"type":"string"},`+
			`"spec":{"type":"object","properties":{%s}}}}}}`, name, storage, entries)
	}
	r.send(b, "POST", definitionPath, "application/json", fmt.Appendf(nil, `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"crontabs.%[1]s"},"spec":{"group":%[1]q,"scope":"Namespaced",`+
		`"names":{"plural":"crontabs","kind":"CronTab"},"conversion":%[2]s,"versions":[%[3]s,%[4]s]}}`, conversionGroup, conversion, version("v1beta1", "true"), version("v1", "false")))
	entry := `{"name":"the-name-of-an-entry","value":"the value of an entry, which is longer than its name"}`
	spec := strings.TrimSuffix(strings.Repeat(entry+",", (size-250)/len(entry)), ",")
	work := make(chan int)
	var workers sync.WaitGroup
	for range 64 {
		workers.Go(func() {
			for i := range work {
				object := fmt.Sprintf(`{"apiVersion":"%s/v1beta1","hostPort":"host-%d:80","kind":"CronTab","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z","generation":1,"name":"c%06d","namespace":"default",`+
					`"uid":"00000000-0000-4000-8000-%012d"},"spec":{"entries":[%s]}}`, conversionGroup, i, i, i, spec)
				if _, err := r.keys.Create(b.Context(), fmt.Sprintf("/%s/crontabs/default/c%06d", conversionGroup, i), []byte(object), engine.WriteOptions{}); err != nil {
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
}

// forget changes the definition, upon which nothing counts that has been converted before.
func (r *running) forget(b *testing.B, n int) {
	b.Helper()
	r.send(b, "PATCH", definitionPath+"/crontabs."+conversionGroup, "application/merge-patch+json", fmt.Appendf(nil, `{"metadata":{"labels":{"bench":"%d"}}}`, n))
}

// report tells the 99th percentile and what Kubernetes allows for it.
func report(b *testing.B, took []time.Duration, budget time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[(len(took)-1)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(budget.Milliseconds()), "budget-ms")
}

// BenchmarkConvertList lists objects in the version that they are not stored in, through HTTP/2 and TLS, none of them read in
// it before. B/op and allocs/op of Webhook have the webhook's own among them: it runs in this process.
func BenchmarkConvertList(b *testing.B) {
	for _, size := range []struct{ n, bytes int }{{10_000, 1 << 10}, {1500, 10_000}} {
		for _, c := range conversions {
			b.Run(fmt.Sprintf("%dx%d/%s", size.n, size.bytes, c.name), func(b *testing.B) {
				r := start(b)
				strategy, converted := c.prepare(b, r)
				r.define(b, strategy, size.n, size.bytes)
				var took []time.Duration
				var length int
				b.ReportAllocs()
				b.ResetTimer()
				for n := 0; b.Loop(); n++ {
					b.StopTimer()
					r.forget(b, n)
					b.StartTimer()
					began := time.Now()
					length = len(r.send(b, "GET", conversionsPath, "", nil))
					took = append(took, time.Since(began))
				}
				b.StopTimer()
				if converted != nil && converted.Load() < int64(size.n*b.N) {
					b.Fatalf("%d objects were converted in %d lists", converted.Load(), b.N)
				}
				b.SetBytes(int64(length))
				report(b, took, listBudget)
				b.ReportMetric(float64(size.n)*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
			})
		}
	}
}

// BenchmarkConvertOne reads one object of 10 kB in the version that it is not stored in and has not been read in before.
func BenchmarkConvertOne(b *testing.B) {
	const objects = 1000
	for _, c := range conversions {
		b.Run(c.name, func(b *testing.B) {
			r := start(b)
			strategy, _ := c.prepare(b, r)
			r.define(b, strategy, objects, 10_000)
			var took []time.Duration
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; b.Loop(); n++ {
				if n%objects == 0 {
					b.StopTimer()
					r.forget(b, n)
					b.StartTimer()
				}
				began := time.Now()
				r.send(b, "GET", fmt.Sprintf("%s/c%06d", conversionsPath, n%objects), "", nil)
				took = append(took, time.Since(began))
			}
			report(b, took, oneBudget)
		})
	}
}

// BenchmarkMigrate rewrites 5 000 objects of 1 KiB in another version, from the request for it until it has succeeded.
func BenchmarkMigrate(b *testing.B) {
	const objects = 5000
	for _, c := range conversions {
		b.Run(c.name, func(b *testing.B) {
			r := start(b)
			strategy, _ := c.prepare(b, r)
			r.define(b, strategy, objects, 1<<10)
			storage := [2]bool{true, false} // of v1beta1 and v1
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				storage[0], storage[1] = storage[1], storage[0]
				patch := fmt.Appendf(nil, `[{"op":"replace","path":"/spec/versions/0/storage","value":%t},{"op":"replace","path":"/spec/versions/1/storage","value":%t}]`, storage[0], storage[1])
				r.send(b, "PATCH", definitionPath+"/crontabs."+conversionGroup, "application/json-patch+json", patch)
				b.StartTimer()
				r.migrate(b, objects)
			}
			b.ReportMetric(objects*float64(b.N)/b.Elapsed().Seconds(), "objects/s")
		})
	}
}

// migrate asks for a migration and watches it to its end.
func (r *running) migrate(b *testing.B, objects int64) {
	b.Helper()
	const path = "/apis/storagemigration.k8s.io/v1/storageversionmigrations"
	asked := r.send(b, "POST", path, "application/json", fmt.Appendf(nil, `{"apiVersion":"storagemigration.k8s.io/v1","kind":"StorageVersionMigration","metadata":{"generateName":"bench-"},`+
		`"spec":{"resource":{"group":%q,"resource":"crontabs"}}}`, conversionGroup))
	req, err := http.NewRequestWithContext(b.Context(), "GET", r.url+path+"?watch=1&fieldSelector=metadata.name%3D"+gjson.GetBytes(asked, "metadata.name").Str, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	for events := json.NewDecoder(resp.Body); ; {
		var event struct{ Object json.RawMessage }
		if err := events.Decode(&event); err != nil {
			b.Fatal(err)
		}
		switch obj := engine.Object(event.Object); migration.Phase(obj) {
		case migration.Failed:
			b.Fatal(string(obj))
		case migration.Succeeded:
			if n := obj.Get("status", "progress", "rewritten").Int(); n != objects {
				b.Fatalf("%d objects were rewritten", n)
			}
			return
		}
	}
}
