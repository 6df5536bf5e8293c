package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// deployment compiles the small Deployment of testdata.
func deployment(t testing.TB) *Schema {
	t.Helper()
	return fromFile(t, "testdata/deployment.json", "v1.Deployment", func(raw []byte) (components map[string]json.RawMessage, err error) {
		return components, json.Unmarshal(raw, &components)
	})
}

// bundled compiles a kind out of the generated schemas of a bundled plugin.
func bundled(t testing.TB, plugin, kind string) *Schema {
	t.Helper()
	return fromFile(t, "../../plugins/"+plugin+"/schema.json", kind, func(raw []byte) (map[string]json.RawMessage, error) {
		var doc struct {
			Components struct {
				Schemas map[string]json.RawMessage `json:"schemas"`
			} `json:"components"`
		}
		return doc.Components.Schemas, json.Unmarshal(raw, &doc)
	})
}

func fromFile(t testing.TB, file, name string, read func([]byte) (map[string]json.RawMessage, error)) *Schema {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	components, err := read(raw)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Compile(components[name], components)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// deploymentObject is a Deployment of about 3 kB in canonical form that has nothing to prune and no default to come.
func deploymentObject(t testing.TB) []byte {
	t.Helper()
	container := func(name string) string {
		return `{"args":["--port=8080","--verbose"],"env":[{"name":"A","value":"1"},{"name":"POD","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],` +
			`"image":"registry.example.com/team/` + name + `:1.2.3","imagePullPolicy":"IfNotPresent","livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"initialDelaySeconds":3,"periodSeconds":10},` +
			`"name":"` + name + `","ports":[{"containerPort":8080,"name":"http","protocol":"TCP"},{"containerPort":9090,"name":"metrics","protocol":"TCP"}],` +
			`"readinessProbe":{"failureThreshold":3,"httpGet":{"path":"/readyz","port":"http","scheme":"HTTP"},"periodSeconds":10},` +
			`"resources":{"limits":{"cpu":"1","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},"volumeMounts":[{"mountPath":"/etc/config","name":"config","readOnly":true},{"mountPath":"/tmp","name":"tmp"}]}`
	}
	return canonical(t, json.RawMessage(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"deployment.kubernetes.io/revision":"1"},"creationTimestamp":"2024-05-06T07:08:09Z","generation":1,`+
		`"labels":{"app.kubernetes.io/name":"web","tier":"front"},"managedFields":[{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:replicas":{}}},"manager":"kubectl","operation":"Update","time":"2024-05-06T07:08:09Z"}],`+
		`"name":"web","namespace":"default","resourceVersion":"12345","uid":"6e7a2b1c-0f3d-4c55-9f5e-1a2b3c4d5e6f"},"spec":{"progressDeadlineSeconds":600,"replicas":3,"revisionHistoryLimit":10,"selector":{"matchLabels":{"app.kubernetes.io/name":"web"}},`+
		`"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":1},"type":"RollingUpdate"},"template":{"metadata":{"labels":{"app.kubernetes.io/name":"web","tier":"front"}},"spec":{"containers":[`+container("web")+`,`+container("proxy")+`],`+
		`"dnsPolicy":"ClusterFirst","nodeSelector":{"disk":"ssd"},"restartPolicy":"Always","serviceAccountName":"web","terminationGracePeriodSeconds":30,"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Exists"}],`+
		`"volumes":[{"configMap":{"name":"config","optional":false},"name":"config"},{"emptyDir":{"sizeLimit":"1Gi"},"name":"tmp"}]}}},"status":{"availableReplicas":3,"observedGeneration":1,"replicas":3}}`))
}

// What Kubernetes publishes of a Deployment, on an object as kubectl sends it.
func TestDeployment(t *testing.T) {
	s := deployment(t)
	in := canonical(t, json.RawMessage(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","creationTimestamp":null},
		"spec":{"selector":{"matchLabels":{"app":"web"}},"strategy":{},"template":{"metadata":{"creationTimestamp":null,"labels":{"app":"web"}},
		"spec":{"containers":[{"image":"nginx","name":"web","imagePullPolice":"Always","ports":[{"containerPort":80}],"resources":{}},null]}}},"status":{}}`))
	decoded, err := s.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"spec.template.spec.containers[0].imagePullPolice"}; !slices.Equal(decoded.Unknown, want) {
		t.Errorf("unknown %q, want %q", decoded.Unknown, want)
	}
	got, err := s.Default(decoded.Object)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},` +
		`"spec":{"selector":{"matchLabels":{"app":"web"}},"strategy":{},"template":{"metadata":{"labels":{"app":"web"}},` +
		`"spec":{"containers":[{"image":"nginx","name":"web","ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{}},{"name":"","resources":{}}],"restartPolicy":"Always"}}},"status":{}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if errs := s.Validate(got); len(errs) != 0 {
		t.Errorf("got %v", errs)
	}
}

// The generated schemas of the bundled plugins, on objects that use much of them.
func TestBundledSchemas(t *testing.T) {
	deployments, pods := bundled(t, "deployments", "io.k8s.api.apps.v1.Deployment"), bundled(t, "pods", "io.k8s.api.core.v1.Pod")
	obj := deploymentObject(t)
	var parts struct {
		Spec struct{ Template json.RawMessage }
	}
	if err := json.Unmarshal(obj, &parts); err != nil {
		t.Fatal(err)
	}
	pod := append([]byte(`{"apiVersion":"v1","kind":"Pod",`), parts.Spec.Template[1:]...)
	for name, test := range map[string]struct {
		schema *Schema
		obj    []byte
	}{"deployment": {deployments, obj}, "pod": {pods, pod}} {
		decoded, err := test.schema.Decode(test.obj)
		if err != nil || len(decoded.Unknown) > 0 || string(decoded.Object) != string(test.obj) {
			t.Errorf("%s: got %s %q, %v", name, decoded.Object, decoded.Unknown, err)
		}
		if !test.schema.HasPatchMeta() {
			t.Errorf("%s: has no patch metadata", name)
		}
		bad := strings.Replace(string(test.obj), `"containerPort":9090`, `"containerPort":"9090"`, 1)
		prefix := map[string]string{"deployment": "spec.template.spec", "pod": "spec"}[name]
		want := fmt.Sprintf("json: cannot unmarshal string into field %s.containers[0].ports[1].containerPort of type int32", prefix)
		if _, err := test.schema.Decode([]byte(bad)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
}
