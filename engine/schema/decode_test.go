package schema

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

// compile compiles a document that must be good.
func compile(t testing.TB, doc string, components ...string) *Schema {
	t.Helper()
	parts := map[string]json.RawMessage{}
	for i := 0; i < len(components); i += 2 {
		parts[components[i]] = json.RawMessage(components[i+1])
	}
	s, err := Compile(json.RawMessage(doc), parts)
	if err != nil {
		t.Fatalf("Compile(%.2000s): %v", doc, err)
	}
	return s
}

const shapes = `{"type":"object","properties":{"spec":{"type":"object","properties":{
	"any":{"x-kubernetes-preserve-unknown-fields":true},
	"bare":{},
	"count":{"type":"integer"},
	"flag":{"type":"boolean"},
	"kept":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}}}},
	"labels":{"type":"object","additionalProperties":{"type":"string"}},
	"list":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"ports":{"type":"array","items":{"type":"integer","format":"int32"}}}}},
	"long":{"type":"integer","format":"int64"},
	"map":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"}}}},
	"maybe":{"type":"string","nullable":true},
	"mixed":{"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]},
	"name":{"type":"string"},
	"number":{"type":"number"},
	"open":{"type":"object","additionalProperties":true},
	"port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
	"quantity":{"oneOf":[{"type":"string"},{"type":"number"}]},
	"replicas":{"type":"integer","format":"int32"},
	"resource":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
	"strings":{"type":"array","items":{"type":"string"}},
	"zeroes":{"type":"array","items":{"type":"string","default":""}}
}}}}`

