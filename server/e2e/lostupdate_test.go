package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// annotated is an object whose annotations one client patches while another writes its status, always from the copy
// that it read at the beginning and without a resourceVersion.
type annotated struct {
	annotate     func(ctx context.Context, patch []byte) error
	updateStatus func(ctx context.Context, n int) error
	read         func(ctx context.Context) (annotations map[string]string, status string, err error)
}

func TestLostUpdate(t *testing.T) {
	ns := namespace(t, shared)
	for name, object := range map[string]func(*testing.T, string) annotated{
		"pod": annotatedPod, "deployment": annotatedDeployment, "crontab": annotatedCronTab,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loseNothing(t, object(t, ns))
		})
	}
}

const lostUpdateRounds = 100

// loseNothing races annotation patches against stale status writes, first in either fixed order, then freely.
func loseNothing(t *testing.T, object annotated) {
	ctx := within(t)
	want := map[string]string{}
	check := func(round int) {
		t.Helper()
		got, status, err := object.read(ctx)
		must(t, err)
		for key, value := range want {
			if got[key] != value {
				t.Fatalf("round %d: annotation %s is %q, want %q: the patch is lost", round, key, got[key], value)
			}
		}
		if wanted := fmt.Sprint(round); status != wanted {
			t.Fatalf("round %d: status says %q: the write is lost", round, status)
		}
	}
	for round := range lostUpdateRounds {
		key, value := fmt.Sprintf("example.com/patch-%d", round%7), fmt.Sprint(round)
		patch := func() error {
			return object.annotate(ctx, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, key, value))
		}
		status := func() error { return object.updateStatus(ctx, round) }
		want[key] = value
		switch round % 4 {
		case 0:
			must(t, patch())
			must(t, status())
		case 1:
			must(t, status())
			must(t, patch())
		default:
			both(t, patch, status)
		}
		check(round)
	}
}

// both runs two calls at once.
func both(t *testing.T, calls ...func() error) {
	t.Helper()
	errs := make([]error, len(calls))
	var done sync.WaitGroup
	for i, call := range calls {
		done.Go(func() { errs[i] = call() })
	}
	done.Wait()
	for _, err := range errs {
		must(t, err)
	}
}

// stale are the annotations that the status writer believes in.
func stale() map[string]string {
	return map[string]string{"example.com/patch-0": "stale", "example.com/patch-3": "stale"}
}

func annotatedPod(t *testing.T, ns string) annotated {
	t.Helper()
	pods := shared.typed(t).CoreV1().Pods(ns)
	pod := newPod("p")
	pod.Annotations = stale()
	old, err := pods.Create(within(t), pod, metav1.CreateOptions{})
	must(t, err)
	old.ResourceVersion = ""
	return annotated{
		annotate: func(ctx context.Context, patch []byte) error {
			_, err := pods.Patch(ctx, "p", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		updateStatus: func(ctx context.Context, n int) error {
			pod := old.DeepCopy()
			pod.Status.Message = fmt.Sprint(n)
			_, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
			return err
		},
		read: func(ctx context.Context) (map[string]string, string, error) {
			pod, err := pods.Get(ctx, "p", metav1.GetOptions{})
			return pod.Annotations, pod.Status.Message, err
		},
	}
}

func annotatedDeployment(t *testing.T, ns string) annotated {
	t.Helper()
	deployments := shared.typed(t).AppsV1().Deployments(ns)
	deployment := newDeployment("d")
	deployment.Annotations = stale()
	old, err := deployments.Create(within(t), deployment, metav1.CreateOptions{})
	must(t, err)
	old.ResourceVersion = ""
	return annotated{
		annotate: func(ctx context.Context, patch []byte) error {
			_, err := deployments.Patch(ctx, "d", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		updateStatus: func(ctx context.Context, n int) error {
			deployment := old.DeepCopy()
			deployment.Status.ObservedGeneration = int64(n)
			_, err := deployments.UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
			return err
		},
		read: func(ctx context.Context) (map[string]string, string, error) {
			deployment, err := deployments.Get(ctx, "d", metav1.GetOptions{})
			return deployment.Annotations, fmt.Sprint(deployment.Status.ObservedGeneration), err
		},
	}
}

func annotatedCronTab(t *testing.T, ns string) annotated {
	t.Helper()
	cronTabs := shared.dynamic(t).Resource(cronTabs).Namespace(ns)
	cronTab := newCronTab("c")
	cronTab.SetAnnotations(stale())
	old, err := cronTabs.Create(within(t), cronTab, metav1.CreateOptions{})
	must(t, err)
	old.SetResourceVersion("")
	return annotated{
		annotate: func(ctx context.Context, patch []byte) error {
			_, err := cronTabs.Patch(ctx, "c", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		updateStatus: func(ctx context.Context, n int) error {
			cronTab := old.DeepCopy()
			cronTab.Object["status"] = map[string]any{"replicas": int64(n)}
			_, err := cronTabs.UpdateStatus(ctx, cronTab, metav1.UpdateOptions{})
			return err
		},
		read: func(ctx context.Context) (map[string]string, string, error) {
			cronTab, err := cronTabs.Get(ctx, "c", metav1.GetOptions{})
			if err != nil {
				return nil, "", err
			}
			n, _, err := unstructured.NestedInt64(cronTab.Object, "status", "replicas")
			return cronTab.GetAnnotations(), fmt.Sprint(n), err
		},
	}
}
