package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1client "k8s.io/client-go/kubernetes/typed/apps/v1"
)

// The phases of a rollout under load. In the odd ones between them either revision may answer.
const (
	beforeCanary = 0
	inCanaryOnly = 2
	promoted     = 4
)

const loadPercent = 50

// stampIn is what a Deployment bears that was answered in a phase.
func stampIn(phase int64, name string) string {
	switch phase {
	case beforeCanary:
		return ""
	case promoted:
		return "2"
	}
	return answeredBy("default", name, loadPercent)
}

// A canary begins, goes on and is promoted while clients write: no request fails, and each object is stamped by exactly the revision that its
// name says.
func TestHotSwapDuringCanary(t *testing.T) {
	db := startEtcd(t)
	a, b := startReplica(t, db), startReplica(t, db)
	file := tried(t)
	var phase, made atomic.Int64 // an odd phase: a change is under way
	ctx, stop := context.WithCancel(within(t))
	defer stop()
	var running sync.WaitGroup
	stamps := make([]map[int64]int, 4)
	for i := range stamps {
		stamps[i] = map[int64]int{}
		client := []*server{a, b}[i%2].typed(t).AppsV1().Deployments("default")
		running.Go(func() {
			if err := loadCanary(ctx, client, fmt.Sprintf("load-%d", i), &phase, &made, stamps[i]); err != nil {
				t.Error(err)
				stop()
			}
		})
	}
	next := func(change func()) {
		enough := made.Load() + afterwards
		eventually(t, "requests in the phase", func() bool { return made.Load() >= enough || ctx.Err() != nil })
		phase.Add(1)
		change()
		phase.Add(1)
	}
	next(func() {
		a.run(t, "plugin", "push", file, "--name", "deployments", "--canary", fmt.Sprintf("%d%%", loadPercent))
	})
	unrelated := `{"spec":{"revisionHistoryLimit":5}}` // what has nothing to do with the canary does not disturb it
	kubectl{b, ""}.run(t, "patch", "strategyplugin", "deployments", "--type=merge", "-p", unrelated)
	next(func() { b.run(t, "plugin", "promote", "deployments") })
	running.Wait()
	total := map[int64]int{}
	for _, counts := range stamps {
		for phase, n := range counts {
			total[phase] += n
		}
	}
	t.Logf("objects by phase: %v", total)
	for _, phase := range []int64{beforeCanary, inCanaryOnly, promoted} {
		if total[phase] == 0 {
			t.Errorf("no request began and ended in phase %d", phase)
		}
	}
}

// loadCanary creates Deployments until the last phase has been reached, and then some more.
func loadCanary(ctx context.Context, client appsv1client.DeploymentInterface, prefix string, phase, made *atomic.Int64, counts map[int64]int) error {
	for n, after := 0, 0; after < afterwards; n++ {
		began := phase.Load()
		name := fmt.Sprintf("%s-%d", prefix, n)
		got, err := client.Create(ctx, trying(name, "stamp"), metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		made.Add(1)
		stamp, ended := got.Annotations["answered-by"], phase.Load()
		if began == ended && began%2 == 0 {
			counts[began]++
			if want := stampIn(began, name); stamp != want {
				return fmt.Errorf("%s in phase %d: stamp %q, want %q", name, began, stamp, want)
			}
		}
		if began == promoted {
			after++
		}
	}
	return nil
}
