package crd

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
)

// object reads YAML.
func object(t *testing.T, text string) engine.Object {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	obj, _, err := engine.ParseObject(raw)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

// widgets is a definition as a client sends it.
const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org, labels: {a: b}}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, minimum: 1}}}}}}}
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}`

// kubernetes is one as kube-apiserver stores it, from before schemas had to be structural.
const kubernetes = `
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: olds.example.org, uid: u, generation: 2, creationTimestamp: "2020-01-01T00:00:00Z"}
spec:
  group: example.org
  version: v1
  scope: Cluster
  names: {plural: olds, singular: old, kind: Old, listKind: OldList}
  preserveUnknownFields: true
  conversion: {strategy: None}
  versions: [{name: v1, served: true, storage: true}]
  validation: {openAPIV3Schema: {type: object, properties: {spec: {properties: {a: {type: string, maxLength: 2}}}}}}
status:
  acceptedNames: {plural: olds, singular: old, kind: Old, listKind: OldList}
  storedVersions: [v1]
  conditions:
  - {type: NamesAccepted, status: "True", reason: NoConflicts, message: no conflicts found, lastTransitionTime: "2020-01-01T00:00:00Z"}
  - {type: Established, status: "True", reason: InitialNamesAccepted, message: the initial names have been accepted, lastTransitionTime: "2020-01-01T00:00:00Z"}`

func TestConversionKeepsADefinition(t *testing.T) {
	resource, err := Definition()
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := resource.Version("v1").Schema.Decode(object(t, widgets))
	if err != nil || len(decoded.Unknown) > 0 {
		t.Fatalf("unknown %q, error %v", decoded.Unknown, err)
	}
	complete, err := strategy{}.Default(context.Background(), &engine.Call{Object: decoded.Object})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"listKind":"WidgetList"`, `"singular":"widget"`, `"conversion":{"strategy":"None"}`} {
		if !strings.Contains(string(complete), want) {
			t.Errorf("%s is not in %s", want, complete)
		}
	}
	convert := func(obj engine.Object, to string) engine.Object {
		out, err := versions{}.Convert(context.Background(), nil, []engine.Object{obj}, Group+"/"+to)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	stored := convert(complete, "v1beta1")
	if stored.Get("spec", "version").Str != "v1" || stored.Get("spec", "preserveUnknownFields").Raw != "false" {
		t.Errorf("stored form: %s", stored)
	}
	if back := convert(stored, "v1"); string(back) != string(complete) {
		t.Errorf("got  %s\nwant %s", back, complete)
	}
	if again := convert(convert(stored, "v1"), "v1beta1"); string(again) != string(stored) {
		t.Errorf("got  %s\nwant %s", again, stored)
	}
}

// store makes stores that nobody reads from.
func store(r *engine.Resource) *engine.Store { return engine.NewStore(r, nil, engine.Options{}) }

func item(t *testing.T, text string, revision int64) engine.Item {
	t.Helper()
	obj := object(t, text)
	return engine.Item{Key: Key(obj.Name()), Data: obj, Revision: revision}
}

// asEstablished is a definition whose names have been accepted.
func asEstablished(t *testing.T, r *Registry, text string) engine.Object {
	t.Helper()
	settled, err := r.Settle(object(t, text), nil)
	if err != nil || settled == nil {
		t.Fatalf("settled %s, error %v", settled, err)
	}
	return settled
}

func TestRegistryServesWhatIsEstablished(t *testing.T) {
	r := NewRegistry(store, Webhooks{})
	changed, err := r.Update([]engine.Item{item(t, widgets, 1)}, &Bindings{})
	if changed || err != nil || len(r.Stores()) != 0 || fmt.Sprint(r.Unsettled()) != "[widgets.example.org]" {
		t.Fatalf("changed %v, error %v, %d stores, unsettled %v", changed, err, len(r.Stores()), r.Unsettled())
	}
	settled := asEstablished(t, r, widgets)
	one := engine.Item{Key: Key("widgets.example.org"), Data: settled, Revision: 2}
	if changed, err = r.Update([]engine.Item{one}, &Bindings{}); !changed || err != nil || len(r.Stores()) != 1 || len(r.Unsettled()) != 0 {
		t.Fatalf("changed %v, error %v, %d stores, unsettled %v", changed, err, len(r.Stores()), r.Unsettled())
	}
	first := r.Stores()[0]
	if got := first.Resource; got.Kind != "Widget" || !got.Namespaced || got.KeyRoot != "/example.org/widgets" || got.Activation.Revision != 2 || got.Versions[0].Name != "v1" {
		t.Errorf("resource %+v", got)
	}
	if changed, _ = r.Update([]engine.Item{one}, &Bindings{}); changed || r.Stores()[0] != first {
		t.Error("what has not changed was made again")
	}
	one.Revision = 3
	if changed, _ = r.Update([]engine.Item{one}, &Bindings{}); !changed || r.Stores()[0].Resource.Versions[0].Schema != first.Resource.Versions[0].Schema {
		t.Error("a version that has not changed was compiled again, or the guard did not follow")
	}
	if changed, _ = r.Update(nil, &Bindings{}); !changed || len(r.Stores()) != 0 {
		t.Error("a definition that is gone is served")
	}
}

