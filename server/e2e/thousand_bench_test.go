package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// BenchmarkThousandDefinitions installs a thousand definitions and tells what that takes: the time of all, the longest until one is served, the
// documents, and the memory. One run is enough: -benchtime 1x.
func BenchmarkThousandDefinitions(b *testing.B) {
	const n, workers = 1000, 4
	for b.Loop() {
		s, err := newServer(b.TempDir(), "--bundled-plugins=false")
		if err == nil {
			err = s.start()
		}
		if err != nil {
			b.Fatal(err)
		}
		config, err := s.config()
		if err != nil {
			b.Fatal(err)
		}
		client := dynamic.NewForConfigOrDie(config)
		b.ReportMetric(rss(b, s), "MB-empty")
		began, slowest := time.Now(), make([]time.Duration, workers)
		var wait sync.WaitGroup
		for worker := range workers {
			wait.Go(func() {
				for i := worker; i < n; i += workers {
					began := time.Now()
					if err := install(client, i); err != nil {
						b.Error(err)
						return
					}
					slowest[worker] = max(slowest[worker], time.Since(began))
				}
			})
		}
		wait.Wait()
		b.ReportMetric(time.Since(began).Seconds(), "s-install")
		longest := slowest[0]
		for _, d := range slowest {
			longest = max(longest, d)
		}
		b.ReportMetric(float64(longest.Milliseconds()), "ms-until-served")
		b.ReportMetric(rss(b, s), "MB-installed")
		for _, document := range []struct{ name, path, accept string }{
			{"ms-discovery-first", "/apis", aggregated}, {"ms-discovery", "/apis", aggregated},
			{"ms-openapi-index", "/openapi/v3", ""}, {"ms-openapi-one", "/openapi/v3/apis/g500.thousand.test/v1", ""},
		} {
			took, size := fetch(b, config, document.path, document.accept)
			b.ReportMetric(float64(took.Microseconds())/1000, document.name)
			b.ReportMetric(float64(size)/1e3, strings.Replace(document.name, "ms-", "kB-", 1))
		}
		b.ReportMetric(rss(b, s), "MB-documents")
		took, _ := fetch(b, config, "/openapi/v2", "")
		b.ReportMetric(took.Seconds(), "s-openapi-v2")
		b.ReportMetric(rss(b, s), "MB-openapi-v2")
		s.stop()
	}
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"

// install creates a definition and an object of it.
func install(client dynamic.Interface, i int) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	group := fmt.Sprintf("g%d.thousand.test", i)
	definition := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.%[1]s}\nspec:\n  group: %[1]s\n  scope: Namespaced\n"+
		"  names: {plural: widgets, kind: Widget}\n  versions:%[2]s", group, strings.ReplaceAll(rulesVersion, "\n", "\n  ")), &definition.Object); err != nil {
		return err
	}
	if _, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1", "kind": "Widget", "metadata": map[string]any{"name": "one"}, "spec": map[string]any{"size": int64(1)},
	}}
	_, err := client.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}).Namespace("default").Create(ctx, object, metav1.CreateOptions{})
	return err
}

// fetch gets a document whole.
func fetch(b *testing.B, config *rest.Config, path, accept string) (time.Duration, int) {
	b.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodGet, config.Host+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s, error %v", path, resp.Status, err)
	}
	return time.Since(began), len(body)
}

// rss is the memory of a server in MB.
func rss(b *testing.B, s *server) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1e3
}
