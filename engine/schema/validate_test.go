package schema

import (
	"slices"
	"strings"
	"testing"
)

const rulesDoc = `{"type":"object","required":["spec"],"properties":{
"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":5}}},
"spec":{"type":"object","required":["a","name"],"properties":{
	"a":{"type":"integer","minimum":0,"maximum":10,"exclusiveMaximum":true,"multipleOf":2},
	"any":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"anyOf":[{"required":["x"]},{"required":["y"]}]},
	"all":{"type":"string","allOf":[{"minLength":2},{"maxLength":3}]},
	"email":{"type":"string","format":"email"},
	"enum":{"type":"string","enum":["a","b"],"nullable":true},
	"half":{"type":"number","minimum":0.5,"enum":[1,2.5]},
	"items":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string","minLength":2}}}},
	"labels":{"type":"object","maxProperties":2,"additionalProperties":{"type":"string","pattern":"^[a-z]*$"}},
	"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","properties":{"port":{"type":"integer"},"protocol":{"type":"string"}}}},
	"name":{"type":"string","minLength":1,"maxLength":4},
	"never":{"type":"string","not":{"enum":["x"]}},
	"one":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"oneOf":[{"required":["x"]},{"required":["y"]}]},
	"port":{"x-kubernetes-int-or-string":true,"maximum":9,"pattern":"^a"},
	"resource":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
	"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
	"sets":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"number"}}},
	"unique":{"type":"array","uniqueItems":true,"items":{"type":"integer"}}
}}}}`