func TestRegistrySurvivesWhatItCannotRead(t *testing.T) {
	r := NewRegistry(store, Webhooks{})
	good := engine.Item{Key: Key("widgets.example.org"), Data: asEstablished(t, r, widgets), Revision: 1}
	for _, data := range []string{"", "k8s\x00", "[]", `{"apiVersion":"v1"}`, `{"apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":{}}}`} {
		_, err := r.Update([]engine.Item{good, {Key: Key("bad"), Data: []byte(data), Revision: 2}}, &Bindings{})
		if err == nil || !strings.Contains(err.Error(), Key("bad")) {
			t.Errorf("%q: error %v", data, err)
		}
		if len(r.Stores()) != 1 {
			t.Errorf("%q: %d stores", data, len(r.Stores()))
		}
	}
}

// A definition that a kube-apiserver left is served as that served it: nothing is pruned, and what its schema says holds.
func TestRegistryServesWhatKubernetesStored(t *testing.T) {
	r := NewRegistry(store, Webhooks{})
	if _, err := r.Update([]engine.Item{item(t, kubernetes, 1)}, &Bindings{}); err != nil {
		t.Fatal(err)
	}
	resource := r.Stores()[0].Resource
	if resource.Namespaced || resource.Kind != "Old" {
		t.Errorf("resource %+v", resource)
	}
	obj := object(t, `{apiVersion: example.org/v1, kind: Old, metadata: {name: a}, spec: {a: long, b: 1}, other: 1}`)
	decoded, err := resource.Versions[0].Schema.Decode(obj)
	if err != nil || string(decoded.Object) != string(obj) {
		t.Errorf("got %s, error %v", decoded.Object, err)
	}
	call := &engine.Call{Request: &engine.RequestInfo{Version: "v1", Time: time.Now()}, Object: obj}
	reply, err := resource.Strategy.Run(context.Background(), resource.Strategy.Hooks(), call)
	if err != nil || string(reply.Object) != string(obj) {
		t.Errorf("got %s, error %v", reply.Object, err)
	}
	if got := fmt.Sprint(reply.Errors.ToAggregate()); got != `spec.a: Too long: may not be more than 2 bytes` {
		t.Errorf("got %s", got)
	}
	settled, err := r.Settle(object(t, kubernetes), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(settled); !strings.Contains(text, `"type":"NonStructuralSchema"`) || !strings.Contains(text, `"reason":"Violations"`) {
		t.Errorf("settled %s", text)
	}
}

func TestAcceptNames(t *testing.T) {
	crd := func(name string, change func(*apiv1.CustomResourceDefinition)) *apiv1.CustomResourceDefinition {
		out, err := Read(object(t, widgets))
		if err != nil {
			t.Fatal(err)
		}
		out.Name = name
		change(out)
		return out
	}
	accepted := func(c *apiv1.CustomResourceDefinition) { c.Status.AcceptedNames = c.Spec.Names }
	plugin := []Claim{{&engine.Resource{Group: "example.org", Plural: "things", Singular: "thing", Kind: "Thing", KeyRoot: "/things"}, `strategy plugin "things"`}}
	for name, test := range map[string]struct {
		change func(*apiv1.CustomResourceDefinition)
		other  func(*apiv1.CustomResourceDefinition)
		want   string
	}{
		"free":                  {func(*apiv1.CustomResourceDefinition) {}, func(*apiv1.CustomResourceDefinition) {}, "NoConflicts: no conflicts found"},
		"own":                   {accepted, func(*apiv1.CustomResourceDefinition) {}, "NoConflicts: no conflicts found"},
		"kept against another":  {accepted, accepted, "NoConflicts: no conflicts found"},
		"kinds of another":      {func(*apiv1.CustomResourceDefinition) {}, func(c *apiv1.CustomResourceDefinition) { c.Status.AcceptedNames.Kind = "Widget" }, `KindConflict: "Widget" is already in use`},
		"short name of another": {func(*apiv1.CustomResourceDefinition) {}, func(c *apiv1.CustomResourceDefinition) { c.Status.AcceptedNames.Singular = "wd" }, `ShortNamesConflict: "wd" is already in use`},
		"another group": {func(*apiv1.CustomResourceDefinition) {}, func(c *apiv1.CustomResourceDefinition) {
			accepted(c)
			c.Spec.Group = "example.net"
		}, "NoConflicts: no conflicts found"},
		"plugin":                 {func(c *apiv1.CustomResourceDefinition) { c.Spec.Names.Plural = "things" }, func(*apiv1.CustomResourceDefinition) {}, `PluralConflict: "things" is already in use by strategy plugin "things"`},
		"the server's own group": {func(c *apiv1.CustomResourceDefinition) { c.Spec.Group = ownGroup }, func(*apiv1.CustomResourceDefinition) {}, `PluralConflict: group "stratagem.dev" is the server's own`},
	} {
		t.Run(name, func(t *testing.T) {
			c := crd("widgets.example.org", test.change)
			_, got := acceptNames(c, takenFrom(c, []*apiv1.CustomResourceDefinition{crd("others.example.org", test.other)}, plugin))
			if text := got.Reason + ": " + got.Message; text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
}
