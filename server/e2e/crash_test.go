package e2e

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

const (
	crashRounds  = 50
	crashWriters = 4
	crashAcks    = 20 // after so many acknowledged writes of a round the server is killed
)

// acknowledgements are the writes that the server has confirmed: the last value of each object.
type acknowledgements struct {
	mu     sync.Mutex
	values map[string]int
	count  int
}

func (a *acknowledgements) add(name string, value int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.values[name] = value
	a.count++
}

func (a *acknowledgements) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// Every write that was acknowledged is there after the process was killed in the middle of others.
func TestKilledServerLosesNoAcknowledgedWrite(t *testing.T) {
	s := startServer(t)
	acks := &acknowledgements{values: map[string]int{}}
	for round := range crashRounds {
		ctx, cancel := context.WithCancel(within(t))
		var writers sync.WaitGroup
		pods := s.typed(t).CoreV1().Pods("default")
		enough := acks.total() + crashAcks
		for i := range crashWriters {
			writers.Go(func() { writePods(ctx, pods, fmt.Sprintf("round-%d-writer-%d", round, i), acks) })
		}
		eventually(t, "acknowledged writes", func() bool { return acks.total() >= enough })
		s.kill()
		cancel()
		writers.Wait()
		must(t, s.start())
		checkAcknowledged(t, s, acks)
	}
}

// writePods creates pods and counts an annotation of each up, until a write fails.
func writePods(ctx context.Context, pods corev1client.PodInterface, prefix string, acks *acknowledgements) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s-%d", prefix, n)
		if _, err := pods.Create(ctx, newPod(name), metav1.CreateOptions{}); err != nil {
			return
		}
		acks.add(name, 0)
		for value := 1; value < 5; value++ {
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"n":"%d"}}}`, value)
			if _, err := pods.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
				return
			}
			acks.add(name, value)
		}
	}
}

func checkAcknowledged(t *testing.T, s *server, acks *acknowledgements) {
	t.Helper()
	list, err := s.typed(t).CoreV1().Pods("default").List(within(t), metav1.ListOptions{})
	must(t, err)
	stored := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		stored[pod.Name] = pod
	}
	for name, value := range acks.values {
		pod, found := stored[name]
		if !found {
			t.Errorf("pod %s was acknowledged and is gone", name)
			continue
		}
		n, _ := strconv.Atoi(pod.Annotations["n"])
		if n < value {
			t.Errorf("pod %s: %d was acknowledged, %d is stored", name, value, n)
		}
		if pod.UID == "" || len(pod.Spec.Containers) != 1 {
			t.Errorf("pod %s is not whole: %v", name, pod)
		}
	}
}
