package server_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// attacks are the classes of hostile plugins, each by a guest of the host's tests.
var attacks = []struct {
	class, guest string
	every        time.Duration // a request
}{
	{"endless-loop", "hostile/endless_loop", attackEvery},
	{"memory-growth", "hostile/memory_grow_bomb", attackEvery},
	{"huge-reply", "hostile/reply_grows_without_end", attackEvery},
	{"trap-storm", "hostile/trap_divide_by_zero", attackEvery},
	{"recursion", "hostile/endless_recursion", attackEvery},
	{"expensive-but-legal", "guests/expensive", attackEvery / 4}, // more than the processors can do
}

const (
	isolationRounds = 7
	isolationPhase  = 2 * time.Second
	attackBefore    = 500 * time.Millisecond // how long an attack lasts before it is measured, and how long it has been over
	loadEvery       = 5 * time.Millisecond   // a request of the fixed load
	attackEvery     = 10 * time.Millisecond  // a request of the attack
)

// BenchmarkIsolation puts the same load on CronTabs without an attack and while a hostile plugin's resource is attacked, in turns, and states
// for each class the median of p99 under attack to the median of p99 without. Latencies count from the moment that a request was due. It takes
// four minutes, whatever b.N.
func BenchmarkIsolation(b *testing.B) {
	r := start(b)
	for n := range 50 {
		r.do(b, "POST", crontabsPath, crontab("c"+string(rune('a'+n%26))+string(rune('a'+n/26))), http.StatusCreated)
	}
	for _, a := range attacks {
		b.Run(a.class, func(b *testing.B) {
			wasm, err := os.ReadFile("../host/testdata/" + a.guest + ".wasm")
			if err != nil {
				b.Fatal(err)
			}
			put(b, r, "/apis/stratagem.dev/v1alpha1/strategyplugins/hostile/module", wasm)
			attacker := r.another()
			var without, with []float64 // p99, in milliseconds
			for range isolationRounds {
				without = append(without, p99(r.latencies(b)))
				stop := attacker.attack(b, a.every)
				time.Sleep(attackBefore)
				with = append(with, p99(r.latencies(b)))
				stop()
				time.Sleep(attackBefore)
			}
			b.Logf("p99 without %.2f, under attack %.2f ms", without, with)
			b.ReportMetric(median(with)/median(without), "x-p99")
			b.ReportMetric(median(without), "ms-p99-without")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// put uploads a module.
func put(b *testing.B, r *running, path string, wasm []byte) {
	code := r.code(b.Context(), b, "PUT", path, wasm)
	if code != http.StatusOK && code != http.StatusCreated {
		b.Fatalf("push: %d", code)
	}
}

// code sends a request and returns the code of the answer, 0 where ctx ends first.
func (r *running) code(ctx context.Context, b *testing.B, method, path string, body []byte) int {
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(string(body)))
	if err != nil {
		b.Error(err)
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	resp, err := r.client.Do(req)
	if ctx.Err() != nil {
		return 0
	}
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
				code = r.code(b.Context(), b, "GET", crontabsPath+"/caa", nil)
			} else {
				code, want = r.code(b.Context(), b, "POST", crontabsPath+"?dryRun=All", crontab("dry")), http.StatusCreated
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

// attack sends requests to the hostile plugin's resource, one every so often, until it is stopped.
func (r *running) attack(b *testing.B, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	var mu sync.Mutex
	answers := map[int]int{}
	var running sync.WaitGroup
	running.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(every):
			}
			running.Go(func() {
				body := []byte(`{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"x":"y"}}`)
				code := r.code(ctx, b, "POST", "/apis/hostile.example/v1/namespaces/default/widgets?dryRun=All", body)
				mu.Lock()
				defer mu.Unlock()
				answers[code]++
			})
		}
	})
	return func() {
		cancel()
		running.Wait()
		b.Log("the attack was answered with", answers)
	}
}

// p99 is in milliseconds.
func p99(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)*99/100].Seconds() * 1000
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
