package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"unicode/utf8"
)

type raw string

func (r raw) Raw() string { return string(r) }

// TestAppend compares with encoding/json, which writes some characters longer.
func TestAppend(t *testing.T) {
	for _, v := range []any{
		nil, "", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é\u2028😀", true, false,
		0, -1, int8(-128), int16(1), int32(math.MinInt32), int64(math.MinInt64), uint(1), uint8(255), uint16(2), uint32(3), uint64(math.MaxUint64),
		0.0, 1.0, -1.5, 0.1, 1e-6, 1e-7, 1e20, 1e21, 1e-9, 1e-10, 1e100, 5e-324, math.MaxFloat64, float32(0.1), float32(1e-7), float32(1e21),
		[]string{}, []string{"a", "b"}, []any{1, "x", nil, []any{}}, map[string]string{}, map[string]string{"b": "1", "a": "2"},
		map[string]any{"z": 1, "a": map[string]any{"x": true}},
	} {
		got, ok := Append([]byte("kept"), v)
		got = bytes.TrimPrefix(got, []byte("kept"))
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			t.Fatal(err)
		}
		if wanted := bytes.ReplaceAll(bytes.TrimSpace(want.Bytes()), []byte(`\u2028`), []byte("\u2028")); !ok || !bytes.Equal(got, wanted) {
			t.Errorf("%v (%T) is %s, want %s", v, v, got, wanted)
		}
	}
}

func TestAppendOwnTypes(t *testing.T) {
	for want, v := range map[string]any{
		`{"a":1}`: raw(`{"a":1}`), "null": raw(""), `"broken"`: errors.New("broken"), `[1,null]`: []any{1, math.NaN()},
	} {
		if got, ok := Append(nil, v); !ok || string(got) != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, v := range []any{struct{}{}, []int{1}, &struct{}{}, []any{struct{}{}}, map[string]any{"a": make(chan int)}} {
		if got, ok := Append(nil, v); ok || !json.Valid(got) {
			t.Errorf("%T became %s", v, got)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\xffb", "\xc3", "\xed\xa0\x80", "\U0010ffff", "\\u0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		text := AppendString(nil, s)
		if err := json.Unmarshal(text, &got); err != nil || !utf8.Valid(text) {
			t.Fatalf("%q became %q: %v", s, text, err)
		}
		encoded, _ := json.Marshal(s)
		if err := json.Unmarshal(encoded, &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q came back as %q, want %q", s, got, want)
		}
	})
}
