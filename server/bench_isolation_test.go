package server_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// attacks are the classes of hostile plugins, each by a guest of the host's tests.
var attacks = []struct{ class, guest string }{
	{"endless-loop", "endless_loop"},
	{"memory-growth", "memory_grow_bomb"},
	{"huge-reply", "reply_grows_without_end"},
	{"trap-storm", "trap_divide_by_zero"},
	{"recursion", "endless_recursion"},
}

const (
	isolationRounds = 3
	isolationPhase  = 1500 * time.Millisecond
	attackBefore    = 500 * time.Millisecond // how long an attack lasts before it is measured
	loadEvery       = 5 * time.Millisecond   // a request of the fixed load
	attackEvery     = 10 * time.Millisecond  // a request of the attack
)

// BenchmarkIsolation puts the same load on CronTabs without an attack and while a hostile plugin's resource is attacked, in turns, and states
// for each class the median of p99 under attack to p99 without. Latencies count from the moment that a request was due. It takes a minute, whatever b.N.
func BenchmarkIsolation(b *testing.B) {
	r := start(b)
	for n := range 50 {
		r.do(b, "POST", crontabsPath, crontab("c"+string(rune('a'+n%26))+string(rune('a'+n/26))), http.StatusCreated)
	}
	ratios := make([][]float64, len(attacks))
	var quiet []float64
	b.ResetTimer()
	for range isolationRounds {
		for i, a := range attacks {
			wasm, err := os.ReadFile("../host/testdata/hostile/" + a.guest + ".wasm")
			if err != nil {
				b.Fatal(err)
			}
			put(b, r, "/apis/stratagem.dev/v1alpha1/strategyplugins/hostile/module", wasm)
			without := r.latencies(b)
			stop := r.attack(b)
			time.Sleep(attackBefore)
			with := r.latencies(b)
			stop()
			quiet = append(quiet, p99(without).Seconds()*1000)
			ratios[i] = append(ratios[i], float64(p99(with))/float64(p99(without)))
			b.Logf("%-14s p99 %8.2f ms without, %8.2f ms under attack", a.class, p99(without).Seconds()*1000, p99(with).Seconds()*1000)
		}
	}
	for i, a := range attacks {
		slices.Sort(ratios[i])
		b.ReportMetric(ratios[i][len(ratios[i])/2], "x-"+a.class)
	}
	slices.Sort(quiet)
	b.ReportMetric(quiet[len(quiet)/2], "ms-p99-without")
	b.ReportMetric(0, "ns/op")
}

// put uploads a module.
func put(b *testing.B, r *running, path string, wasm []byte) {
	code := r.code(b, "PUT", path, wasm)
	if code != http.StatusOK && code != http.StatusCreated {
		b.Fatalf("push: %d", code)
	}
}

// code sends a request and returns the code of the answer.
func (r *running) code(b *testing.B, method, path string, body []byte) int {
	req, err := http.NewRequest(method, r.url+path, strings.NewReader(string(body)))
	if err != nil {
		b.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if err != nil {
		b.Error(err)
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// latencies puts the fixed load on CronTabs, half reads, half creates as dry runs, and returns how long each took.
func (r *running) latencies(b *testing.B) []time.Duration {
	var mu sync.Mutex
	var all []time.Duration
	var running sync.WaitGroup
	begin := time.Now()
	for n := 0; ; n++ {
		due := begin.Add(time.Duration(n) * loadEvery)
		if due.Sub(begin) > isolationPhase {
			break
		}
		time.Sleep(time.Until(due))
		running.Go(func() {
			code, want := 0, http.StatusOK
			if n%2 == 0 {
				code = r.code(b, "GET", crontabsPath+"/caa", nil)
			} else {
				code, want = r.code(b, "POST", crontabsPath+"?dryRun=All", crontab("dry")), http.StatusCreated
			}
			took := time.Since(due)
			if code != want {
				b.Errorf("a request of the load: %d", code)
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took)
		})
	}
	running.Wait()
	return all
}

// attack sends requests to the hostile plugin's resource until it is stopped.
func (r *running) attack(b *testing.B) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-time.After(attackEvery):
			}
			running.Go(func() {
				body := []byte(`{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"x":"y"}}`)
				r.code(b, "POST", "/apis/hostile.example/v1/namespaces/default/widgets?dryRun=All", body)
			})
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

func p99(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)*99/100]
}
