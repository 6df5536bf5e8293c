package e2e

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"
)

// protobufConfig is how Kubernetes' own components talk: protobuf both ways where the server has it.
func protobufConfig(t *testing.T, s *server) *rest.Config {
	config := s.restConfig(t)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return config
}

func TestTypedClient(t *testing.T) {
	ns := namespace(t, shared)
	for name, config := range map[string]*rest.Config{"json": shared.restConfig(t), "protobuf": protobufConfig(t, shared)} {
		t.Run(name, func(t *testing.T) {
			client, err := kubernetes.NewForConfig(config)
			must(t, err)
			typedDeployment(t, client, ns, "d-"+name)
			typedPods(t, client, ns, name)
		})
	}
}

// typedDeployment is the life of a Deployment.
func typedDeployment(t *testing.T, client kubernetes.Interface, ns, name string) {
	t.Helper()
	deployments := client.AppsV1().Deployments(ns)
	created, err := deployments.Create(within(t), newDeployment(name), metav1.CreateOptions{FieldValidation: "Strict"})
	must(t, err)
	equal(t, "replicas", *created.Spec.Replicas, 1)
	equal(t, "strategy", created.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)

	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		got, err := deployments.Get(within(t), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		replicas := int32(4)
		got.Spec.Replicas = &replicas
		_, err = deployments.Update(within(t), got, metav1.UpdateOptions{})
		return err
	}))
	created.Labels = map[string]string{"too": "late"}
	_, err = deployments.Update(within(t), created, metav1.UpdateOptions{})
	if !apierrors.IsConflict(err) {
		t.Errorf("update with a stale resourceVersion: %v", err)
	}
	equal(t, "message", fmt.Sprint(err), fmt.Sprintf("Operation cannot be fulfilled on deployments.apps %q: the object has been modified; please apply your changes to the latest version and try again", name))

	created.ResourceVersion = ""
	updated, err := deployments.Update(within(t), created, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "label of an unconditional update", updated.Labels["too"], "late")
	updated.Status.Replicas = 3
	updated, err = deployments.UpdateStatus(within(t), updated, metav1.UpdateOptions{})
	must(t, err)
	equal(t, "status", updated.Status.Replicas, 3)

	patched, err := deployments.Patch(within(t), name, types.StrategicMergePatchType, []byte(`{"spec":{"paused":true}}`), metav1.PatchOptions{})
	must(t, err)
	equal(t, "paused", patched.Spec.Paused, true)
	equal(t, "status after a patch of spec", patched.Status.Replicas, 3)

	wrong := types.UID("wrong")
	err = deployments.Delete(within(t), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}})
	if !apierrors.IsConflict(err) {
		t.Errorf("delete with another uid: %v", err)
	}
	must(t, deployments.Delete(within(t), name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &created.UID}}))
	if _, err = deployments.Get(within(t), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get after delete: %v", err)
	}
}

// typedPods lists by page and by field and deletes them all.
func typedPods(t *testing.T, client kubernetes.Interface, ns, prefix string) {
	t.Helper()
	pods := client.CoreV1().Pods(ns)
	for range 5 {
		pod := newPod("")
		pod.GenerateName = prefix + "-"
		_, err := pods.Create(within(t), pod, metav1.CreateOptions{})
		must(t, err)
	}
	names := map[string]bool{}
	options := metav1.ListOptions{Limit: 2}
	for {
		page, err := pods.List(within(t), options)
		must(t, err)
		for _, pod := range page.Items {
			names[pod.Name] = true
		}
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
		if page.RemainingItemCount == nil || len(names)+int(*page.RemainingItemCount) != 5 {
			t.Errorf("after %d pods remain %v", len(names), page.RemainingItemCount)
		}
	}
	equal(t, "pods", len(names), 5)
	list, err := pods.List(within(t), metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("spec.restartPolicy", string(corev1.RestartPolicyAlways)).String()})
	must(t, err)
	equal(t, "pods by field", len(list.Items), 5)
	must(t, pods.DeleteCollection(within(t), metav1.DeleteOptions{}, metav1.ListOptions{}))
	list, err = pods.List(within(t), metav1.ListOptions{})
	must(t, err)
	equal(t, "pods after the end", len(list.Items), 0)
}

