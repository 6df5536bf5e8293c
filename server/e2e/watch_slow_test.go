package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// numbers reads events until the one numbered last has come or the watch ends, and returns their numbers (the label n) and the version of the last one.
func (s stream) numbers(last string) (seen []string, version string) {
	for {
		line, err := s.lines.ReadBytes('\n')
		if err != nil {
			return seen, version
		}
		var event watchEvent
		if err := json.Unmarshal(line, &event); err != nil || event.Type != "MODIFIED" {
			s.Errorf("%v: %.200s", err, line)
			return seen, version
		}
		seen, version = append(seen, event.Object.Metadata.Labels["n"]), event.Object.Metadata.ResourceVersion
		if seen[len(seen)-1] == last {
			return seen, version
		}
	}
}

// countTo are the numbers from one to n.
func countTo(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return all
}

// A client that does not read its watch is dropped while others get everything, and loses nothing when it comes back.
func TestSlowWatcher(t *testing.T) {
	const updates = 60 // of 1 MiB: more than the events that a cache keeps and the buffers on the way
	group, ns, c := "slow.test", namespace(t, shared), shared.curl(t)
	define(t, shared, widgetDefinition(t, group, `[{name: v1, served: true, storage: true, `+anySpec+`}]`))
	large := fmt.Sprintf("{text: %s}", strings.Repeat("x", 1<<20))
	objects := widgets(t, shared, group, "v1", ns)
	created, err := objects.Create(within(t), widget(t, group, "v1", "a", large), metav1.CreateOptions{})
	must(t, err)
	collection := "/apis/" + group + "/v1/namespaces/" + ns + "/widgets"
	path := collection + "?watch=1&timeoutSeconds=60&resourceVersion="
	slow := shared.curl(t).watch(t, path+created.GetResourceVersion())
	var readers sync.WaitGroup
	for _, fast := range []stream{c.watch(t, path+created.GetResourceVersion()), c.watchAs(t, path+created.GetResourceVersion(), "PartialObjectMetadata")} {
		readers.Go(func() {
			seen, _ := fast.numbers(fmt.Sprint(updates))
			equal(t, "what a fast watcher saw", strings.Join(seen, " "), strings.Join(countTo(updates), " "))
		})
	}
	for _, n := range countTo(updates) {
		got := c.do(t, "PATCH", collection+"/a", `{"metadata":{"labels":{"n":"`+n+`"}}}`, sendsMerge, "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		equal(t, "patch", got.code, 200)
	}
	readers.Wait()
	seen, version := slow.numbers("")
	if len(seen) == 0 || len(seen) == updates {
		t.Fatalf("the slow watcher was sent %d events", len(seen))
	}
	missed, _ := c.watch(t, path+version).numbers(fmt.Sprint(updates))
	equal(t, "what the slow watcher saw in two watches", strings.Join(append(seen, missed...), " "), strings.Join(countTo(updates), " "))
}

// Many watchers see many changes, each of them all, in order.
func TestManyWatchers(t *testing.T) {
	const watchers, updates = 100, 50
	ns, c := namespace(t, shared), shared.curl(t)
	objects := shared.dynamic(t).Resource(cronTabs).Namespace(ns)
	created, err := objects.Create(within(t), newCronTab("a"), metav1.CreateOptions{})
	must(t, err)
	path := "/apis/example.com/v1/namespaces/" + ns + "/crontabs?watch=1&timeoutSeconds=60&resourceVersion=" + created.GetResourceVersion()
	var readers sync.WaitGroup
	for range watchers {
		s := c.watch(t, path)
		readers.Go(func() {
			seen, _ := s.numbers(fmt.Sprint(updates))
			equal(t, "what a watcher saw", strings.Join(seen, " "), strings.Join(countTo(updates), " "))
		})
	}
	for _, n := range countTo(updates) {
		_, err := objects.Patch(within(t), "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"n":"`+n+`"}}}`), metav1.PatchOptions{})
		must(t, err)
	}
	readers.Wait()
}
