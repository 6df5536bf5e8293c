package field

import (
	"encoding/json"
	"errors"
	"testing"
)

type value string

func (v value) Raw() string { return string(v) }

func (v value) StringValue() (text string, ok bool) {
	return text, json.Unmarshal([]byte(v), &text) == nil
}

func TestPath(t *testing.T) {
	for want, p := range map[string]*Path{
		"spec":                       NewPath("spec"),
		"a.b.c":                      NewPath("a", "b", "c"),
		"spec.ports[3].name":         NewPath("spec").Child("ports").Index(3).Child("name"),
		"metadata.labels[a.b/c].d.e": NewPath("metadata", "labels").Key("a.b/c").Child("d", "e"),
		"<nil>":                      nil,
		"[0]":                        (*Path)(nil).Index(0),
	} {
		if got := p.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	p := NewPath("a", "b").Index(1)
	if p.Root().String() != "a" || p.Child("c").String() != "a.b[1].c" || p.String() != "a.b[1]" {
		t.Error("a path changed, or has no root")
	}
}

func TestErrors(t *testing.T) {
	p := NewPath("f")
	type policy string
	for _, test := range []struct {
		err        *Error
		text, json string
	}{
		{NotFound(p, "x"), `f: Not found: "x"`, `{"type":"FieldValueNotFound","field":"f","value":"x"}`},
		{Required(p, ""), `f: Required value`, `{"type":"FieldValueRequired","field":"f","value":""}`},
		{Required(p, "why"), `f: Required value: why`, `{"type":"FieldValueRequired","field":"f","value":"","detail":"why"}`},
		{Duplicate(p, 3), `f: Duplicate value: 3`, `{"type":"FieldValueDuplicate","field":"f","value":3}`},
		{Invalid(p, -1, "bad"), `f: Invalid value: -1: bad`, `{"type":"FieldValueInvalid","field":"f","value":-1,"detail":"bad"}`},
		{Invalid(p, "a\"\n", ""), `f: Invalid value: "a\"\n"`, `{"type":"FieldValueInvalid","field":"f","value":"a\"\n"}`},
		{Invalid(p, nil, ""), `f: Invalid value: null`, `{"type":"FieldValueInvalid","field":"f","value":null}`},
		{Invalid(p, 1e8, ""), `f: Invalid value: 1e+08`, `{"type":"FieldValueInvalid","field":"f","value":100000000}`},
		{Invalid(p, float32(0.1), ""), `f: Invalid value: 0.1`, `{"type":"FieldValueInvalid","field":"f","value":0.1}`},
		{Invalid(p, value(`{"a":"<"}`), ""), `f: Invalid value: {"a":"\u003c"}`, `{"type":"FieldValueInvalid","field":"f","value":{"a":"<"}}`},
		{Invalid(p, value(`"<"`), ""), `f: Invalid value: "<"`, `{"type":"FieldValueInvalid","field":"f","value":"<"}`},
		{Invalid(p, value(""), ""), `f: Invalid value: null`, `{"type":"FieldValueInvalid","field":"f","value":null}`},
		{Invalid(p, map[string]string{"b": "1", "a": "2"}, ""), `f: Invalid value: {"a":"2","b":"1"}`,
			`{"type":"FieldValueInvalid","field":"f","value":{"a":"2","b":"1"}}`},
		{TypeInvalid(p, true, "no"), `f: Invalid value: true: no`, `{"type":"FieldValueTypeInvalid","field":"f","value":true,"detail":"no"}`},
		{NotSupported(p, "c", []policy{"a", `b"`}), `f: Unsupported value: "c": supported values: "a", "b\""`,
			`{"type":"FieldValueNotSupported","field":"f","value":"c","detail":"supported values: \"a\", \"b\\\"\""}`},
		{NotSupported(p, "c", []string{}), `f: Unsupported value: "c"`, `{"type":"FieldValueNotSupported","field":"f","value":"c"}`},
		{Forbidden(p, "no"), `f: Forbidden: no`, `{"type":"FieldValueForbidden","field":"f","value":"","detail":"no"}`},
		{TooLong(p, "xx", 1), `f: Too long: may not be more than 1 byte`,
			`{"type":"FieldValueTooLong","field":"f","value":"<value omitted>","detail":"may not be more than 1 byte"}`},
		{TooLong(p, "xx", 63), `f: Too long: may not be more than 63 bytes`,
			`{"type":"FieldValueTooLong","field":"f","value":"<value omitted>","detail":"may not be more than 63 bytes"}`},
		{TooLong(p, "xx", -1), `f: Too long: value is too long`,
			`{"type":"FieldValueTooLong","field":"f","value":"<value omitted>","detail":"value is too long"}`},
		{TooMany(p, 3, 1), `f: Too many: 3: must have at most 1 item`,
			`{"type":"FieldValueTooMany","field":"f","value":3,"detail":"must have at most 1 item"}`},
		{TooMany(p, -1, 2), `f: Too many: must have at most 2 items`,
			`{"type":"FieldValueTooMany","field":"f","detail":"must have at most 2 items"}`},
		{TooMany(p, 3, -1), `f: Too many: 3: has too many items`, `{"type":"FieldValueTooMany","field":"f","value":3,"detail":"has too many items"}`},
		{InternalError(nil, errors.New("oops")), `<nil>: Internal error: oops`,
			`{"type":"InternalError","field":"<nil>","value":"oops","detail":"oops"}`},
		{&Error{Type: "Odd", Field: "f"}, `f: <unknown error "Odd">`, `{"type":"Odd","field":"f","value":null}`},
	} {
		if got := test.err.Error(); got != test.text {
			t.Errorf("%s, want %s", got, test.text)
		}
		if got := string((ErrorList{test.err}).AppendJSON(nil)); got != "["+test.json+"]" || !json.Valid([]byte(got)) {
			t.Errorf("%s, want [%s]", got, test.json)
		}
	}
}

func TestErrorList(t *testing.T) {
	list := ErrorList{Required(NewPath("a"), ""), Forbidden(NewPath("b"), "c")}
	if got := list.Error(); got != "a: Required value; b: Forbidden: c" {
		t.Error(got)
	}
	if got := string(ErrorList(nil).AppendJSON([]byte("x"))); got != "x[]" {
		t.Error(got)
	}
}
