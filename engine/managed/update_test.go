package managed

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/stratagem-dev/stratagem/engine/schema"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 5, time.FixedZone("", 3600))

func TestUpdateOfADeployment(t *testing.T) {
	types, obj := deploymentTypes(t), deployment(t)
	create := &Write{Types: types, New: obj, Manager: "kubectl-create", Time: noon, Scope: Excluding(".status")}
	fields, err := create.Update()
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:deployment.kubernetes.io/revision":{}},` +
		`"f:labels":{".":{},"f:app":{},"f:app.kubernetes.io/part-of":{}}},"f:spec":{".":{},"f:progressDeadlineSeconds":{},"f:replicas":{},` +
		`"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{".":{},"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},` +
		`"f:template":{".":{},"f:metadata":{".":{},"f:labels":{".":{},"f:app":{}}},"f:spec":{".":{},"f:containers":{".":{},` +
		`"k:{\"name\":\"nginx\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"A\"}":{".":{},"f:name":{},"f:value":{}},"k:{\"name\":\"B\"}":{".":{},"f:name":{},"f:value":{}}},` +
		`"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},` +
		`"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}},` +
		`"k:{\"name\":\"sidecar\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:volumeMounts":{".":{},` +
		`"k:{\"mountPath\":\"/etc/envoy\"}":{".":{},"f:mountPath":{},"f:name":{}}}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},` +
		`"f:terminationGracePeriodSeconds":{},"f:volumes":{".":{},"k:{\"name\":\"config\"}":{".":{},"f:configMap":{".":{},"f:defaultMode":{},"f:name":{}},"f:name":{}}}}}}},` +
		`"manager":"kubectl-create","operation":"Update","time":"2026-01-01T11:00:00Z"}]`
	if string(fields) != want {
		t.Errorf("got\n%s\nwant\n%s", fields, want)
	}
}

func TestUpdatesAtTheSameTime(t *testing.T) {
	types, obj := deploymentTypes(t), deployment(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			manager := strings.Repeat("m", i+1)
			want := ""
			for range 50 {
				fields, err := (&Write{Types: types, New: obj, Manager: manager, Time: noon}).Update()
				if want == "" {
					want = string(fields)
				}
				if err != nil || string(fields) != want || !strings.Contains(want, `"manager":"`+manager+`"`) {
					t.Errorf("%s: got %s, %v", manager, fields, err)
					return
				}
			}
		})
	}
	group.Wait()
}

// thing is an object of no schema.
const thing = `{"apiVersion":"v1","kind":"Thing","metadata":{"managedFields":FIELDS,"name":"a","uid":"1"},"spec":{"a":1}}`

func TestUpdateWithoutManagedFields(t *testing.T) {
	types, err := Compile(nil, "v1", "Thing")
	if err != nil {
		t.Fatal(err)
	}
	old := withFields([]byte(thing), nil)
	for name, obj := range map[string][]byte{
		"untracked": bytes.Replace(old, []byte(`"a":1`), []byte(`"a":2`), 1),
		"reset":     []byte(strings.Replace(thing, "FIELDS", "[{}]", 1)),
	} {
		if fields, err := (&Write{Types: types, Old: old, New: obj, Manager: "m"}).Update(); fields != nil || err != nil {
			t.Errorf("%s: got %s, %v; want none", name, fields, err)
		}
	}
	fields, err := (&Write{Types: types, New: old, Time: noon}).Update()
	if want := `[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:a":{}}},"manager":"unknown","operation":"Update","time":"2026-01-01T11:00:00Z"}]`; string(fields) != want || err != nil {
		t.Errorf("got %s, %v; want %s", fields, err, want)
	}
}

func TestUpdateOfAListWithoutKeys(t *testing.T) {
	doc := map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{
		"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
		"items": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
	}}}
	types := compileDoc(t, doc, "v1")
	for _, list := range []string{`[{}]`, `[1]`, `[null]`, `[{"name":"a"},{"other":1}]`} {
		_, err := (&Write{Types: types, New: []byte(`{"metadata":{"name":"a"},"spec":` + list + `}`)}).Update()
		var lost *ElementError
		if !errors.As(err, &lost) {
			t.Errorf("%s: got %v", list, err)
		}
	}
}

func TestUpdatePassesOnTheErrorsOfConversion(t *testing.T) {
	types, _ := Compile(nil, "v1", "Thing")
	old := []byte(strings.Replace(thing, "FIELDS", `[{"apiVersion":"v2","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}},"manager":"m","operation":"Update"}]`, 1))
	broken := errors.New("broken")
	w := &Write{Types: types, Old: old, New: old, Versions: func(string) (*Types, error) { return types, nil },
		Convert: func([]byte, string) ([]byte, error) { return nil, broken }}
	if _, err := w.Update(); !errors.Is(err, broken) {
		t.Errorf("update: got %v", err)
	}
	if _, err := w.Apply([]byte(`{"apiVersion":"v1","kind":"Thing","spec":{"a":2}}`), true); !errors.Is(err, broken) {
		t.Errorf("apply: got %v", err)
	}
}

