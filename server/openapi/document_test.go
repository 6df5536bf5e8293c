package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/spec3"
	kubeproto "k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

func methods(p *spec3.Path) map[string]*spec3.Operation {
	all := map[string]*spec3.Operation{"get": p.Get, "put": p.Put, "post": p.Post, "patch": p.Patch, "delete": p.Delete}
	maps.DeleteFunc(all, func(_ string, op *spec3.Operation) bool { return op == nil })
	return all
}

func TestPaths(t *testing.T) {
	s := serving(testResources(t))
	var got []string
	for _, name := range []string{"api/v1", "apis/apps/v1"} {
		for path, item := range v3(t, s, name).Paths.Paths {
			got = append(got, path+" "+strings.Join(slices.Sorted(maps.Keys(methods(item))), ","))
		}
	}
	slices.Sort(got)
	want := []string{
		"/api/v1/namespaces delete,get,post",
		"/api/v1/namespaces/{name} delete,get,patch,put",
		"/api/v1/namespaces/{namespace}/pods delete,get,post",
		"/api/v1/namespaces/{namespace}/pods/{name} delete,get,patch,put",
		"/api/v1/namespaces/{namespace}/pods/{name}/binding post",
		"/api/v1/namespaces/{namespace}/pods/{name}/eviction post",
		"/api/v1/namespaces/{namespace}/pods/{name}/status get,patch,put",
		"/api/v1/pods get",
		"/apis/apps/v1/deployments get",
		"/apis/apps/v1/namespaces/{namespace}/deployments delete,get,post",
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name} delete,get,patch,put",
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/rollback post",
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale get,patch,put",
		"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status get,patch,put",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What kubectl looks for before it sends dryRun, fieldValidation or a strategic merge patch.
func TestPatchOperations(t *testing.T) {
	s := serving(testResources(t))
	for name, strategic := range map[string]bool{"api/v1": true, "apis/apps/v1": true, "apis/example.com/v1": false} {
		for path, item := range v3(t, s, name).Paths.Paths {
			if item.Patch == nil || strings.HasPrefix(path, "/api/v1/namespaces/{name}") {
				continue
			}
			var gvk map[string]string
			if err := item.Patch.Extensions.GetObject(kindExtension, &gvk); err != nil || gvk["kind"] == "" || gvk["version"] != "v1" {
				t.Errorf("%s: kind %v, %v", path, gvk, err)
			}
			var query []string
			for _, p := range item.Patch.Parameters {
				if p.In == "query" {
					query = append(query, p.Name)
				}
			}
			if want := []string{"dryRun", "fieldManager", "fieldValidation", "force"}; !slices.Equal(query, want) {
				t.Errorf("%s: parameters %v", path, query)
			}
			if _, ok := item.Patch.RequestBody.Content["application/strategic-merge-patch+json"]; ok != strategic {
				t.Errorf("%s: strategic merge patch %v", path, ok)
			}
			if _, ok := item.Patch.RequestBody.Content["application/merge-patch+json"]; !ok {
				t.Errorf("%s: no merge patch", path)
			}
		}
	}
}

func TestServerSideApplyIsAnOption(t *testing.T) {
	s := New(Options{ServerSideApply: true})
	s.Update(testResources(t))
	patch := v3(t, s, "apis/example.com/v1").Paths.Paths["/apis/example.com/v1/namespaces/{namespace}/crontabs/{name}"].Patch
	if _, ok := patch.RequestBody.Content["application/apply-patch+yaml"]; !ok {
		t.Errorf("got %v", slices.Sorted(maps.Keys(patch.RequestBody.Content)))
	}
}

func TestOperations(t *testing.T) {
	paths := v3(t, serving(testResources(t)), "apis/apps/v1").Paths.Paths
	const one = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
	tests := []struct{ path, method, id, action, kind, body, answer string }{
		{"/apis/apps/v1/deployments", "get", "listAppsV1DeploymentForAllNamespaces", "list", "apps/v1/Deployment", "", "io.k8s.api.apps.v1.DeploymentList"},
		{"/apis/apps/v1/namespaces/{namespace}/deployments", "post", "createAppsV1NamespacedDeployment", "post", "apps/v1/Deployment", "io.k8s.api.apps.v1.Deployment", "io.k8s.api.apps.v1.Deployment"},
		{"/apis/apps/v1/namespaces/{namespace}/deployments", "delete", "deleteAppsV1CollectionNamespacedDeployment", "deletecollection", "apps/v1/Deployment", metaPrefix + "DeleteOptions", metaPrefix + "Status"},
		{one, "get", "readAppsV1NamespacedDeployment", "get", "apps/v1/Deployment", "", "io.k8s.api.apps.v1.Deployment"},
		{one, "put", "replaceAppsV1NamespacedDeployment", "put", "apps/v1/Deployment", "io.k8s.api.apps.v1.Deployment", "io.k8s.api.apps.v1.Deployment"},
		{one, "delete", "deleteAppsV1NamespacedDeployment", "delete", "apps/v1/Deployment", metaPrefix + "DeleteOptions", metaPrefix + "Status"},
		{one, "patch", "patchAppsV1NamespacedDeployment", "patch", "apps/v1/Deployment", metaPrefix + "Patch", "io.k8s.api.apps.v1.Deployment"},
		{one + "/scale", "put", "replaceAppsV1NamespacedDeploymentScale", "put", "autoscaling/v1/Scale", "io.k8s.api.autoscaling.v1.Scale", "io.k8s.api.autoscaling.v1.Scale"},
		{one + "/status", "patch", "patchAppsV1NamespacedDeploymentStatus", "patch", "apps/v1/Deployment", metaPrefix + "Patch", "io.k8s.api.apps.v1.Deployment"},
		{one + "/rollback", "post", "createAppsV1NamespacedDeploymentRollback", "post", "apps/v1beta1/Unknown", "io.k8s.api.apps.v1beta1.Unknown", "io.k8s.api.apps.v1beta1.Unknown"},
	}
	for _, test := range tests {
		op := methods(paths[test.path])[test.method]
		if op == nil {
			t.Errorf("%s %s is missing", test.method, test.path)
			continue
		}
		var gvk map[string]string
		if err := op.Extensions.GetObject(kindExtension, &gvk); err != nil {
			t.Error(err)
		}
		body := ""
		if op.RequestBody != nil {
			for _, content := range op.RequestBody.Content {
				body, _ = referenced(content.Schema.Ref)
			}
		}
		answer, _ := referenced(op.Responses.StatusCodeResponses[200].Content["application/json"].Schema.Ref)
		action, _ := op.Extensions.GetString("x-kubernetes-action")
		got := fmt.Sprintf("%s %s %s/%s/%s %s %s", op.OperationId, action, gvk["group"], gvk["version"], gvk["kind"], body, answer)
		if want := fmt.Sprintf("%s %s %s %s %s", test.id, test.action, test.kind, test.body, test.answer); got != want {
			t.Errorf("%s %s:\n got %s\nwant %s", test.method, test.path, got, want)
		}
	}
}

// kubectl explain finds a kind by its operation, then the schema by the kind, and follows references from there.
func TestExplain(t *testing.T) {
	s := serving(testResources(t))
	for name, gvk := range map[string]schema.GroupVersionKind{
		"api/v1":              {Version: "v1", Kind: "Pod"},
		"apis/apps/v1":        {Group: "apps", Version: "v1", Kind: "Deployment"},
		"apis/example.com/v1": {Group: "example.com", Version: "v1", Kind: "CronTab"},
	} {
		document := v3(t, s, name)
		var found []*spec.Schema
		for _, c := range document.Components.Schemas {
			var kinds []map[string]string
			if c.Extensions.GetObject(kindExtension, &kinds) == nil &&
				slices.ContainsFunc(kinds, func(k map[string]string) bool {
					return k["group"] == gvk.Group && k["version"] == gvk.Version && k["kind"] == gvk.Kind
				}) {
				found = append(found, c)
			}
		}
		if len(found) != 1 {
			t.Errorf("%s: %d schemas", gvk, len(found))
			continue
		}
		for _, field := range []string{"apiVersion", "kind", "metadata", "spec"} {
			if _, ok := found[0].Properties[field]; !ok {
				t.Errorf("%s: no %s", gvk, field)
			}
		}
		if found[0].Description == "" {
			t.Errorf("%s: no description", gvk)
		}
		metadata := found[0].Properties["metadata"]
		if to := references(metadata); !slices.Equal(to, []string{metaPrefix + "ObjectMeta"}) {
			t.Errorf("%s: metadata refers to %v", gvk, to)
		}
	}
}

// kubectl apply computes its patch from this document.
func TestStrategicMergeBySchema(t *testing.T) {
	schemas := v3(t, serving(testResources(t)), "apis/apps/v1").Components.Schemas
	lookup := strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: schemas, Schema: schemas["io.k8s.api.apps.v1.Deployment"]}
	old := `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"one"},{"name":"b","image":"two"}]}}}}`
	changed := `{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"one"},{"name":"b","image":"three"}]}}}}`
	patch, err := strategicpatch.CreateThreeWayMergePatch([]byte(old), []byte(changed), []byte(old), lookup, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"b"}],"containers":[{"image":"three","name":"b"}]}}}}`; string(patch) != want {
		t.Errorf("got %s", patch)
	}
}

func TestEveryReferenceResolves(t *testing.T) {
	s := serving(testResources(t))
	for name := range index(t, s) {
		document := v3(t, s, name)
		for from, c := range document.Components.Schemas {
			for _, to := range references(*c) {
				if document.Components.Schemas[to] == nil {
					t.Errorf("%s: %s refers to %s", name, from, to)
				}
			}
		}
		raw := request(s.V3(), "/openapi/v3/"+name).Body.String()
		if strings.Contains(raw, "#/definitions/") || strings.Contains(raw, "x-kubernetes-v2-schema") {
			t.Errorf("%s holds what is v2's", name)
		}
	}
	var v2 spec.Swagger
	raw := request(s.V2(), "/openapi/v2").Body.Bytes()
	if err := json.Unmarshal(raw, &v2); err != nil {
		t.Fatal(err)
	}
	for from, definition := range v2.Definitions {
		for _, to := range references(definition) {
			if _, ok := v2.Definitions[to]; !ok {
				t.Errorf("v2: %s refers to %s", from, to)
			}
		}
	}
	for _, v3Only := range []string{"#/components/", `"oneOf"`, `"anyOf"`, `"allOf"`, `"nullable"`} {
		if strings.Contains(string(raw), v3Only) {
			t.Errorf("v2 holds %s", v3Only)
		}
	}
}

func TestProtobuf(t *testing.T) {
	s := serving(testResources(t))
	for _, accept := range []string{"application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"} {
		w := request(s.V2(), "/openapi/v2", "Accept", accept)
		if got := w.Header().Get("Content-Type"); got != "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" {
			t.Errorf("content type %q", got)
		}
		var document openapi_v2.Document
		if err := proto.Unmarshal(w.Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		models, err := kubeproto.NewOpenAPIData(&document)
		if err != nil {
			t.Fatal(err)
		}
		deployment, ok := models.LookupModel("io.k8s.api.apps.v1.Deployment").(*kubeproto.Kind)
		if !ok || deployment.Fields["spec"] == nil || deployment.GetExtensions()[kindExtension] == nil {
			t.Errorf("Deployment is %+v", deployment)
		}
		if w := request(s.V2(), "/openapi/v2", "Accept", accept, "If-None-Match", w.Header().Get("Etag")); w.Code != 304 {
			t.Errorf("with its ETag: %d", w.Code)
		}
	}
	for name := range index(t, s) {
		w := request(s.V3(), "/openapi/v3/"+name, "Accept", "application/com.github.proto-openapi.spec.v3.v1.0+protobuf")
		var document openapi_v3.Document
		if err := proto.Unmarshal(w.Body.Bytes(), &document); err != nil || len(document.GetPaths().GetPath()) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestV2OfACustomSchema(t *testing.T) {
	var v2 spec.Swagger
	if err := json.Unmarshal(request(serving(testResources(t)).V2(), "/openapi/v2").Body.Bytes(), &v2); err != nil {
		t.Fatal(err)
	}
	spec := v2.Definitions["com.example.v1.CronTab"].Properties["spec"]
	got, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"description":"What to run.","type":"object","required":["schedule"],"properties":{"choice":{"type":"integer"},"many":{"type":"array","items":{"type":"object","properties":{"x":{}}}},"maybe":{},` +
		`"open":{"x-kubernetes-preserve-unknown-fields":true},"port":{"x-kubernetes-int-or-string":true},"schedule":{"description":"When to run it.","type":"string"},"template":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if open := v2.Definitions["io.k8s.api.core.v1.Namespace"]; !open.Type.Contains("object") || open.Properties != nil {
		t.Errorf("a resource without a schema is %+v", open)
	}
}

func TestV3OfACustomSchema(t *testing.T) {
	schemas := v3(t, serving(testResources(t)), "apis/example.com/v1").Components.Schemas
	cron := schemas["com.example.v1.CronTab"]
	template := cron.Properties["spec"].Properties["template"]
	if !slices.Equal(template.Required, []string{"apiVersion", "kind"}) || !slices.Equal(references(template.Properties["metadata"]), []string{metaPrefix + "ObjectMeta"}) {
		t.Errorf("the embedded resource is %+v", template)
	}
	for _, name := range []string{"com.example.v1.CronTab", "com.example.v1.CronTabList"} {
		if got := fmt.Sprint(schemas[name].Extensions["x-kubernetes-selectable-fields"]); got != "[map[fieldPath:spec.schedule]]" {
			t.Errorf("%s: selectable fields %s", name, got)
		}
	}
	if len(cron.Properties["spec"].Properties["choice"].AnyOf) != 2 || !cron.Properties["spec"].Properties["maybe"].Nullable {
		t.Errorf("v3 lost what it can say: %+v", cron.Properties["spec"])
	}
}

// The server's own kinds come without a schema where Kubernetes' library has one.
func TestSchemaFromTheLibrary(t *testing.T) {
	s := serving([]*engine.Resource{resource("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", nil)})
	schemas := v3(t, s, "apis/apiextensions.k8s.io/v1").Components.Schemas
	crd := schemas["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"]
	if crd == nil || !slices.Contains(references(crd.Properties["spec"]), "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec") {
		t.Errorf("got %+v", crd)
	}
}
