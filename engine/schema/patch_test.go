package schema

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

func patched(t *testing.T, s *Schema, object, patch string) string {
	t.Helper()
	var o, p map[string]any
	if err := json.Unmarshal([]byte(object), &o); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(patch), &p); err != nil {
		t.Fatal(err)
	}
	out, err := strategicpatch.StrategicMergeMapPatchUsingLookupPatchMeta(o, p, s.PatchMeta())
	if err != nil {
		t.Fatal(err)
	}
	return string(canonical(t, out))
}

func TestStrategicMergePatch(t *testing.T) {
	pod := func(spec string) string { return `{"spec":{"template":{"spec":` + spec + `}}}` }
	for name, test := range map[string]struct{ object, patch, want string }{
		"containers merge by name": {
			pod(`{"containers":[{"image":"a:1","name":"a"},{"image":"b:1","name":"b"}]}`),
			pod(`{"containers":[{"image":"b:2","name":"b"},{"image":"c:1","name":"c"}]}`),
			pod(`{"containers":[{"image":"a:1","name":"a"},{"image":"b:2","name":"b"},{"image":"c:1","name":"c"}]}`),
		},
		"in containers, too": {
			pod(`{"containers":[{"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"name":"a"}]}`),
			pod(`{"containers":[{"env":[{"$patch":"delete","name":"A"},{"name":"B","value":"3"}],"name":"a"}]}`),
			pod(`{"containers":[{"env":[{"name":"B","value":"3"}],"name":"a"}]}`),
		},
		"$patch delete": {
			pod(`{"containers":[{"name":"a"},{"name":"b"}]}`),
			pod(`{"containers":[{"$patch":"delete","name":"a"}]}`),
			pod(`{"containers":[{"name":"b"}]}`),
		},
		"$patch replace": {
			pod(`{"containers":[{"name":"a"},{"name":"b"}]}`),
			pod(`{"containers":[{"$patch":"replace"},{"name":"c"}]}`),
			pod(`{"containers":[{"name":"c"}]}`),
		},
		"$setElementOrder": {
			pod(`{"containers":[{"name":"a"},{"name":"b"}]}`),
			pod(`{"$setElementOrder/containers":[{"name":"c"},{"name":"b"},{"name":"a"}],"containers":[{"image":"c","name":"c"}]}`),
			pod(`{"containers":[{"image":"c","name":"c"},{"name":"b"},{"name":"a"}]}`),
		},
		"$retainKeys": {
			`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"}}}`,
			`{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`,
			`{"spec":{"strategy":{"type":"Recreate"}}}`,
		},
		"$retainKeys in volumes": {
			pod(`{"volumes":[{"emptyDir":{},"name":"v"}]}`),
			pod(`{"volumes":[{"$retainKeys":["configMap","name"],"configMap":{"name":"c"},"name":"v"}]}`),
			pod(`{"volumes":[{"configMap":{"name":"c"},"name":"v"}]}`),
		},
		"atomic lists are replaced": {
			pod(`{"tolerations":[{"key":"a"},{"key":"b"}]}`),
			pod(`{"tolerations":[{"key":"c"}]}`),
			pod(`{"tolerations":[{"key":"c"}]}`),
		},
		"finalizers merge": {
			`{"metadata":{"finalizers":["a","b"]}}`,
			`{"metadata":{"finalizers":["b","c"]}}`,
			`{"metadata":{"finalizers":["a","b","c"]}}`,
		},
		"finalizers, deleted and ordered": {
			`{"metadata":{"finalizers":["a","b"]}}`,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["c","b"],"finalizers":["c"]}}`,
			`{"metadata":{"finalizers":["c","b"]}}`,
		},
		"ownerReferences merge by uid": {
			`{"metadata":{"ownerReferences":[{"name":"a","uid":"1"},{"name":"b","uid":"2"}]}}`,
			`{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"1"},{"controller":true,"uid":"2"}]}}`,
			`{"metadata":{"ownerReferences":[{"controller":true,"name":"b","uid":"2"}]}}`,
		},
		"labels and annotations": {
			`{"metadata":{"annotations":{"a":"1"},"labels":{"x":"1","y":"2"}}}`,
			`{"metadata":{"annotations":{"b":"2"},"labels":{"x":null}}}`,
			`{"metadata":{"annotations":{"a":"1","b":"2"},"labels":{"y":"2"}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, s := range map[string]*Schema{"small": deployment(t), "bundled": bundled(t, "deployments", "io.k8s.api.apps.v1.Deployment")} {
				if got := patched(t, s, test.object, test.patch); got != test.want {
					t.Errorf("%s\ngot  %s\nwant %s", kind, got, test.want)
				}
			}
		})
	}
}

func TestStrategicMergePatchOfUnknownFields(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"kept":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"map":{"type":"object","additionalProperties":{"type":"object","properties":{"list":{"type":"array"}}}}}}`)
	if s.HasPatchMeta() {
		t.Error("has patch metadata")
	}
	object, patch := `{"kept":{"a":{"list":[1],"x":{"y":1}}},"map":{"k":{"list":[1]}}}`, `{"kept":{"a":{"list":[2],"x":{"z":2}}},"map":{"k":{"list":[2]}}}`
	if got, want := patched(t, s, object, patch), `{"kept":{"a":{"list":[2],"x":{"y":1,"z":2}}},"map":{"k":{"list":[2]}}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, _, err := s.PatchMeta().LookupPatchMetadataForStruct("other"); err == nil {
		t.Error("an unknown field is found")
	}
	if _, _, err := s.PatchMeta().LookupPatchMetadataForSlice("map"); err == nil {
		t.Error("an object is taken for an array")
	}
}

// A document that describes how metadata is merged is that of one of Kubernetes' own kinds, which all take strategic merge patches.
func TestHasPatchMetaOfMetadata(t *testing.T) {
	components := map[string]json.RawMessage{"Meta": json.RawMessage(`{"type":"object","properties":{"finalizers":{"type":"array","items":{"type":"string"},"x-kubernetes-patch-strategy":"merge"}}}`)}
	for doc, want := range map[string]bool{
		`{"type":"object","properties":{"metadata":{"type":"object"}}}`: false,
		`{"type":"object"}`: false,
		`{"type":"object","properties":{"metadata":{"$ref":"#/components/schemas/Meta"}}}`:                          true,
		`{"type":"object","properties":{"metadata":{"allOf":[{"$ref":"#/components/schemas/Meta"}],"default":{}}}}`: true,
	} {
		s, err := Compile(json.RawMessage(doc), components)
		if err != nil {
			t.Fatal(err)
		}
		if s.HasPatchMeta() != want {
			t.Errorf("%s: %v, want %v", doc, s.HasPatchMeta(), want)
		}
	}
}