// components are the parts of a schema that TestCompile refers to.
var components = map[string]json.RawMessage{
	"root":  json.RawMessage(`{"$ref":"#/components/schemas/thing"}`),
	"thing": json.RawMessage(`{"type":"object","properties":{"spec":{"$ref":"#/components/schemas/node"},"template":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},"any":{"type":"array","x-kubernetes-patch-strategy":"replace"}}}`),
	"node":  json.RawMessage(`{"type":"object","x-kubernetes-map-type":"odd","properties":{"next":{"$ref":"#/components/schemas/node"},"value":{"type":"string"}}}`),
}

func TestCompile(t *testing.T) {
	s, err := schema.Compile(json.RawMessage(`{"$ref":"#/components/schemas/root"}`), components)
	if err != nil {
		t.Fatal(err)
	}
	types, err := Compile(s, "v1", "Thing")
	if err != nil {
		t.Fatal(err)
	}
	obj := `{"any":[1],"apiVersion":"v1","kind":"Thing","metadata":{"ownerReferences":[{"name":"x","uid":"1"}]},"spec":{"next":{"next":{"value":"x"}}},` +
		`"template":{"kind":"Pod","metadata":{"finalizers":["f"]},"spec":{"x":1}}}`
	fields, err := (&Write{Types: types, New: []byte(obj), Time: noon}).Update()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"f:any":{},"f:metadata":{"f:ownerReferences":{".":{},"k:{\"uid\":\"1\"}":{}}},"f:spec":{".":{},"f:next":{".":{},"f:next":{".":{},"f:value":{}}}},` +
		`"f:template":{".":{},"f:kind":{},"f:metadata":{".":{},"f:finalizers":{".":{},"v:\"f\"":{}}},"f:spec":{".":{},"f:x":{}}}}`
	if !strings.Contains(string(fields), want) {
		t.Errorf("got %s, want %s", fields, want)
	}
}

func TestApplyKeepsTheTextOfNumbers(t *testing.T) {
	types, _ := Compile(nil, "v1", "Thing")
	old := []byte(`{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","uid":"1"},"spec":{"b":1.50,"big":123456789012345678901234567890,"c":{"d":1.0}}}`)
	got, err := (&Write{Types: types, Old: old, Manager: "m", Time: noon}).Apply([]byte(`{"apiVersion":"v1","kind":"Thing","spec":{"a":1}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"spec":{"a":1,"b":1.50,"big":123456789012345678901234567890,"c":{"d":1.0}}`; !bytes.Contains(got, []byte(want)) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestApplyRefuses(t *testing.T) {
	types, _ := Compile(nil, "v1", "Thing")
	for patch, want := range map[string]struct {
		code    int32
		message string
	}{
		`[]`:                                 {400, "error decoding patch: "},
		`{"apiVersion":"v2","kind":"Thing"}`: {400, "invalid object type: /v2, Kind=Thing"},
		`{"apiVersion":"v1","kind":"Thing","metadata":{"managedFields":[]}}`: {400, "metadata.managedFields must be nil"},
	} {
		_, err := (&Write{Types: types, Manager: "m"}).Apply([]byte(patch), false)
		var status apierrors.APIStatus
		if !errors.As(err, &status) || status.Status().Code != want.code || !strings.HasPrefix(status.Status().Message, want.message) {
			t.Errorf("%s: got %v", patch, err)
		}
	}
}

func TestScaleFields(t *testing.T) {
	entry := func(version, fields, manager, rest string) string {
		return `{"apiVersion":"` + version + `","fieldsType":"FieldsV1","fieldsV1":` + fields + `,"manager":"` + manager + `","operation":"Update"` + rest + `}`
	}
	replicas := `{"f:spec":{"f:replicas":{}}}`
	parent := "[" + entry("apps/v1", `{"f:spec":{"f:paused":{},"f:size":{}}}`, "a", `,"time":"2026-01-01T00:00:00Z"`) + "]"
	paths := ReplicasPaths{"apps/v1": ".spec.size"}
	scale, err := paths.ToScale([]byte(parent), "apps/v1")
	if want := "[" + entry("autoscaling/v1", replicas, "a", `,"time":"2026-01-01T00:00:00Z"`) + "]"; err != nil || string(scale) != want {
		t.Errorf("got %s, %v; want %s", scale, err, want)
	}
	changed := "[" + entry("autoscaling/v1", replicas, "b", `,"subresource":"scale","time":"2026-01-02T00:00:00Z"`) + "]"
	back, err := paths.FromScale([]byte(parent), []byte(changed), "apps/v1")
	want := "[" + entry("apps/v1", `{"f:spec":{"f:paused":{}}}`, "a", `,"time":"2026-01-01T00:00:00Z"`) + "," +
		entry("apps/v1", `{"f:spec":{"f:size":{}}}`, "b", `,"subresource":"scale","time":"2026-01-02T00:00:00Z"`) + "]"
	if err != nil || string(back) != want {
		t.Errorf("got %s, %v; want %s", back, err, want)
	}
	if none, err := paths.FromScale(nil, nil, "apps/v1"); none != nil || err != nil {
		t.Errorf("got %s, %v; want none", none, err)
	}
}
