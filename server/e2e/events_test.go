package e2e

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

// coreEvent is an event as old recorders write them.
func coreEvent(ns, name string) *corev1.Event {
	at := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}, InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Name: "web", Namespace: ns},
		Reason: "Pulled", Message: "pulled", Source: corev1.EventSource{Component: "kubelet", Host: "n1"}, Type: "Normal", Count: 3, FirstTimestamp: at, LastTimestamp: at,
	}
}

// newEvent is an event as new recorders write them.
func newEvent(ns, name string) *eventsv1.Event {
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}, Regarding: corev1.ObjectReference{Kind: "Pod", Name: "web", Namespace: ns},
		Reason: "Scheduled", Action: "Binding", Note: "bound", Type: "Warning", ReportingController: "example.org/scheduler", ReportingInstance: "one",
		EventTime: metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)),
	}
}

// The two groups show the same events, each in its own words, whoever has written them and in whatever encoding.
func TestEventsOfBothGroups(t *testing.T) {
	ns := namespace(t, shared)
	for encoding, config := range map[string]func() (*kubernetes.Clientset, error){
		"json":     func() (*kubernetes.Clientset, error) { return kubernetes.NewForConfig(shared.restConfig(t)) },
		"protobuf": func() (*kubernetes.Clientset, error) { return kubernetes.NewForConfig(protobufConfig(t, shared)) },
	} {
		client, err := config()
		must(t, err)
		old, modern := client.CoreV1().Events(ns), client.EventsV1().Events(ns)
		watching, err := modern.Watch(within(t), metav1.ListOptions{FieldSelector: "metadata.name=old-" + encoding})
		must(t, err)
		defer watching.Stop()

		a, err := old.Create(within(t), coreEvent(ns, "old-"+encoding), metav1.CreateOptions{})
		must(t, err)
		shown, err := modern.Get(within(t), a.Name, metav1.GetOptions{})
		must(t, err)
		equal(t, "resourceVersion", shown.ResourceVersion, a.ResourceVersion)
		equal(t, "uid", shown.UID, a.UID)
		equal(t, "regarding", shown.Regarding, a.InvolvedObject)
		equal(t, "note", shown.Note, "pulled")
		equal(t, "deprecatedSource", shown.DeprecatedSource, a.Source)
		equal(t, "deprecatedCount", shown.DeprecatedCount, 3)
		equal(t, "deprecatedFirstTimestamp", shown.DeprecatedFirstTimestamp.Equal(&a.FirstTimestamp), true)

		b, err := modern.Create(within(t), newEvent(ns, "new-"+encoding), metav1.CreateOptions{})
		must(t, err)
		seen, err := old.Get(within(t), b.Name, metav1.GetOptions{})
		must(t, err)
		equal(t, "message", seen.Message, "bound")
		equal(t, "reportingComponent", seen.ReportingController, "example.org/scheduler")
		equal(t, "eventTime", seen.EventTime.Equal(&b.EventTime), true)

		a, err = old.Patch(within(t), a.Name, types.StrategicMergePatchType, []byte(`{"count":4}`), metav1.PatchOptions{})
		must(t, err)
		for _, want := range []struct {
			change watch.EventType
			count  int32
			at     string
		}{{watch.Added, 3, shown.ResourceVersion}, {watch.Modified, 4, a.ResourceVersion}} {
			change := <-watching.ResultChan()
			event, ok := change.Object.(*eventsv1.Event)
			if !ok || change.Type != want.change || event.DeprecatedCount != want.count || event.ResourceVersion != want.at {
				t.Fatalf("%s: %s %+v, want %+v", encoding, change.Type, change.Object, want)
			}
		}
	}
	eventLists(t, ns)
	eventRules(t, ns)
}

