package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCompileRefuses(t *testing.T) {
	components := map[string]json.RawMessage{
		"bad":     json.RawMessage(`{"type":"object","properties":{"x":{"type":"text"}}}`),
		"broken":  json.RawMessage(`{`),
		"egg":     json.RawMessage(`{"allOf":[{"$ref":"#/components/schemas/hen"}]}`),
		"endless": json.RawMessage(`{"type":"object","properties":{"next":{"$ref":"#/components/schemas/endless","default":{}}}}`),
		"hen":     json.RawMessage(`{"$ref":"#/components/schemas/egg"}`),
	}
	field := func(schema string) string { return `{"type":"object","properties":{"a/b":` + schema + `}}` }
	for doc, want := range map[string]string{
		``:                                       `#: EOF`,
		`{`:                                      `#: unexpected EOF`,
		`{}{}`:                                   `#: something follows the schema`,
		`[]`:                                     `#: must be an object`,
		`{"type":"string"}`:                      `#/type: must be object at the root`,
		field(`true`):                            `#/properties/a~1b: must be an object`,
		field(`{"type":"int"}`):                  `#/properties/a~1b/type: "int" is not one of array, boolean, integer, number, object, string`,
		field(`{"type":["string"]}`):             `#/properties/a~1b/type: must be a string`,
		field(`{"nullable":"yes"}`):              `#/properties/a~1b/nullable: must be a boolean`,
		field(`{"patternProperties":{}}`):        `#/properties/a~1b/patternProperties: this keyword is not supported`,
		field(`{"x-kubernetes-validations":[]}`): `#/properties/a~1b/x-kubernetes-validations: this keyword is not supported`,
		field(`{"$ref":"#/definitions/x"}`):      `#/properties/a~1b: $ref "#/definitions/x" does not begin with "#/components/schemas/"`,
		field(`{"$ref":"#/components/schemas/none"}`):                                            `#/properties/a~1b: $ref "#/components/schemas/none" is unknown`,
		field(`{"$ref":"#/components/schemas/broken"}`):                                          `#/components/schemas/broken: unexpected EOF`,
		field(`{"$ref":"#/components/schemas/bad"}`):                                             `#/components/schemas/bad/properties/x/type: "text" is not one of array, boolean, integer, number, object, string`,
		field(`{"$ref":"#/components/schemas/hen"}`):                                             `#/components/schemas/egg: $ref "#/components/schemas/hen" refers to itself`,
		field(`{"$ref":"#/components/schemas/endless"}`):                                         `#/components/schemas/endless/properties/next/default: a default must not contain itself`,
		field(`{"$ref":"#/components/schemas/bad","minLength":1}`):                               `#/properties/a~1b/minLength: this keyword is not supported beside a $ref`,
		field(`{"allOf":[{"$ref":"#/components/schemas/bad"},{"minLength":1}]}`):                 `#/properties/a~1b/allOf: a $ref must stand alone in it`,
		field(`{"anyOf":[{"$ref":"#/components/schemas/bad"}]}`):                                 `#/properties/a~1b/anyOf/0: neither $ref nor default is supported inside allOf, anyOf, oneOf and not`,
		field(`{"type":"string","pattern":"("}`):                                                 "#/properties/a~1b/pattern: must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
		field(`{"type":"string","minLength":-1}`):                                                `#/properties/a~1b/minLength: must be a count`,
		field(`{"type":"string","minLength":"1"}`):                                               `#/properties/a~1b/minLength: must be a number`,
		field(`{"type":"integer","multipleOf":0}`):                                               `#/properties/a~1b/multipleOf: must be positive`,
		field(`{"type":"object","required":"a"}`):                                                `#/properties/a~1b/required: must be an array of strings`,
		field(`{"type":"array","x-kubernetes-list-type":"bag"}`):                                 `#/properties/a~1b/x-kubernetes-list-type: "bag" is not one of atomic, map, set`,
		field(`{"type":"array","x-kubernetes-list-type":"map"}`):                                 `#/properties/a~1b/x-kubernetes-list-map-keys: must not be empty if x-kubernetes-list-type is map`,
		field(`{"type":"string","x-kubernetes-int-or-string":true}`):                             `#/properties/a~1b/type: must be empty if x-kubernetes-int-or-string is true`,
		field(`{"type":"array","x-kubernetes-embedded-resource":true}`):                          `#/properties/a~1b/type: must be object if x-kubernetes-embedded-resource is true`,
		field(`{"type":"integer","default":"x"}`):                                                `#/properties/a~1b/default: json: cannot unmarshal string into value of type int64`,
		field(`{"type":"object","properties":{"x":{"type":"integer"}},"default":{"x":"y"}}`):     `#/properties/a~1b/default: json: cannot unmarshal string into field x of type int64`,
		field(`{"type":"object","default":{"x":1}}`):                                             `#/properties/a~1b/default: has the unknown field "x"`,
		field(`{"type":"object","properties":{"x":{"type":"string"}},"default":{"x":null}}`):     `#/properties/a~1b/default: has a null where none may be`,
		`{"type":"object","properties":{"metadata":{"type":"string"}}}`:                          `#/properties/metadata/type: must be v1.ObjectMeta`,
		field(strings.Repeat(`{"type":"array","items":`, 200) + `{}` + strings.Repeat(`}`, 200)): `#/properties/a~1b` + strings.Repeat("/items", 127) + `: is nested more than 128 levels deep`,
	} {
		_, err := Compile(json.RawMessage(doc), components)
		var compileError *CompileError
		if !errors.As(err, &compileError) || err.Error() != want {
			t.Errorf("%.200s\ngot  %v\nwant %s", doc, err, want)
		}
	}
}