func TestDynamicClient(t *testing.T) {
	cronTabs := shared.dynamic(t).Resource(cronTabs).Namespace(namespace(t, shared))
	created, err := cronTabs.Create(within(t), newCronTab("c"), metav1.CreateOptions{})
	must(t, err)
	replicas, _, _ := unstructured.NestedInt64(created.Object, "spec", "replicas")
	equal(t, "replicas", replicas, 1)

	must(t, unstructured.SetNestedField(created.Object, "bad", "spec", "cronSpec"))
	_, err = cronTabs.Update(within(t), created, metav1.UpdateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("update with a bad schedule: %v", err)
	}
	must(t, unstructured.SetNestedField(created.Object, "@hourly", "spec", "cronSpec"))
	created, err = cronTabs.Update(within(t), created, metav1.UpdateOptions{})
	must(t, err)
	must(t, unstructured.SetNestedField(created.Object, int64(3), "status", "replicas"))
	_, err = cronTabs.UpdateStatus(within(t), created, metav1.UpdateOptions{})
	must(t, err)
	got, err := cronTabs.Get(within(t), "c", metav1.GetOptions{})
	must(t, err)
	status, _, _ := unstructured.NestedInt64(got.Object, "status", "replicas")
	equal(t, "status", status, 3)
	equal(t, "generation", got.GetGeneration(), 2)
	_, err = cronTabs.Patch(within(t), "c", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	if !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("strategic merge patch of a kind without merge keys: %v", err)
	}
	must(t, cronTabs.Delete(within(t), "c", metav1.DeleteOptions{}))
}

func TestMetadataClient(t *testing.T) {
	ns := namespace(t, shared)
	pod := newPod("p")
	pod.Labels = map[string]string{"a": "b"}
	_, err := shared.typed(t).CoreV1().Pods(ns).Create(within(t), pod, metav1.CreateOptions{})
	must(t, err)
	client, err := metadata.NewForConfig(shared.restConfig(t))
	must(t, err)
	list, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(ns).List(within(t), metav1.ListOptions{})
	must(t, err)
	if len(list.Items) != 1 || list.Items[0].Labels["a"] != "b" || list.Items[0].Kind != "PartialObjectMetadata" {
		t.Errorf("metadata: %v", list.Items)
	}
}

func TestDiscoveryClient(t *testing.T) {
	for name, legacy := range map[string]bool{"aggregated": false, "legacy": true} {
		t.Run(name, func(t *testing.T) {
			client, err := discovery.NewDiscoveryClientForConfig(shared.restConfig(t))
			must(t, err)
			client.UseLegacyDiscovery = legacy
			groups, err := restmapper.GetAPIGroupResources(client)
			must(t, err)
			mapper := restmapper.NewDiscoveryRESTMapper(groups)
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
			must(t, err)
			equal(t, "resource", mapping.Resource, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"})
			equal(t, "scope", mapping.Scope.Name(), meta.RESTScopeNameNamespace)
			_, resources, err := client.ServerGroupsAndResources()
			must(t, err)
			names := map[string]bool{}
			for _, list := range resources {
				for _, r := range list.APIResources {
					names[list.GroupVersion+" "+r.Name] = true
				}
			}
			for _, want := range []string{"v1 pods", "v1 pods/status", "v1 pods/binding", "v1 pods/eviction", "v1 namespaces", "apps/v1 deployments",
				"apps/v1 deployments/scale", "example.com/v1 crontabs", "example.com/v1 crontabs/status", "stratagem.dev/v1alpha1 strategyplugins"} {
				if !names[want] {
					t.Errorf("%s is not discovered; there are: %v", want, names)
				}
			}
		})
	}
}

func TestOpenAPIClient(t *testing.T) {
	client := shared.typed(t).Discovery()
	paths, err := client.OpenAPIV3().Paths()
	must(t, err)
	for _, path := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1"} {
		if paths[path] == nil {
			t.Fatalf("no OpenAPI v3 document for %s", path)
		}
		doc, err := paths[path].Schema("application/json")
		must(t, err)
		contains(t, string(doc), `"openapi":"3.0`)
		for _, parameter := range []string{`"fieldValidation"`, `"dryRun"`, `"x-kubernetes-group-version-kind"`} {
			contains(t, string(doc), parameter)
		}
	}
	doc, err := client.OpenAPISchema()
	must(t, err)
	definitions := map[string]bool{}
	for _, d := range doc.GetDefinitions().GetAdditionalProperties() {
		definitions[d.Name] = true
	}
	for _, want := range []string{"io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.Pod", "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"} {
		if !definitions[want] {
			t.Errorf("OpenAPI v2 has no definition %s", want)
		}
	}
	version, err := client.ServerVersion()
	must(t, err)
	equal(t, "version", version.Major+"."+version.Minor, "1.37")
}

func TestUnauthorized(t *testing.T) {
	config := rest.AnonymousClientConfig(shared.restConfig(t))
	anonymous, err := kubernetes.NewForConfig(config)
	must(t, err)
	_, err = anonymous.CoreV1().Pods("default").List(within(t), metav1.ListOptions{})
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("without credentials: %v", err)
	}
	if _, err := anonymous.Discovery().ServerVersion(); !apierrors.IsUnauthorized(err) {
		t.Errorf("version without credentials: %v", err)
	}
	config.BearerToken = "wrong"
	wrong, err := kubernetes.NewForConfig(config)
	must(t, err)
	if _, err = wrong.CoreV1().Pods("default").List(within(t), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("with a wrong token: %v", err)
	}
	body, err := anonymous.RESTClient().Get().AbsPath("/livez").DoRaw(within(t))
	must(t, err)
	equal(t, "livez", string(body), "ok")
}