// eventLists are lists by the selectors that each group has.
func eventLists(t *testing.T, ns string) {
	t.Helper()
	client := shared.typed(t)
	for selector, want := range map[string]int{
		"": 4, "involvedObject.name=web": 4, "reason=Pulled": 2, "type=Warning": 2, "source=kubelet": 2, "source=example.org/scheduler": 2, "reportingComponent=example.org/scheduler": 2,
		"involvedObject.kind=Pod,source!=kubelet": 2,
	} {
		list, err := client.CoreV1().Events(ns).List(within(t), metav1.ListOptions{FieldSelector: selector})
		must(t, err)
		equal(t, "core events with "+selector, len(list.Items), want)
	}
	for selector, want := range map[string]int{"": 4, "regarding.name=web": 4, "source=kubelet": 2, "reportingController=example.org/scheduler": 2, "reason=Scheduled,type=Warning": 2} {
		list, err := client.EventsV1().Events(ns).List(within(t), metav1.ListOptions{FieldSelector: selector})
		must(t, err)
		equal(t, "new events with "+selector, len(list.Items), want)
	}
	_, err := client.EventsV1().Events(ns).List(within(t), metav1.ListOptions{FieldSelector: "involvedObject.name=web"})
	if !apierrors.IsBadRequest(err) {
		t.Errorf("a selector of the other group: %v", err)
	}
	k := kubectl{shared, ns}
	contains(t, k.run(t, "get", "events"), "LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE", "Warning", "Scheduled", "pod/web", "bound", "Normal", "Pulled", "pod/web", "pulled")
	contains(t, k.run(t, "get", "events", "-o", "wide"), "SUBOBJECT", "SOURCE", "FIRST SEEN", "COUNT", "NAME", "example.org/scheduler, one", "kubelet, n1", "4", "old-json")
	contains(t, k.run(t, "events", "--for", "pod/web"), "Pulled", "Pod/web")
}

// eventRules are the rules of each group.
func eventRules(t *testing.T, ns string) {
	t.Helper()
	client := shared.typed(t)
	modern := client.EventsV1().Events(ns)
	bad := newEvent(ns, "bad")
	bad.EventTime, bad.DeprecatedCount = metav1.MicroTime{}, 1
	_, err := modern.Create(within(t), bad, metav1.CreateOptions{})
	contains(t, fmt.Sprint(err), `Event.events.k8s.io "bad" is invalid`, "eventTime: Required value", "count: Invalid value", "needs to be unset")
	b, err := modern.Get(within(t), "new-json", metav1.GetOptions{})
	must(t, err)
	b.Note = "unbound"
	_, err = modern.Update(within(t), b, metav1.UpdateOptions{})
	contains(t, fmt.Sprint(err), `message: Invalid value: "unbound": field is immutable`)
	b.Note, b.Series = "bound", &eventsv1.EventSeries{Count: 2, LastObservedTime: b.EventTime}
	_, err = modern.Update(within(t), b, metav1.UpdateOptions{})
	must(t, err)
	seen, err := client.CoreV1().Events(ns).Get(within(t), "new-json", metav1.GetOptions{})
	must(t, err)
	equal(t, "count of the series", seen.Series.Count, 2)
	must(t, client.CoreV1().Events(ns).Delete(within(t), "new-json", metav1.DeleteOptions{}))
	if _, err := modern.Get(within(t), "new-json", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("deleted through the other group: %v", err)
	}
}

// The recorders that controllers use, of both groups, count what happens again.
func TestEventRecorders(t *testing.T) {
	ns := namespace(t, shared)
	client := shared.typed(t)
	pod, err := client.CoreV1().Pods(ns).Create(within(t), newPod("web"), metav1.CreateOptions{})
	must(t, err)

	old := record.NewBroadcaster()
	defer old.Shutdown()
	old.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: client.CoreV1().Events(ns)})
	recorder := old.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "old"})
	for range 3 {
		recorder.Event(pod, corev1.EventTypeNormal, "Happened", "again")
	}
	eventually(t, "a core event that happened three times", func() bool {
		list, err := client.EventsV1().Events(ns).List(within(t), metav1.ListOptions{FieldSelector: "reason=Happened,source=old,regarding.uid=" + string(pod.UID)})
		return err == nil && len(list.Items) == 1 && list.Items[0].DeprecatedCount == 3
	})

	modern := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	defer modern.Shutdown()
	must(t, modern.StartRecordingToSinkWithContext(within(t)))
	for range 3 {
		modern.NewRecorder(scheme.Scheme, "example.org/new").Eventf(pod, nil, corev1.EventTypeNormal, "Occurred", "Occur", "again")
	}
	eventually(t, "a new event with a series", func() bool {
		list, err := client.CoreV1().Events(ns).List(within(t), metav1.ListOptions{FieldSelector: "reason=Occurred,reportingComponent=example.org/new"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Series != nil
	})
}
