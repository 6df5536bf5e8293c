package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestCommittedFilesAreUpToDate runs the //go:generate lines of main.go and compares.
func TestCommittedFilesAreUpToDate(t *testing.T) {
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(source)) {
		args, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:generate go run . -out ")
		if !ok {
			continue
		}
		ran++
		words := strings.Fields(args)
		want, err := Generate(words[1:])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got, err := os.ReadFile(words[0]); err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run go generate in plugins/schemagen", words[0])
		}
	}
	if ran != 3 {
		t.Errorf("%d //go:generate lines, want those of core, pods and deployments", ran)
	}
}

func TestEveryReferenceResolves(t *testing.T) {
	schemas := generate(t, "v1/Pod", "policy/v1/Eviction")
	var walk func(where string, node any)
	walk = func(where string, node any) {
		switch node := node.(type) {
		case map[string]any:
			if ref, ok := node["$ref"].(string); ok {
				if len(node) != 1 {
					t.Errorf("%s: a $ref has siblings, which OpenAPI ignores", where)
				}
				if _, ok := schemas[strings.TrimPrefix(ref, "#/components/schemas/")]; !ok {
					t.Errorf("%s: %s is not in the document", where, ref)
				}
			}
			for key, value := range node {
				walk(where+"/"+key, value)
			}
		case []any:
			for _, value := range node {
				walk(where, value)
			}
		}
	}
	walk("", schemas)
}

// TestSchemasAreKubernetes holds single schemas against what kube-apiserver publishes, apart from
// defaults that are only zero values.
func TestSchemasAreKubernetes(t *testing.T) {
	schemas := generate(t, "v1/Pod", "v1/Binding", "policy/v1/Eviction", "apps/v1/Deployment", "autoscaling/v1/Scale")
	const core, meta = "io.k8s.api.core.v1.", "io.k8s.apimachinery.pkg.apis.meta.v1."
	for path, want := range map[string]string{
		core + "Pod/x-kubernetes-group-version-kind":                      `[{"group":"","kind":"Pod","version":"v1"}]`,
		core + "Pod/properties/spec/allOf":                                `[{"$ref":"#/components/schemas/io.k8s.api.core.v1.PodSpec"}]`,
		core + "Pod/properties/metadata/description":                      `"Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"`,
		core + "Pod/properties/spec/default":                              `null`,
		core + "PodSpec/required":                                         `["containers"]`,
		core + "PodSpec/properties/containers/items":                      `{"$ref":"#/components/schemas/io.k8s.api.core.v1.Container"}`,
		core + "PodSpec/properties/nodeSelector":                          `{"additionalProperties":{"type":"string"},"description":"NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/","type":"object","x-kubernetes-map-type":"atomic"}`,
		core + "PodSpec/properties/volumes/x-kubernetes-patch-strategy":   `"merge,retainKeys"`,
		core + "PodSpec/properties/volumes/x-kubernetes-patch-merge-key":  `"name"`,
		core + "PodSpec/properties/activeDeadlineSeconds/format":          `"int64"`,
		core + "PodSpec/properties/restartPolicy/enum":                    `["Always","Never","OnFailure"]`,
		core + "Container/properties/ports/x-kubernetes-list-type":        `"map"`,
		core + "Container/properties/ports/x-kubernetes-list-map-keys":    `["containerPort","protocol"]`,
		core + "Container/required":                                       `["name"]`,
		core + "ContainerPort/properties/protocol/default":                `"TCP"`,
		core + "ContainerPort/properties/containerPort/default":           `null`,
		core + "AzureDiskVolumeSource/properties/cachingMode/default":     `"ReadWrite"`,
		core + "LocalObjectReference/properties/name/default":             `null`,
		core + "LocalObjectReference/x-kubernetes-map-type":               `"atomic"`,
		core + "SeccompProfile/x-kubernetes-unions":                       `[{"discriminator":"type","fields-to-discriminateBy":{"localhostProfile":"LocalhostProfile"}}]`,
		"io.k8s.api.autoscaling.v1.ScaleSpec/properties/replicas/default": `null`,
		"io.k8s.api.apps.v1.DeploymentSpec/required":                      `["selector","template"]`,
		"io.k8s.apimachinery.pkg.util.intstr.IntOrString/oneOf":           `[{"type":"integer"},{"type":"string"}]`,
		"io.k8s.apimachinery.pkg.util.intstr.IntOrString/format":          `"int-or-string"`,
		"io.k8s.apimachinery.pkg.api.resource.Quantity/oneOf":             `[{"type":"string"},{"type":"number"}]`,
		meta + "Time/format":                                              `"date-time"`,
		meta + "Time/type":                                                `"string"`,
		meta + "FieldsV1/type":                                            `"object"`,
		meta + "ObjectMeta/properties/finalizers/x-kubernetes-list-type":  `"set"`,
		meta + "DeleteOptions/properties/gracePeriodSeconds/type":         `"integer"`,
		meta + "DeleteOptions/x-kubernetes-group-version-kind/1/group":    `"apps"`,
	} {
		got, err := json.Marshal(at(schemas, path))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s\n got %s\nwant %s", path, got, want)
		}
	}
}

func TestGenerateRefuses(t *testing.T) {
	for arg, want := range map[string]string{
		"Pod":             `"Pod" is not APIVERSION/KIND`,
		"v1/Cow":          "kind v1/Cow is not one that schemagen knows",
		"a/b/c/Pod":       "unexpected GroupVersion string",
		"batch/v1/Job":    "kind batch/v1/Job is not one",
		"apps/v1/Unknown": "kind apps/v1/Unknown is not one",
	} {
		if _, err := Generate([]string{arg}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
	if _, err := Generate(nil); err == nil {
		t.Error("no kinds: no error")
	}
}

func generate(t *testing.T, kinds ...string) map[string]any {
	t.Helper()
	data, err := Generate(kinds)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas
}

// at follows a path of names and indexes; what is not there is nil.
func at(node any, path string) any {
	for step := range strings.SplitSeq(path, "/") {
		switch n := node.(type) {
		case map[string]any:
			node = n[step]
		case []any:
			if i := int(step[0] - '0'); i < len(n) {
				node = n[i]
			} else {
				return nil
			}
		default:
			return nil
		}
	}
	return node
}
