package e2e

import (
	"fmt"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appsv1listers "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
)

// recorder holds what an informer's events add up to: it has to be the same as the lister's cache.
type recorder struct {
	mu       sync.Mutex
	versions map[string]string
	problems []string
}

func (r *recorder) note(problem string) { r.problems = append(r.problems, problem) }

// OnAdd notes a new object.
func (r *recorder) OnAdd(obj any, _ bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := obj.(*appsv1.Deployment)
	if _, known := r.versions[d.Name]; known {
		r.note("added twice: " + d.Name)
	}
	r.versions[d.Name] = d.ResourceVersion
}

// OnUpdate notes a change.
func (r *recorder) OnUpdate(old, obj any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d := obj.(*appsv1.Deployment)
	if r.versions[d.Name] != old.(*appsv1.Deployment).ResourceVersion {
		r.note("an update of another version than the last: " + d.Name)
	}
	r.versions[d.Name] = d.ResourceVersion
}

// OnDelete notes an end.
func (r *recorder) OnDelete(obj any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	delete(r.versions, obj.(*appsv1.Deployment).Name)
}

// inSync tells whether events, cache and server agree.
func (r *recorder) inSync(lister appsv1listers.DeploymentNamespaceLister, list *appsv1.DeploymentList) bool {
	cached, err := lister.List(labels.Everything())
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || len(cached) != len(list.Items) || len(r.versions) != len(list.Items) {
		return false
	}
	for _, d := range list.Items {
		held, err := lister.Get(d.Name)
		if err != nil || held.ResourceVersion != d.ResourceVersion || r.versions[d.Name] != d.ResourceVersion {
			return false
		}
	}
	return true
}

func TestInformer(t *testing.T) {
	s := startServer(t)
	client, err := kubernetes.NewForConfig(protobufConfig(t, s))
	must(t, err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	informer := factory.Apps().V1().Deployments()
	seen := &recorder{versions: map[string]string{}}
	_, err = informer.Informer().AddEventHandlerWithResyncPeriod(seen, time.Duration(0))
	must(t, err)
	churn(t, client, 0)
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(within(t).Done())
	agree := func(when string) {
		t.Helper()
		list, err := client.AppsV1().Deployments("default").List(within(t), metav1.ListOptions{})
		must(t, err)
		eventually(t, "an informer in sync "+when, func() bool { return seen.inSync(informer.Lister().Deployments("default"), list) })
	}
	agree("at the start")
	churn(t, client, 1)
	agree("after changes")
	s.stop()
	must(t, s.start())
	churn(t, client, 2)
	agree("after a restart")
	s.kill()
	must(t, s.start())
	churn(t, client, 3)
	agree("after a crash")
	for _, problem := range seen.problems {
		t.Error(problem)
	}
}

// churn creates, updates and deletes.
func churn(t *testing.T, client kubernetes.Interface, round int) {
	t.Helper()
	deployments := client.AppsV1().Deployments("default")
	for i := range 10 {
		name := fmt.Sprintf("round-%d-%d", round, i)
		_, err := deployments.Create(within(t), newDeployment(name), metav1.CreateOptions{})
		must(t, err)
		if i%2 == 0 {
			patch := fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, i)
			_, err = deployments.Patch(within(t), name, types.MergePatchType, patch, metav1.PatchOptions{})
			must(t, err)
		}
		if i%3 == 0 {
			must(t, deployments.Delete(within(t), name, metav1.DeleteOptions{}))
		}
	}
}