func TestDecode(t *testing.T) {
	s := compile(t, shapes)
	for name, test := range map[string]struct {
		in, out string // out empty: the input itself
		unknown []string
	}{
		"nothing to do":          {in: `{"apiVersion":"v1","kind":"K","metadata":{"name":"a"},"spec":{"flag":true,"name":"x","replicas":3}}`},
		"empty":                  {in: `{}`},
		"first unknown":          {`{"a":1,"spec":{}}`, `{"spec":{}}`, []string{"a"}},
		"last unknown":           {`{"spec":{},"z":{"y":[1,"}"]}}`, `{"spec":{}}`, []string{"z"}},
		"only unknown":           {`{"z":1}`, `{}`, []string{"z"}},
		"all unknown":            {`{"spec":{"a":1,"b":2,"c":3}}`, `{"spec":{}}`, []string{"spec.a", "spec.b", "spec.c"}},
		"around the known":       {`{"spec":{"a":1,"count":1,"d":2,"e":3,"flag":false,"g":4}}`, `{"spec":{"count":1,"flag":false}}`, []string{"spec.a", "spec.d", "spec.e", "spec.g"}},
		"in arrays":              {`{"spec":{"list":[{"foo":1,"name":"a"},{"name":"b"},{"bar":"\"","ports":[1]}]}}`, `{"spec":{"list":[{"name":"a"},{"name":"b"},{"ports":[1]}]}}`, []string{"spec.list[0].foo", "spec.list[2].bar"}},
		"in maps":                {`{"spec":{"map":{"a\"b":{"x":"1","y":2}}}}`, `{"spec":{"map":{"a\"b":{"x":"1"}}}}`, []string{`spec.map.a"b.y`}},
		"in metadata":            {`{"metadata":{"foo":1,"labels":{"a":"b"}}}`, `{"metadata":{"labels":{"a":"b"}}}`, []string{"metadata.foo"}},
		"managed fields stay":    {in: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:x":{}}},"manager":"m","time":"2024-02-29T10:00:00Z"}]}}`},
		"anything":               {in: `{"spec":{"any":{"a":{"b":null}},"bare":[null,{"x":1}],"open":{"a":{"b":null},"c":null}}}`},
		"kept, but the known":    {`{"spec":{"kept":{"foo":{"bar":null},"known":{"a":"x","b":1}}}}`, `{"spec":{"kept":{"foo":{"bar":null},"known":{"a":"x"}}}}`, []string{"spec.kept.known.b"}},
		"embedded":               {`{"spec":{"resource":{"kind":"X","metadata":{"bad":1,"name":"n"},"spec":{"a":1}}}}`, `{"spec":{"resource":{"kind":"X","metadata":{"name":"n"},"spec":{"a":1}}}}`, []string{"spec.resource.metadata.bad"}},
		"unions":                 {in: `{"spec":{"mixed":"25%","port":80,"quantity":0.5}}`},
		"unions the other way":   {in: `{"spec":{"mixed":1,"port":"http","quantity":"500m"}}`},
		"integers":               {in: `{"spec":{"count":1.0,"long":-9223372036854775808,"replicas":2147483647}}`},
		"nulls go":               {`{"metadata":{"creationTimestamp":null},"spec":{"count":null,"flag":true,"labels":null,"list":[{"name":null}]}}`, `{"metadata":{},"spec":{"flag":true,"list":[{}]}}`, nil},
		"nullable nulls stay":    {in: `{"spec":{"maybe":null}}`},
		"nulls in maps go":       {`{"spec":{"labels":{"a":null,"b":"c"}}}`, `{"spec":{"labels":{"b":"c"}}}`, nil},
		"nulls in labels":        {`{"metadata":{"labels":{"a":null}}}`, `{"metadata":{"labels":{"a":""}}}`, nil},
		"null element, default":  {`{"spec":{"zeroes":["a",null]}}`, `{"spec":{"zeroes":["a",""]}}`, nil},
		"an escaped unknown key": {`{"a\"b":1}`, `{}`, []string{`a"b`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.Decode([]byte(test.in))
			if err != nil {
				t.Fatal(err)
			}
			want := test.out
			if want == "" {
				want = test.in
			}
			if string(got.Object) != want {
				t.Errorf("got  %s\nwant %s", got.Object, want)
			}
			if !slices.Equal(got.Unknown, test.unknown) {
				t.Errorf("unknown %q, want %q", got.Unknown, test.unknown)
			}
		})
	}
}

func TestDecodeTypeErrors(t *testing.T) {
	s := compile(t, shapes)
	for in, want := range map[string]string{
		`[]`:                                  `json: cannot unmarshal array into value of type object`,
		`null`:                                `json: cannot unmarshal null into value of type object`,
		`{"kind":1}`:                          `json: cannot unmarshal number into field kind of type string`,
		`{"metadata":"x"}`:                    `json: cannot unmarshal string into field metadata of type v1.ObjectMeta`,
		`{"metadata":{"labels":["x"]}}`:       `json: cannot unmarshal array into field metadata.labels of type map[string]string`,
		`{"metadata":{"labels":{"a.b/c":1}}}`: `json: cannot unmarshal number into field metadata.labels.a.b/c of type string`,
		`{"metadata":{"ownerReferences":[{"uid":true}]}}`:           `json: cannot unmarshal bool into field metadata.ownerReferences[0].uid of type string`,
		`{"metadata":{"ownerReferences":{}}}`:                       `json: cannot unmarshal object into field metadata.ownerReferences of type []v1.OwnerReference`,
		`{"metadata":{"creationTimestamp":"now"}}`:                  `parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"`,
		`{"metadata":{"creationTimestamp":"2024-02-30T10:00:00Z"}}`: `parsing time "2024-02-30T10:00:00Z": day out of range`,
		`{"spec":{"replicas":"3"}}`:                                 `json: cannot unmarshal string into field spec.replicas of type int32`,
		`{"spec":{"replicas":2147483648}}`:                          `json: cannot unmarshal number 2147483648 into field spec.replicas of type int32`,
		`{"spec":{"replicas":1.0}}`:                                 `json: cannot unmarshal number 1.0 into field spec.replicas of type int32`,
		`{"spec":{"long":9223372036854775808}}`:                     `json: cannot unmarshal number 9223372036854775808 into field spec.long of type int64`,
		`{"spec":{"count":1.5}}`:                                    `json: cannot unmarshal number 1.5 into field spec.count of type int64`,
		`{"spec":{"count":9223372036854775808}}`:                    `json: cannot unmarshal number 9223372036854775808 into field spec.count of type int64`,
		`{"spec":{"mixed":{}}}`:                                     `json: cannot unmarshal object into field spec.mixed of type integer or string`,
		`{"spec":{"mixed":4294967296}}`:                             `json: cannot unmarshal number 4294967296 into field spec.mixed of type integer or string`,
		`{"spec":{"quantity":[]}}`:                                  `json: cannot unmarshal array into field spec.quantity of type number or string`,
		`{"spec":{"flag":"true"}}`:                                  `json: cannot unmarshal string into field spec.flag of type bool`,
		`{"spec":{"number":false}}`:                                 `json: cannot unmarshal bool into field spec.number of type float64`,
		`{"spec":{"list":[{"ports":[1,"2"]}]}}`:                     `json: cannot unmarshal string into field spec.list[0].ports[1] of type int32`,
		`{"spec":{"strings":["a",null]}}`:                           `json: cannot unmarshal null into field spec.strings[1] of type string`,
		`{"spec":{"kept":{"known":1}}}`:                             `json: cannot unmarshal number into field spec.kept.known of type object`,
		`{"spec":{"resource":{"apiVersion":1}}}`:                    `json: cannot unmarshal number into field spec.resource.apiVersion of type string`,
	} {
		_, err := s.Decode([]byte(in))
		var typeError *TypeError
		if !errors.As(err, &typeError) || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", in, err, want)
		}
	}
}
