package schema

import (
	"bytes"
	"testing"
)

// hostile are bytes that are not canonical JSON, or only just.
var hostile = []string{
	``, `{`, `}`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"spec":{"list":[`, `{"spec":{"list":[{`, `{"spec":{"list":[{},`,
	`{"spec":{"replicas":}}`, `{"spec":{"replicas":-}}`, `{"spec":{"replicas":1e}}`, `{"spec":{"flag":tru}}`, `{"spec":{"flag":t`, `{"kind":"\`, `{"kind":"\"`,
	`{"metadata":{"creationTimestamp":"\u00"}}`, `{"spec":{"labels":n`, `{"spec":{"list":[n]}}`, `{"z":[}`, `{"z":{]}`, "{\"\x00\":\x01}", `{}{}`, `{} `,
	`{"spec":{"any":"\\\"`, `{"b":1,"a":2}`, `{"kind":"","apiVersion":""}`,
}

// FuzzDecode runs everything on any bytes: none may panic, and what is canonical has to stay so.
func FuzzDecode(f *testing.F) {
	schemas := map[string]*Schema{"shapes": compile(f, shapes), "rules": compile(f, rulesDoc), "defaults": compile(f, defaultsDoc), "deployment": deployment(f)}
	for _, seed := range hostile {
		f.Add([]byte(seed))
	}
	f.Add(deploymentObject(f))
	f.Add([]byte(`{"spec":{"b":null,"items":[null,{"p":"UDP"},{}],"list":[{"foo":1,"name":"a"}],"map":{"a\"b":{"x":"1","y":2}},"zeroes":[null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, s := range schemas {
			if decoded, err := s.Decode(data); err == nil {
				if _, err := s.Default(decoded.Object); err == nil {
					s.Validate(decoded.Object)
				}
			}
			_, _ = s.Default(data)
			s.Validate(data)
		}
		obj, err := recanonical(data)
		if err != nil || obj[0] != '{' {
			return
		}
		for name, s := range schemas {
			checkCanonical(t, name, s, obj)
		}
	})
}

func checkCanonical(t *testing.T, name string, s *Schema, obj []byte) {
	t.Helper()
	before := bytes.Clone(obj)
	decoded, err := s.Decode(obj)
	if err != nil {
		return
	}
	if !bytes.Equal(obj, before) {
		t.Fatalf("%s: the input was changed", name)
	}
	again, err := s.Decode(decoded.Object)
	if err != nil || len(again.Unknown) > 0 || &again.Object[0] != &decoded.Object[0] {
		t.Fatalf("%s: %s\nis not stable: %s, %v", name, decoded.Object, again.Object, err)
	}
	defaulted, err := s.Default(decoded.Object)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if again, err := s.Default(defaulted); err != nil || &again[0] != &defaulted[0] {
		t.Fatalf("%s: %s\nis not stable: %s, %v", name, defaulted, again, err)
	}
	if again, err := s.Decode(defaulted); err != nil || len(again.Unknown) > 0 || &again.Object[0] != &defaulted[0] {
		t.Fatalf("%s: with defaults %s\nis not stable: %s, %v", name, defaulted, again.Object, err)
	}
	s.Validate(defaulted)
	for _, out := range [][]byte{decoded.Object, defaulted} {
		if want, err := recanonical(out); err != nil || !bytes.Equal(out, want) {
			t.Fatalf("%s: %s\nis not canonical: %s, %v", name, out, want, err)
		}
	}
}

// Deep nesting ends in an error, not in an exhausted stack.
func TestDepthIsBounded(t *testing.T) {
	s := compile(t, `{"$ref":"#/components/schemas/T"}`, "T", `{"type":"object","properties":{"a":{"$ref":"#/components/schemas/T"},"b":{"type":"string","default":"b","minLength":1}}}`)
	deep := append(bytes.Repeat([]byte(`{"a":`), 1_000_000), '1')
	if _, err := s.Decode(deep); err == nil {
		t.Error("Decode takes it")
	}
	if _, err := s.Default(deep); err == nil {
		t.Error("Default takes it")
	}
	if errs := s.Validate(deep); len(errs) == 0 {
		t.Error("Validate takes it")
	}
}

// The report of unknown fields is bounded in number and size.
func TestUnknownIsBounded(t *testing.T) {
	s := compile(t, shapes)
	long := bytes.Repeat([]byte("x"), 10_000)
	object := []byte(`{"spec":{"map":{"` + string(long) + `":{`)
	for i := range 5000 {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(object, []byte(`"k`+string(rune('0'+i/1000))+string(rune('0'+i/100%10))+string(rune('0'+i/10%10))+string(rune('0'+i%10))+`":1`)...)
	}
	decoded, err := s.Decode(append(object, []byte(`}}}}`)...))
	if err != nil || string(decoded.Object) != `{"spec":{"map":{"`+string(long)+`":{}}}}` {
		t.Errorf("got %.100s, %v", decoded.Object, err)
	}
	if n := len(decoded.Unknown); n == 0 || n > 8 {
		t.Errorf("%d unknown fields are reported", n)
	}
}
