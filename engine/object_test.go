package engine

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		duplicates     []string
	}{
		{"sorted and compact", ` { "b" : 1 , "a" : [ 1 , 2.50 , -3e2 ] } `, `{"a":[1,2.50,-3e2],"b":1}`, nil},
		{"last duplicate wins", `{"a":1,"b":{"x":1,"x":2},"a":3}`, `{"a":3,"b":{"x":2}}`, []string{"b.x", "a"}},
		{"duplicate in a list", `{"l":[{},{"k":1,"k":2,"k":3}]}`, `{"l":[{},{"k":3}]}`, []string{"l[1].k"}},
		{"escaped key is the same key", `{"\u0061":1,"a":2}`, `{"a":2}`, []string{"a"}},
		{"fewest escapes", `"\u0041\/\u000a\u0001\u00e9\ud83d\ude00\ud800x"`, "\"A/\\n\\u0001é😀\ufffdx\"", nil},
		{"null, true, false", `[null,true,false,{}]`, `[null,true,false,{}]`, nil},
		{"empty containers", `{"a":{ },"b":[ ]}`, `{"a":{},"b":[]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, dups, err := Canonical([]byte(c.in))
			if err != nil || string(got) != c.want || !reflect.DeepEqual(dups, c.duplicates) {
				t.Fatalf("got %s %v %v, want %s %v", got, dups, err, c.want, c.duplicates)
			}
			again, _, err := Canonical(got)
			if err != nil || !bytes.Equal(again, got) {
				t.Fatalf("not stable: %s then %s (%v)", got, again, err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	deep := strings.Repeat(`{"a":`, MaxDepth+2) + "1" + strings.Repeat("}", MaxDepth+2)
	for _, in := range []string{
		"", " ", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `{1:2}`, `01`, `1.`, `-`, `1e`, `+1`, `nul`, `"a`, "\"a\nb\"",
		`"\x"`, `"\u12"`, "\"\xff\"", "{\"\xc3\x28\":1}", `{} {}`, `{}x`, `1e999`, deep,
	} {
		if out, _, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%.40q was taken as %.40q", in, out)
		}
	}
}

func TestCanonicalBoundsWhatItTellsOfDuplicates(t *testing.T) {
	long := strings.Repeat("k", 200_000)
	body := `{"` + long + `":{` + strings.Repeat(`"a":1,"b":2,`, 20_000) + `"c":3}}`
	out, dups, err := Canonical([]byte(body))
	if err != nil || string(out) != `{"`+long+`":{"a":1,"b":2,"c":3}}` {
		t.Fatalf("became %.60q (%v)", out, err)
	}
	if len(dups) == 0 || len(dups) > maxDuplicates {
		t.Fatalf("%d duplicates are told", len(dups))
	}
	for _, d := range dups {
		if len(d) > maxDuplicateLen+maxDuplicateKey+8 {
			t.Fatalf("a path has %d bytes", len(d))
		}
	}
	if _, err := json.Marshal(dups); err != nil {
		t.Fatal(err)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[{"x":"\u0061\ud800"}],"a":null}`, `[1e5,-0.0,"é"]`, `{"metadata":{"name":"x"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, _, err := Canonical(in)
		if err != nil {
			return
		}
		var want, got any
		if err := json.Unmarshal(in, &want); err != nil {
			t.Fatalf("took what encoding/json refuses: %q: %v", in, err)
		}
		if err := json.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		again, dups, err := Canonical(out)
		if err != nil || dups != nil || !bytes.Equal(again, out) {
			t.Fatalf("not stable: %q then %q (%v, %v)", out, again, dups, err)
		}
		if len(out) > 0 && out[0] == '{' && !bytes.Equal(ParseFields(out).Raw(), out) {
			t.Fatalf("fields of %q come back as %q", out, ParseFields(out).Raw())
		}
	})
}

func TestServedSplicesTheResourceVersion(t *testing.T) {
	for in, want := range map[string]string{
		`{"metadata":{"name":"a","uid":"u"},"spec":{}}`: `{"metadata":{"name":"a","resourceVersion":"7","uid":"u"},"spec":{}}`,
		`{"kind":"X","metadata":{"name":"a"}}`:          `{"kind":"X","metadata":{"name":"a","resourceVersion":"7"}}`,
		`{"metadata":{}}`:                               `{"metadata":{"resourceVersion":"7"}}`,
		`{"metadata":{"uid":"\"}{"}}`:                   `{"metadata":{"resourceVersion":"7","uid":"\"}{"}}`,
		`{"kind":"X"}`:                                  `{"kind":"X"}`,
	} {
		got := Object(in).Served(7)
		if string(got) != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
		if back := got.Stored(); string(back) != in {
			t.Errorf("%s came back as %s", in, back)
		}
	}
}

func TestFields(t *testing.T) {
	f := ParseFields([]byte(`{"a":1,"c":{"x":"}"},"e":"\\"}`))
	f.SetString("b", `q"`)
	f.SetInt("f", 5)
	f.Set("c", nil)
	f.Set("nope", nil)
	if got, want := string(f.Raw()), `{"a":1,"b":"q\"","e":"\\","f":5}`; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if f.String("b") != `q"` || f.Int("f") != 5 || f.Has("c") || f.String("e") != `\` {
		t.Fatalf("wrong values in %v", f)
	}
}

// TestSkipString puts quotes and escapes at every place of the words that skipString looks at.
func TestSkipString(t *testing.T) {
	for n := range 40 {
		for _, tail := range []string{"", `\"`, `\\`, `\\\"`, `\"\\é`} {
			for after := range 12 {
				text := `"` + strings.Repeat("x", n) + tail + `"`
				b := []byte("##" + text + strings.Repeat(`,"\`, after))
				if got := skipString(b, 2); got != 2+len(text) {
					t.Fatalf("%q ends at %d, want %d", b[2:], got, 2+len(text))
				}
			}
		}
	}
}