func TestValidate(t *testing.T) {
	s := compile(t, rulesDoc)
	spec := func(members string) string { return `{"spec":{"a":2,` + members + `}}` }
	for name, test := range map[string]struct {
		in   string
		want []string
	}{
		"good":                    {spec(`"any":{"x":""},"enum":"a","half":1.0,"items":[{"k":"ab"}],"map":[{"port":1},{"port":1,"protocol":"UDP"},{"port":2}],"name":"äöüß","one":{"y":""},"port":"ab","set":["a","b"]`), nil},
		"required, at the root":   {`{}`, []string{`spec: Required value`}},
		"required":                {`{"spec":{"b":1}}`, []string{`spec.a: Required value`, `spec.name: Required value`}},
		"required, in an element": {spec(`"items":[{}],"name":"x"`), []string{`spec.items[0].k: Required value`}},
		"metadata":                {`{"metadata":{"name":"abcdef"},"spec":{"a":2,"name":"x"}}`, []string{`metadata.name: Too long: may not be more than 5 bytes`}},
		"minimum":                 {`{"spec":{"a":-2,"name":"x"}}`, []string{`spec.a: Invalid value: -2: spec.a in body should be greater than or equal to 0`}},
		"maximum, exclusive":      {`{"spec":{"a":10,"name":"x"}}`, []string{`spec.a: Invalid value: 10: spec.a in body should be less than 10`}},
		"multiple":                {`{"spec":{"a":3,"name":"x"}}`, []string{`spec.a: Invalid value: 3: spec.a in body should be a multiple of 2`}},
		"fractions":               {spec(`"half":0.25,"name":"x"`), []string{`spec.half: Invalid value: 0.25: spec.half in body should be greater than or equal to 0.5`, `spec.half: Unsupported value: 0.25: supported values: "1", "2.5"`}},
		"lengths count runes":     {spec(`"name":"äöüßé"`), []string{`spec.name: Too long: may not be more than 4 bytes`}},
		"too short":               {spec(`"name":""`), []string{`spec.name: Invalid value: "": spec.name in body should be at least 1 chars long`}},
		"pattern":                 {spec(`"labels":{"x.y/z":"A\"B"},"name":"x"`), []string{`spec.labels.x.y/z: Invalid value: "A\"B": spec.labels.x.y/z in body should match '^[a-z]*$'`}},
		"enum":                    {spec(`"enum":"x","name":"x"`), []string{`spec.enum: Unsupported value: "x": supported values: "a", "b"`}},
		"enum, null":              {spec(`"enum":null,"name":"x"`), []string{`spec.enum: Unsupported value: null: supported values: "a", "b"`}},
		"format":                  {spec(`"email":"x","name":"x"`), []string{`spec.email: Invalid value: "x": spec.email in body must be of type email: "x"`}},
		"items, few":              {spec(`"items":[],"name":"x"`), []string{`spec.items: Invalid value: 0: spec.items in body should have at least 1 items`}},
		"items, many":             {spec(`"items":[{"k":"aa"},{"k":"bb"},{"k":"cc"}],"name":"x"`), []string{`spec.items: Too many: 3: must have at most 2 items`}},
		"properties":              {spec(`"labels":{"a":"","b":"","c":""},"name":"x"`), []string{`spec.labels: Too many: 3: must have at most 2 items`}},
		"set":                     {spec(`"name":"x","set":["a","b","a","a"]`), []string{`spec.set[2]: Duplicate value: "a"`}},
		"set in a map":            {spec(`"name":"x","sets":{"k":[1,2.5,2.50,1.0]}`), []string{`spec.sets[k][2]: Duplicate value: 2.5`}},
		"map":                     {spec(`"map":[{"port":1,"protocol":"TCP"},{"port":1},{"port":1,"protocol":"TCP","x":1}],"name":"x"`), []string{`spec.map[2]: Duplicate value: {"port":1,"protocol":"TCP"}`}},
		"unique":                  {spec(`"name":"x","unique":[1,2,1]`), []string{`spec.unique: Invalid value: "": spec.unique in body shouldn't contain duplicates`}},
		"anyOf":                   {spec(`"any":{},"name":"x"`), []string{`<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf)`, `spec.any.x: Required value`}},
		"oneOf, none":             {spec(`"name":"x","one":{}`), []string{`<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid`, `spec.one.x: Required value`}},
		"oneOf, both":             {spec(`"name":"x","one":{"x":"","y":""}`), []string{`<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives`}},
		"allOf":                   {spec(`"all":"a","name":"x"`), []string{`spec.all: Invalid value: "a": spec.all in body should be at least 2 chars long`, `<nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)`}},
		"not":                     {spec(`"name":"x","never":"x"`), []string{`<nil>: Invalid value: "": "spec.never" must not validate the schema (not)`}},
		"int or string, int":      {spec(`"name":"x","port":10`), []string{`spec.port: Invalid value: 10: spec.port in body should be less than or equal to 9`}},
		"int or string, string":   {spec(`"name":"x","port":"b"`), []string{`spec.port: Invalid value: "b": spec.port in body should match '^a'`}},
		"embedded":                {spec(`"name":"x","resource":{"KIND":"x","kind":"","metadata":{"labels":{"a b":""}}}`), []string{`spec.resource.apiVersion: Required value`, `spec.resource.kind: Invalid value: "": must not be empty`, `spec.resource.metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, err := range s.Validate([]byte(test.in)) {
				got = append(got, err.Error())
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// Rules that multiply must not take for ever.
func TestValidateBoundsItsWork(t *testing.T) {
	leaf := `{"type":"string","minLength":1}`
	for range 10 {
		leaf = `{"allOf":[` + leaf + `,` + leaf + `]}`
	}
	s := compile(t, `{"type":"object","properties":{"text":{"type":"string","allOf":[`+leaf+`]},
		"pattern":{"type":"string","pattern":"(((a{0,30}b?){4}){4})*$"}}}`)
	for name, obj := range map[string]string{
		"allOf":   `{"text":"` + strings.Repeat("x", 1<<20) + `"}`,
		"pattern": `{"pattern":"` + strings.Repeat("a", 1<<20) + `"}`,
	} {
		errs := s.Validate([]byte(obj))
		if len(errs) != 1 || !strings.Contains(errs[0].Error(), errCostly.Error()) {
			t.Errorf("%s: got %.200v, want that it is too costly", name, errs)
		}
	}
}

func TestValidateReportsNotWithoutBound(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"list":{"type":"array","items":{"type":"string","minLength":3}}}}`)
	obj := `{"list":[` + strings.Repeat(`"a",`, 5000) + `"abc"]}`
	if got := len(s.Validate([]byte(obj))); got != maxErrors {
		t.Errorf("got %d errors", got)
	}
}
