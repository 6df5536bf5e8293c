package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// causesOf are the fields and messages of what a request was refused for.
func causesOf(t *testing.T, err error) map[string]string {
	t.Helper()
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil {
		t.Fatalf("no causes: %v", err)
	}
	found := map[string]string{}
	for _, c := range status.Status().Details.Causes {
		found[c.Field+string(c.Type)] = c.Message
	}
	return found
}

// What an operator sets is checked, with the field and the cap in the answer.
func TestPluginLimitsAreChecked(t *testing.T) {
	s := startServer(t, "--plugin-limit-caps", "fuelPerHook=30000000,memory=64Mi")
	client := s.dynamic(t)
	for spec, want := range map[string]string{
		`{"limits":{"fuelPerHook":30000001}}`:           `spec.limits.fuelPerHook: Invalid value: "30000001": must be at most 30000000, the server's cap (--plugin-limit-caps)`,
		`{"limits":{"memory":"1Gi"}}`:                   `spec.limits.memory: Invalid value: "1Gi": must be at most 64Mi, the server's cap (--plugin-limit-caps)`,
		`{"limits":{"memory":"much"}}`:                  `spec.limits.memory: Invalid value: "much": must be a number of bytes, such as 64Mi`,
		`{"limits":{"wait":"long"}}`:                    `spec.limits.wait: Invalid value: "long": must be a duration, such as 10s`,
		`{"limits":{"callDepth":0}}`:                    `spec.limits.callDepth: Invalid value: "0": must be at least 1`,
		`{"limits":{"warningRunes":257}}`:               `spec.limits.warningRunes: Invalid value: "257": must be at most 256, the server's cap (--plugin-limit-caps)`,
		`{"limits":{"instances":0,"replyBytes":"1Ti"}}`: `[spec.limits.instances: Invalid value: "0": must be at least 1, spec.limits.replyBytes: Invalid value: "1Ti": must be at most 64Mi, the server's cap (--plugin-limit-caps)]`,
		`{"reset":{"every":-1}}`:                        `spec.reset.every: Invalid value: -1: must be between 1 and 1000000`,
		`{"limits":{"memory":"64Ki"}}`:                  `spec.limits: Invalid value: the active module cannot be loaded within them: wasm: its memory begins with`,
	} {
		err := patchPlugin(t, client, "crontabs", spec)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", spec, err, want)
		}
	}
	must(t, patchPlugin(t, client, "crontabs", `{"limits":{"fuelPerHook":30000000,"memory":"32Mi","wait":"2s"},"reset":{"every":64,"onGrowth":true}}`))
	_, err := client.Resource(cronTabs).Namespace("default").Create(within(t), newCronTab("within-limits"), metav1.CreateOptions{})
	must(t, err)
	if err := patchPlugin(t, client, "crontabs", `{"limits":{"fuelPerHok":1}}`); err != nil {
		t.Errorf("an unknown field, without strict validation: %v", err)
	}
	s.stop()
	s.args = []string{"--plugin-limits", "memory=2Gi"}
	if err := s.start(); err == nil || !strings.Contains(err.Error(), "--plugin-limits: memory=2Gi: must be at most 1Gi") {
		t.Errorf("a default above the cap: %v", err)
	}
	s.args = nil
	must(t, s.start())
}

var budget = regexp.MustCompile(`out of its budget of (\d+) units of fuel`)

// What is exceeded is named, and a change is in force at once, on the other replica as well.
func TestPluginLimitsAreLive(t *testing.T) {
	db := startEtcd(t)
	a := startReplica(t, db, "--bundled-plugins=false", "--plugin-limits", "failingTime=1s")
	b := startReplica(t, db, "--bundled-plugins=false", "--plugin-limits", "failingTime=1s")
	a.push(t, "hostile", hostileFile("endless_loop"))
	spin := func(s *server) string {
		_, err := s.dynamic(t).Resource(widgetResource).Namespace("default").Create(within(t), newWidget("w"), metav1.CreateOptions{})
		if !apierrors.IsInternalError(err) {
			return fmt.Sprint(err)
		}
		equal(t, "the limit", causesOf(t, err)["Limit"], "fuelPerHook")
		contains(t, err.Error(), "(limit fuelPerHook)")
		return budget.FindStringSubmatch(err.Error())[1]
	}
	if n := spin(a); len(n) != len("20000000") {
		t.Errorf("by default it has %s", n)
	}
	must(t, patchPlugin(t, a.dynamic(t), "hostile", `{"limits":{"fuelPerHook":1000,"fuelPerByte":1}}`))
	if n := spin(a); len(n) != len("1300") {
		t.Errorf("after the change it has %s", n)
	}
	eventually(t, "the change on the other server", func() bool { return len(spin(b)) == len("1300") })
	must(t, patchPlugin(t, b.dynamic(t), "hostile", `{"limits":null}`))
	eventually(t, "the defaults again", func() bool { return len(spin(a)) == len("20000000") })
	metrics := a.curl(t).do(t, "GET", "/metrics", "")
	for _, line := range []string{
		`stratagem_plugin_limit_exceeded_total\{limit="fuelPerHook",plugin="hostile",revision="1"\} [1-9]`,
		`stratagem_hook_calls_total\{hooks="[A-Za-z+]+",outcome="budget",plugin="hostile",revision="1"\} [1-9]`,
		`stratagem_hook_duration_seconds_bucket\{hooks="[A-Za-z+]+",plugin="hostile",revision="1",le="5e-06"\} `,
		`stratagem_plugin_discards_total\{plugin="hostile",revision="1"\} [1-9]`,
	} {
		if !regexp.MustCompile(line).Match(metrics.body) {
			t.Errorf("the metrics have no %s", line)
		}
	}
	a.push(t, "hostile", hostileFile("trap_divide_by_zero"))
	if metrics := a.curl(t).do(t, "GET", "/metrics", ""); strings.Contains(string(metrics.body), `plugin="hostile",revision="1"`) {
		t.Error("a revision that serves no longer still has metrics")
	}
}

