package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// hostileFile is a guest of the host's tests that misbehaves; its text says how.
func hostileFile(name string) string {
	return filepath.Join("..", "..", "host", "testdata", "hostile", name+".wasm")
}

// widgetResource is what all hostile guests define.
var widgetResource = schema.GroupVersionResource{Group: "hostile.example", Version: "v1", Resource: "widgets"}

func newWidget(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "hostile.example/v1", "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": map[string]any{"x": "y"},
	}}
}

// hostileWants are the guests of the host's tests with their first line of what they come to.
func hostileWants(t *testing.T) map[string]string {
	t.Helper()
	texts, err := filepath.Glob(filepath.Join("..", "..", "host", "testdata", "hostile", "*.wat"))
	if err != nil || len(texts) < 40 {
		t.Fatalf("%d guests, %v", len(texts), err)
	}
	wants := map[string]string{}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			if want, ok := strings.CutPrefix(strings.TrimSpace(line), ";; want: "); ok {
				wants[strings.TrimSuffix(filepath.Base(path), ".wat")] = want
				break
			}
		}
	}
	return wants
}

// load writes and reads objects of other resources until it is stopped. Nothing of it may fail.
type load struct {
	stop    context.CancelFunc
	running sync.WaitGroup
	made    atomic.Int64
	failed  atomic.Pointer[error]
}

func startLoad(t *testing.T, s *server, ns string) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	t.Cleanup(l.end)
	for worker := range 2 {
		l.running.Go(func() {
			deployments, crontabs := s.typed(t).AppsV1().Deployments(ns), s.dynamic(t).Resource(cronTabs).Namespace(ns)
			for n := 0; ctx.Err() == nil; n++ {
				name := fmt.Sprintf("load-%d-%d", worker, n)
				_, err := deployments.Create(ctx, newDeployment(name), metav1.CreateOptions{})
				if err == nil {
					_, err = crontabs.Create(ctx, newCronTab(name), metav1.CreateOptions{})
				}
				if err == nil {
					_, err = deployments.Get(ctx, name, metav1.GetOptions{})
				}
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					err = fmt.Errorf("%s: %w", name, err)
					l.failed.CompareAndSwap(nil, &err)
					return
				}
				l.made.Add(1)
			}
		})
	}
	return l
}

func (l *load) end() {
	l.stop()
	l.running.Wait()
}

// check ends the load and makes sure that nothing of it failed or was lost.
func (l *load) check(t *testing.T, s *server, ns string) {
	t.Helper()
	l.end()
	if err := l.failed.Load(); err != nil {
		t.Errorf("a request for another resource failed: %v", *err)
	}
	stored, err := s.typed(t).AppsV1().Deployments(ns).List(within(t), metav1.ListOptions{})
	must(t, err)
	if made := l.made.Load(); made == 0 || int64(len(stored.Items)) < made {
		t.Errorf("%d objects are stored, %d were acknowledged", len(stored.Items), made)
	}
	t.Logf("meanwhile %d rounds on other resources", l.made.Load())
}

// Every hostile guest is pushed and called, one replacing the other, while other resources are written to and read. Modules that
// are refused are refused as their texts say, calls fail as failures of the plugin or are refused as it is busy, and nobody else notices.
func TestHostileGuestsUnderLoad(t *testing.T) {
	s := startServer(t)
	ns := namespace(t, s)
	other := startLoad(t, s, ns)
	c := s.curl(t)
	refused, failed := 0, 0
	for name, want := range hostileWants(t) {
		out, err := s.stratagem(t, "plugin", "push", hostileFile(name), "--name", "hostile")
		if step, loads := strings.CutPrefix(want, "load "); loads {
			step, text, _ := strings.Cut(step, ":")
			if refused++; err == nil || !strings.Contains(out, "module."+step+": ") || !strings.Contains(out, strings.TrimSpace(text)) {
				t.Errorf("%s: %v: %s, want %s", name, err, out, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
			continue
		}
		for range 2 {
			switch code, text := attack(t.Context(), c, ns); {
			case failedHostile(code, text):
				failed++
			case code != http.StatusCreated && code != http.StatusUnprocessableEntity:
				t.Errorf("%s: %d: %s", name, code, text)
			}
		}
	}
	if refused < 60 || failed < 100 {
		t.Errorf("only %d modules were refused, only %d calls failed", refused, failed)
	}
	other.check(t, s, ns)
}

// attack makes one request to the hostile plugin's resource, without trying again what is refused.
func attack(ctx context.Context, c curl, ns string) (code int, text string) {
	body := `{"apiVersion":"hostile.example/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"x":"y"}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server+"/apis/hostile.example/v1/namespaces/"+ns+"/widgets?dryRun=All", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(raw)
}

// failedHostile tells whether a request failed for its plugin alone.
func failedHostile(code int, text string) bool {
	return code == http.StatusTooManyRequests || code == http.StatusInternalServerError && strings.Contains(text, "hostile@")
}

// A plugin under attack is replaced and disabled through the API at once, and brought back.
func TestHostilePluginIsReplaced(t *testing.T) {
	s := startServer(t)
	ns := namespace(t, s)
	s.push(t, "hostile", hostileFile("endless_loop"))
	other := startLoad(t, s, ns)
	widgets := s.dynamic(t).Resource(widgetResource).Namespace(ns)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var attackers sync.WaitGroup
	var attacks atomic.Int64
	for range 8 {
		c := s.curl(t)
		attackers.Go(func() {
			for ctx.Err() == nil {
				code, text := attack(ctx, c, ns)
				if ctx.Err() == nil && !failedHostile(code, text) && code != http.StatusNotFound {
					t.Errorf("under attack: %d: %s", code, text)
					return
				}
				attacks.Add(1)
			}
		})
	}
	eventually(t, "the attack", func() bool { return attacks.Load() > 50 })
	s.push(t, "hostile", hostileFile("trap_divide_by_zero"))
	before := attacks.Load()
	eventually(t, "the attack on the next revision", func() bool { return attacks.Load() > before+50 })
	if out, err := s.stratagem(t, "plugin", "disable", "hostile"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := widgets.List(within(t), metav1.ListOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("disabled, and yet: %v", err)
	}
	if out, err := s.stratagem(t, "plugin", "rollback", "hostile"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, err := widgets.List(within(t), metav1.ListOptions{})
	must(t, err)
	stop()
	attackers.Wait()
	other.check(t, s, ns)
}

// patchPlugin changes the spec of a StrategyPlugin.
func patchPlugin(t *testing.T, client dynamic.Interface, name, spec string) error {
	t.Helper()
	_, err := client.Resource(plugins).Patch(within(t), name, types.MergePatchType, []byte(`{"spec":`+spec+`}`), metav1.PatchOptions{})
	return err
}
