package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// next waits for the next event of a watch and describes it: "ADDED name".
func next(t *testing.T, w watch.Interface) string {
	t.Helper()
	select {
	case event, open := <-w.ResultChan():
		if !open {
			return "closed"
		}
		if event.Type == watch.Error {
			status := event.Object.(*metav1.Status)
			return fmt.Sprintf("ERROR %d %s", status.Code, status.Reason)
		}
		return fmt.Sprintf("%s %s", event.Type, event.Object.(metav1.Object).GetName())
	case <-within(t).Done():
		t.Fatal("no event came")
		return ""
	}
}

func startWatch(t *testing.T, pods corev1client.PodInterface, options metav1.ListOptions) watch.Interface {
	t.Helper()
	w, err := pods.Watch(t.Context(), options)
	must(t, err)
	t.Cleanup(w.Stop)
	return w
}

func TestWatch(t *testing.T) {
	pods := shared.typed(t).CoreV1().Pods(namespace(t, shared))
	labelled := newPod("labelled")
	labelled.Labels = map[string]string{"a": "b"}
	list, err := pods.List(within(t), metav1.ListOptions{})
	must(t, err)
	all := startWatch(t, pods, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	some := startWatch(t, pods, metav1.ListOptions{ResourceVersion: list.ResourceVersion, LabelSelector: "a=b"})
	_, err = pods.Create(within(t), newPod("plain"), metav1.CreateOptions{})
	must(t, err)
	_, err = pods.Create(within(t), labelled, metav1.CreateOptions{})
	must(t, err)
	middle, err := pods.Patch(within(t), "plain", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	must(t, err)
	_, err = pods.Patch(within(t), "labelled", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"c"}}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, pods.Delete(within(t), "plain", metav1.DeleteOptions{}))
	for _, want := range []string{"ADDED plain", "ADDED labelled", "MODIFIED plain", "MODIFIED labelled", "DELETED plain"} {
		equal(t, "event", next(t, all), want)
	}
	// What comes to match is added, what ceases to match is deleted.
	for _, want := range []string{"ADDED labelled", "ADDED plain", "DELETED labelled", "DELETED plain"} {
		equal(t, "selected event", next(t, some), want)
	}
	resumed := startWatch(t, pods, metav1.ListOptions{ResourceVersion: middle.ResourceVersion})
	for _, want := range []string{"MODIFIED labelled", "DELETED plain"} {
		equal(t, "resumed event", next(t, resumed), want)
	}
	fromNow := startWatch(t, pods, metav1.ListOptions{})
	equal(t, "synthetic event", next(t, fromNow), "ADDED labelled")
}

func TestWatchList(t *testing.T) {
	pods := shared.typed(t).CoreV1().Pods(namespace(t, shared))
	created, err := pods.Create(within(t), newPod("p"), metav1.CreateOptions{})
	must(t, err)
	yes := true
	w := startWatch(t, pods, metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	equal(t, "event", next(t, w), "ADDED p")
	event := <-w.ResultChan()
	equal(t, "type", event.Type, watch.Bookmark)
	bookmark := event.Object.(*corev1.Pod)
	equal(t, "annotation", bookmark.Annotations[metav1.InitialEventsAnnotationKey], "true")
	if order, err := resourceversion.CompareResourceVersion(bookmark.ResourceVersion, created.ResourceVersion); err != nil || order < 0 {
		t.Errorf("the bookmark's resourceVersion %s is before %s (%v)", bookmark.ResourceVersion, created.ResourceVersion, err)
	}

	_, err = pods.Watch(within(t), metav1.ListOptions{SendInitialEvents: &yes})
	if !apierrors.IsInvalid(err) {
		t.Errorf("sendInitialEvents without resourceVersionMatch: %v", err)
	}
}

func TestWatchTimeout(t *testing.T) {
	pods := shared.typed(t).CoreV1().Pods(namespace(t, shared))
	one := int64(1)
	w := startWatch(t, pods, metav1.ListOptions{TimeoutSeconds: &one, AllowWatchBookmarks: true, ResourceVersion: "0"})
	for last := ""; last != "closed"; {
		if last = next(t, w); last != "closed" && last != "BOOKMARK " {
			t.Fatalf("event %s in an empty namespace", last)
		}
	}
}

// Versions that have been compacted away are 410, so that clients list anew.
func TestWatchAfterCompaction(t *testing.T) {
	db := startEtcd(t)
	for name, args := range map[string][]string{"cached": nil, "not cached": {"--watch-cache=false"}} {
		t.Run(name, func(t *testing.T) {
			s := startReplica(t, db, args...)
			pods := s.typed(t).CoreV1().Pods(namespace(t, s))
			first, err := pods.Create(within(t), newPod("p"), metav1.CreateOptions{})
			must(t, err)
			_, err = pods.Create(within(t), newPod("q"), metav1.CreateOptions{})
			must(t, err)
			page, err := pods.List(within(t), metav1.ListOptions{Limit: 1})
			must(t, err)
			last, err := pods.Patch(within(t), "p", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
			must(t, err)
			at, err := db.Client().Get(within(t), "/")
			must(t, err)
			_, err = db.Client().Compact(within(t), at.Header.Revision)
			must(t, err)
			s.stop()
			must(t, s.start())

			w, err := pods.Watch(within(t), metav1.ListOptions{ResourceVersion: first.ResourceVersion})
			switch {
			case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			case err != nil:
				t.Errorf("watch from a compacted version: %v", err)
			default:
				equal(t, "watch from a compacted version", next(t, w), "ERROR 410 Expired")
				w.Stop()
			}
			_, err = pods.List(within(t), metav1.ListOptions{Limit: 1, Continue: page.Continue})
			if !apierrors.IsResourceExpired(err) {
				t.Errorf("continuing a list of a compacted version: %v", err)
			}
			_, err = pods.List(within(t), metav1.ListOptions{ResourceVersion: first.ResourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
			if !apierrors.IsResourceExpired(err) {
				t.Errorf("list of a compacted version: %v", err)
			}
			w = startWatch(t, pods, metav1.ListOptions{ResourceVersion: last.ResourceVersion})
			must(t, pods.Delete(within(t), "p", metav1.DeleteOptions{}))
			equal(t, "watch from the latest version", next(t, w), "DELETED p")
		})
	}
}
