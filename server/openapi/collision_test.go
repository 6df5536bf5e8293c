package openapi

import (
	"encoding/json"
	"slices"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/stratagem-dev/stratagem/engine"
)

func raws(components map[string]string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for name, text := range components {
		out[name] = json.RawMessage(text)
	}
	return out
}

// Two plugins may name different components alike. Each resource must keep its own, in both formats, with all that refers to them.
func TestComponentsOfOneName(t *testing.T) {
	const root = `{"type":"object","properties":{"spec":{"$ref":"#/components/schemas/Spec"}}}`
	with := func(leafType string) map[string]json.RawMessage {
		return raws(map[string]string{
			"Spec":   `{"type":"object","properties":{"leaf":{"$ref":"#/components/schemas/Leaf"},"shared":{"$ref":"#/components/schemas/Shared"}}}`,
			"Leaf":   `{"type":"` + leafType + `"}`,
			"Shared": `{"type":"boolean"}`,
		})
	}
	resources := []*engine.Resource{
		resource("example.com", "as", "A", compiled(t, root, with("string"))),
		resource("example.com", "bs", "B", compiled(t, root, with("integer"))),
		resource("example.org", "cs", "C", compiled(t, root, with("number"))),
	}
	s := serving(resources)
	follow := func(schemas map[string]*spec.Schema, names ...string) string {
		at := schemas[names[0]]
		for _, field := range names[1:] {
			to := references(at.Properties[field])
			if len(to) != 1 || schemas[to[0]] == nil {
				t.Fatalf("%v: %s refers to %v", names, field, to)
			}
			at = schemas[to[0]]
		}
		return at.Type[0]
	}
	check := func(what string, schemas map[string]*spec.Schema, want map[string]string) {
		for kind, leaf := range want {
			if got := follow(schemas, kind, "spec", "leaf"); got != leaf {
				t.Errorf("%s: the leaf of %s is a %s", what, kind, got)
			}
			if got := follow(schemas, kind, "spec", "shared"); got != "boolean" {
				t.Errorf("%s: what %s shares is a %s", what, kind, got)
			}
		}
		if _, ok := schemas["Shared"]; !ok {
			t.Errorf("%s: what is the same was renamed", what)
		}
	}
	check("v3", v3(t, s, "apis/example.com/v1").Components.Schemas, map[string]string{"com.example.v1.A": "string", "com.example.v1.B": "integer"})

	var v2 spec.Swagger
	if err := json.Unmarshal(request(s.V2(), "/openapi/v2").Body.Bytes(), &v2); err != nil {
		t.Fatal(err)
	}
	all := map[string]*spec.Schema{}
	for name, definition := range v2.Definitions {
		all[name] = &definition
	}
	check("v2", all, map[string]string{"com.example.v1.A": "string", "com.example.v1.B": "integer", "org.example.v1.C": "number"})
}

// A plugin cannot change what the server's own definitions mean to the clients of other resources.
func TestPluginsCannotReplaceTheLibrary(t *testing.T) {
	components := raws(map[string]string{
		metaPrefix + "ObjectMeta": `{"type":"object","properties":{"evil":{"type":"string"}}}`,
		metaPrefix + "Status":     `{"type":"string","x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"A"}]}`,
	})
	root := `{"type":"object","properties":{"spec":{"type":"object","properties":{"meta":{"$ref":"#/components/schemas/` + metaPrefix + `ObjectMeta"}}}}}`
	s := serving([]*engine.Resource{resource("example.com", "as", "A", compiled(t, root, components)), resource("example.com", "bs", "B", nil)})
	schemas := v3(t, s, "apis/example.com/v1").Components.Schemas
	if _, ok := schemas[metaPrefix+"ObjectMeta"].Properties["evil"]; ok {
		t.Error("ObjectMeta is the plugin's")
	}
	if _, ok := schemas[metaPrefix+"Status"].Properties["reason"]; !ok {
		t.Error("Status is the plugin's")
	}
}

// Keywords that OpenAPI does not know would make the protobuf form of a whole document impossible.
func TestCleanSchemasFitBothFormats(t *testing.T) {
	odd := []string{
		`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","id":"y","type":"object","const":1,"if":{},"then":{},"patternProperties":{"a":{}},"definitions":{"a":{}},"dependencies":{"a":["b"]},"additionalItems":true}`,
		`{"type":["string","null"]}`,
		`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`,
		`{"type":"array"}`,
		`{"type":"object","discriminator":"kind"}`,
		`{"$ref":"https://example.com/schema.json"}`,
		`{"$ref":"#/definitions/Old","x-odd":{"a":[1,null,{"b":"c"}]}}`,
		`{"properties":{"a":{"not":{"anyOf":[{"oneOf":[{"const":1}]}]}}},"additionalProperties":{"allOf":[{"nullable":true},{"minimum":1e300}]}}`,
		`{"type":"object","default":{"a":null},"enum":[null,1,"a",{"b":[]}],"example":[[]]}`,
		`{"description":"\u0000\ud800","title":"","pattern":"(("}`,
		`7`, `null`, `[]`, `"text"`, `{"type":7}`, `{"properties":[]}`, `{"items":{"items":{"items":{}}}}`, ``,
	}
	for _, text := range odd {
		components := raws(map[string]string{"Odd": text})
		k := &kind{components: components, schemas: spec.Definitions{}}
		k.needName("Odd")
		k.need(k.schemas["Odd"])
		carrier := newCarrier()
		carrier.Definitions = k.schemas
		v3JSON, err := v3Document(carrier, Options{Version: "v1"}).MarshalJSON()
		if err != nil {
			t.Errorf("%s: v3: %v", text, err)
			continue
		}
		if _, err := openapi_v3.ParseDocument(v3JSON); err != nil {
			t.Errorf("%s: v3 as protobuf: %v", text, err)
		}
		for name, s := range carrier.Definitions {
			carrier.Definitions[name] = v2Schema(s)
		}
		carrier.Swagger, carrier.Info = "2.0", info(Options{Version: "v1"})
		v2JSON, err := carrier.MarshalJSON()
		if err != nil {
			t.Errorf("%s: v2: %v", text, err)
			continue
		}
		if _, err := openapi_v2.ParseDocument(v2JSON); err != nil {
			t.Errorf("%s: v2 as protobuf: %v", text, err)
		}
	}
}

func TestComponentsThatReferToThemselves(t *testing.T) {
	components := raws(map[string]string{
		"Loop": `{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Loop"}}}`,
		"Root": `{"type":"object","properties":{"spec":{"$ref":"#/components/schemas/Loop"},"missing":{"type":"string"}},"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"A"}]}`,
	})
	s := serving([]*engine.Resource{resource("example.com", "as", "A", compiled(t, `{"$ref":"#/components/schemas/Root"}`, components))})
	schemas := v3(t, s, "apis/example.com/v1").Components.Schemas
	root := schemas["Root"]
	if root == nil || !slices.Equal(references(root.Properties["spec"]), []string{"Loop"}) || root.Properties["metadata"].Description == "" {
		t.Errorf("got %+v", root)
	}
	circle := &kind{components: raws(map[string]string{"A": `{"$ref":"#/components/schemas/B"}`, "B": `{"$ref":"#/components/schemas/A"}`}), schemas: spec.Definitions{}}
	if got := circle.rootSchema(circle.parse(circle.components["A"])); !got.Type.Contains("object") {
		t.Errorf("a circle of references is %+v", got)
	}
}