// Documents that are small but grow when they are compiled.
func TestCompileBoundsItsOutput(t *testing.T) {
	many := strings.Repeat(`{"minLength":1},`, maxNodes)
	doubled := map[string]json.RawMessage{"0": json.RawMessage(`{"type":"object","properties":{"x":{"type":"string","default":"x"}}}`)}
	for i := range 40 {
		doubled[fmt.Sprint(i+1)] = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"a":{"$ref":"#/components/schemas/%d","default":{}},"b":{"$ref":"#/components/schemas/%d","default":{}}}}`, i, i))
	}
	for want, doc := range map[string]string{
		"the schema has more than 50000 parts":                     `{"type":"object","anyOf":[` + many + `{}]}`,
		"the schema is larger than 16777216 bytes":                 `{"type":"object","description":"` + strings.Repeat("x", maxDocBytes) + `"}`,
		"the defaults of the schema are larger than 4194304 bytes": `{"$ref":"#/components/schemas/40"}`,
	} {
		if _, err := Compile(json.RawMessage(doc), doubled); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %.200v, want %s", err, want)
		}
	}
}

func TestCompileIgnoresWhatSaysNothing(t *testing.T) {
	compile(t, `{"type":"object","title":"T","description":"D","example":{"$ref":1},"externalDocs":{"url":"x"},"deprecated":true,"x-kubernetes-map-type":"atomic",
		"x-vendor":{"any":"thing"},"x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"T"}]}`)
}

// A type that contains itself, as JSONSchemaProps does.
func TestRecursion(t *testing.T) {
	s := compile(t, `{"$ref":"#/components/schemas/io.example.v1.Tree"}`, "io.example.v1.Tree", `{"type":"object","properties":{
		"children":{"type":"array","items":{"$ref":"#/components/schemas/io.example.v1.Tree"}},
		"color":{"type":"string","default":"red","enum":["red","blue"]},
		"named":{"type":"object","additionalProperties":{"allOf":[{"$ref":"#/components/schemas/io.example.v1.Tree"}],"nullable":true}}}}`)
	in := `{"children":[{"bad":1,"children":[{}],"color":"green"}],"kind":"Tree","metadata":{},"named":{"a":null,"b":{"metadata":{}}}}`
	decoded, err := s.Decode([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"children[0].bad", "named.b.metadata"}; !slices.Equal(decoded.Unknown, want) {
		t.Errorf("unknown %q, want %q", decoded.Unknown, want)
	}
	got, err := s.Default(decoded.Object)
	want := `{"children":[{"children":[{"color":"red"}],"color":"green"}],"color":"red","kind":"Tree","metadata":{},"named":{"a":null,"b":{"color":"red"}}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	if errs := s.Validate(got); len(errs) != 1 || errs[0].Error() != `children[0].color: Unsupported value: "green": supported values: "red", "blue"` {
		t.Errorf("got %v", errs)
	}
	_, err = s.Decode([]byte(`{"children":[{"named":{"x":[]}}]}`))
	if want := "json: cannot unmarshal array into field children[0].named.x of type v1.Tree"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestField(t *testing.T) {
	s := compile(t, shapes)
	for path, want := range map[string]Field{
		"":                           {"object", ""},
		"kind":                       {"string", ""},
		"metadata.name":              {"string", ""},
		"metadata.creationTimestamp": {"string", "date-time"},
		"metadata.labels.x":          {"string", ""},
		"spec.replicas":              {"integer", "int32"},
		"spec.mixed":                 {"", "int-or-string"},
		"spec.list":                  {"array", ""},
	} {
		if got, ok := s.Field(slices.DeleteFunc(strings.Split(path, "."), func(key string) bool { return key == "" })...); !ok || got != want {
			t.Errorf("%s: got %v %v, want %v", path, got, ok, want)
		}
	}
	if got, ok := s.Field("spec", "none"); ok {
		t.Errorf("spec.none is found: %v", got)
	}
}