// More requests than may wait, and requests to a plugin that keeps failing, are answered 429 with Retry-After.
func TestBusyPluginIsRefused(t *testing.T) {
	s := startServer(t, "--bundled-plugins=false")
	s.push(t, "hostile", hostileFile("endless_loop"))
	must(t, patchPlugin(t, s.dynamic(t), "hostile", `{"limits":{"instances":1,"waiting":1,"fuelPerHook":200000000,"fuelPerRequest":2000000000,"failingTime":"1s"}}`))
	path, body := "/apis/hostile.example/v1/namespaces/default/widgets?dryRun=All", `{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"name":"w"}}`
	seen := map[int]int{}
	eventually(t, "a queue that is full", func() bool {
		var mu sync.Mutex
		var together sync.WaitGroup
		for range 8 {
			c := s.curl(t)
			together.Go(func() {
				a := c.do(t, "POST", path, body, "Content-Type: application/json")
				mu.Lock()
				defer mu.Unlock()
				seen[a.code]++
				if a.code == 429 {
					a.refused(t, 429, metav1.StatusReasonTooManyRequests, `strategy plugin "hostile" is busy: all its instances are in use, please try again later`)
					if a.header.Get("Retry-After") == "" {
						t.Error("no Retry-After")
					}
				}
			})
		}
		together.Wait()
		return seen[429] > 0 && seen[500] > 0
	})

	must(t, patchPlugin(t, s.dynamic(t), "hostile", `{"limits":null}`))
	c := s.curl(t)
	eventually(t, "an end to the plugin's failures", func() bool {
		a := c.do(t, "POST", path, body, "Content-Type: application/json")
		if a.code == 500 {
			return false
		}
		a.refused(t, 429, metav1.StatusReasonTooManyRequests,
			`strategy plugin "hostile" is busy: its calls keep failing and may take no more time for now (limit failingTime), please try again later`)
		if a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		return true
	})
}

// A guest keeps what it has seen from one request to the next where its author asks for that and the operator allows it.
func TestResetIsTheOperatorsToAllow(t *testing.T) {
	s := startServer(t, "--bundled-plugins=false")
	s.push(t, "remembers", strings.Replace(hostileFile("asks_to_remember"), "hostile", "guests", 1))
	must(t, patchPlugin(t, s.dynamic(t), "remembers", `{"limits":{"instances":1}}`))
	config := s.restConfig(t)
	said := &warnings{}
	config.WarningHandler = said
	widgets := dynamicFor(t, config).Resource(widgetResource)
	padded := newWidget("w")
	padded.SetAnnotations(map[string]string{"padding": strings.Repeat("x", 4000)})
	warned := func(ns string) string {
		said.last = ""
		_, err := widgets.Namespace(ns).Create(context.Background(), padded, metav1.CreateOptions{DryRun: []string{"All"}})
		must(t, err)
		return said.last
	}
	for range 4 {
		equal(t, "by default", warned("default"), "---")
	}
	must(t, patchPlugin(t, s.dynamic(t), "remembers", `{"reset":{"every":1000}}`))
	equal(t, "the first call", warned("default"), "---")
	if got := warned("default"); got == "---" {
		t.Errorf("what is allowed and asked for is not kept: %s", got)
	}
	equal(t, "in another namespace", warned("kube-system"), "---")
	must(t, patchPlugin(t, s.dynamic(t), "remembers", `{"reset":{"every":1}}`))
	for range 4 {
		equal(t, "when it is no longer allowed", warned("default"), "---")
	}
}

func dynamicFor(t *testing.T, config *rest.Config) *dynamic.DynamicClient {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	return client
}
