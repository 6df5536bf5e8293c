package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// creator creates Deployments one after the other and notes which revision of the plugin made each.
type creator struct {
	client   *kubernetes.Clientset
	name     string
	warnings *warnings
	stamps   map[string]int // how many objects each revision has made
}

// warnings keeps the last warning.
type warnings struct{ last string }

// HandleWarningHeader notes a warning.
func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { w.last = text }

func newCreator(t *testing.T, s *server, name string) *creator {
	t.Helper()
	c := &creator{name: name, warnings: &warnings{}, stamps: map[string]int{}}
	config := s.restConfig(t)
	config.WarningHandler = c.warnings
	// Failed requests are not tried again behind the test's back.
	config.Timeout = patience
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(config, name))
	must(t, err)
	c.client = client
	return c
}

// create makes one Deployment and returns the stamp that it bears, "" when no stamped revision made it.
func (c *creator) create(ctx context.Context, n int) (string, error) {
	c.warnings.last = ""
	got, err := c.client.AppsV1().Deployments("default").Create(ctx, newDeployment(fmt.Sprintf("%s-%d", c.name, n)), metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	prepared, canonicalized := got.Annotations["prepared-by"], got.Annotations["canonicalized-by"]
	warned := strings.TrimPrefix(c.warnings.last, "warned by ")
	if prepared != canonicalized || prepared != warned {
		return "", fmt.Errorf("%s: prepared by %q, canonicalized by %q, warned by %q: two revisions served one request", got.Name, prepared, canonicalized, warned)
	}
	c.stamps[prepared]++
	return prepared, nil
}

// afterwards is how many objects each creator makes after the last push.
const afterwards = 20

func TestHotSwap(t *testing.T) {
	s := startServer(t)
	revisions := []string{"", "1", "2", "3"}
	files := make([]string, len(revisions))
	for i, revision := range revisions[1:] {
		files[i+1] = buildStamped(t, revision)
	}
	var pushed atomic.Int64 // index of the last revision whose push has returned
	ctx, stop := context.WithCancel(within(t))
	defer stop()
	var running sync.WaitGroup
	creators := make([]*creator, 6)
	for i := range creators {
		creators[i] = newCreator(t, s, fmt.Sprintf("creator-%d", i))
		running.Go(func() {
			if err := creators[i].loop(ctx, revisions, &pushed); err != nil {
				t.Error(err)
				stop()
			}
		})
	}
	for i := range revisions[1:] {
		s.push(t, "deployments", files[i+1])
		pushed.Store(int64(i + 1))
	}
	running.Wait()
	total := map[string]int{}
	for _, c := range creators {
		for revision, n := range c.stamps {
			total[revision] += n
		}
	}
	t.Logf("objects by revision: %v", total)
	for _, revision := range []string{revisions[0], revisions[len(revisions)-1]} {
		if total[revision] == 0 {
			t.Errorf("no request met revision %q", revision)
		}
	}
	list, err := s.typed(t).AppsV1().Deployments("default").List(within(t), metav1.ListOptions{})
	must(t, err)
	for _, d := range list.Items {
		total[d.Annotations["prepared-by"]]--
	}
	for revision, n := range total {
		equal(t, "acknowledged objects of revision "+revision+" that are not stored", n, 0)
	}
}

// loop creates until the last revision is in force, and then some more. A request that began after a push returned
// must not meet an older revision.
func (c *creator) loop(ctx context.Context, revisions []string, pushed *atomic.Int64) error {
	last := int64(len(revisions) - 1)
	for n, after := 0, 0; after < afterwards; n++ {
		least := pushed.Load()
		stamp, err := c.create(ctx, n)
		if err != nil {
			return fmt.Errorf("%s, request %d: %w", c.name, n, err)
		}
		if stamp < revisions[least] {
			return fmt.Errorf("%s, request %d: revision %q served it after the push of %q had returned", c.name, n, stamp, revisions[least])
		}
		if least == last {
			after++
		}
	}
	return nil
}

func TestCorruptModule(t *testing.T) {
	wasm, err := os.ReadFile(filepath.Join("..", "bundle", "files", "crontabs.wasm"))
	must(t, err)
	client := shared.dynamic(t).Resource(plugins)
	before, err := client.Get(within(t), "crontabs", metav1.GetOptions{})
	must(t, err)
	ns := namespace(t, shared)
	c := shared.curl(t)
	path := "/apis/stratagem.dev/v1alpha1/strategyplugins/crontabs/module"
	for name, module := range map[string]struct {
		body string
		step string
	}{
		"empty":           {"", "module.wasm"},
		"text":            {"not a module", "module.wasm"},
		"header only":     {"\x00asm\x01\x00\x00\x00", "module.exports"},
		"another version": {"\x00asm\x02\x00\x00\x00", "module.wasm"},
		"cut":             {string(wasm[:len(wasm)/2]), "module.wasm"},
		"cut at its end":  {string(wasm[:len(wasm)-1]), "module.wasm"},
	} {
		t.Run(name, func(t *testing.T) {
			status := c.do(t, "PUT", path, module.body, "Content-Type: application/wasm").status(t)
			equal(t, "code", status.Code, 422)
			equal(t, "reason", status.Reason, metav1.StatusReasonInvalid)
			if status.Details == nil || len(status.Details.Causes) != 1 {
				t.Fatalf("no cause: %v", status)
			}
			equal(t, "step", status.Details.Causes[0].Field, module.step)
		})
	}
	after, err := client.Get(within(t), "crontabs", metav1.GetOptions{})
	must(t, err)
	equal(t, "generation", after.GetGeneration(), before.GetGeneration())
	equal(t, "digest", nested(after, "status", "digest"), nested(before, "status", "digest"))
	equal(t, "Active", conditionOf(after, "Active").status, "True")
	refused := conditionOf(after, "Verified")
	equal(t, "Verified", refused.status+" "+refused.reason, "False Refused")
	contains(t, refused.message, "was refused: ")
	_, err = shared.dynamic(t).Resource(cronTabs).Namespace(ns).Create(within(t), newCronTab("a"), metav1.CreateOptions{})
	must(t, err)

	file := filepath.Join(t.TempDir(), "cut.wasm")
	must(t, os.WriteFile(file, wasm[:1000], 0o600))
	out, err := shared.stratagem(t, "plugin", "push", file, "--name", "crontabs")
	if err == nil {
		t.Error("plugin push of a module that is cut off succeeded")
	}
	contains(t, out, `stratagem: StrategyPlugin.stratagem.dev "crontabs" is invalid: module.wasm: Invalid value: `)
}
