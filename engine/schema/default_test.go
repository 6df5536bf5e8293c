package schema

import (
	"errors"
	"strings"
	"testing"
)

const defaultsDoc = `{"type":"object","properties":{"spec":{"type":"object","properties":{
	"b":{"type":"string","default":"B"},
	"d":{"type":"integer","format":"int32","default":1},
	"f":{"type":"object","default":{},"properties":{"x":{"type":"string","default":"X"},"y":{"type":"string"}}},
	"g":{"type":"object","properties":{"x":{"type":"string","default":"X"}}},
	"items":{"type":"array","items":{"type":"object","default":{},"properties":{"p":{"type":"string","default":"TCP"}}}},
	"map":{"type":"object","additionalProperties":{"type":"object","default":{"q":"1"},"properties":{"p":{"type":"string","default":"TCP"},"q":{"type":"string"}}}},
	"maybe":{"type":"string","nullable":true,"default":"M"}
}}}}`

func TestDefault(t *testing.T) {
	s := compile(t, defaultsDoc)
	for in, want := range map[string]string{
		`{}`:          `{}`,
		`{"spec":{}}`: `{"spec":{"b":"B","d":1,"f":{"x":"X"},"maybe":"M"}}`,
		`{"spec":{"a":0,"c":0,"d":2,"e":0,"z":0}}`:                                                              `{"spec":{"a":0,"b":"B","c":0,"d":2,"e":0,"f":{"x":"X"},"maybe":"M","z":0}}`,
		`{"spec":{"b":"1","d":2,"f":{"x":"","y":"2"},"maybe":"3"}}`:                                             `{"spec":{"b":"1","d":2,"f":{"x":"","y":"2"},"maybe":"3"}}`,
		`{"spec":{"b":"1","d":2,"f":{"y":"2"},"g":{},"maybe":"3"}}`:                                             `{"spec":{"b":"1","d":2,"f":{"x":"X","y":"2"},"g":{"x":"X"},"maybe":"3"}}`,
		`{"spec":{"b":null,"d":null,"f":null,"g":null,"maybe":null}}`:                                           `{"spec":{"b":"B","d":1,"f":{"x":"X"},"g":null,"maybe":null}}`,
		`{"spec":{"b":"","d":0,"f":{"x":""},"items":[{},{"p":"UDP"},null],"map":{"a":{},"b":null},"maybe":""}}`: `{"spec":{"b":"","d":0,"f":{"x":""},"items":[{"p":"TCP"},{"p":"UDP"},{"p":"TCP"}],"map":{"a":{"p":"TCP"},"b":{"p":"TCP","q":"1"}},"maybe":""}}`,
	} {
		got, err := s.Default([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if string(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
		if again, err := s.Default(got); err != nil || string(again) != string(got) {
			t.Errorf("%s: a second time gives %s, %v", in, again, err)
		}
	}
}

// Small objects in large numbers must not grow without bound.
func TestDefaultBoundsItsOutput(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","default":{},
		"properties":{"text":{"type":"string","default":"`+strings.Repeat("x", 1000)+`"}}}}}}`)
	for _, element := range []string{`{},`, `null,`} {
		in := []byte(`{"list":[` + strings.Repeat(element, 20_000) + `{}]}`)
		decoded, err := s.Decode(in)
		if err == nil {
			_, err = s.Default(decoded.Object)
		}
		var sizeError *SizeError
		if !errors.As(err, &sizeError) {
			t.Errorf("%s: got %v, want a *SizeError", element, err)
		}
	}
}
