package jsondiff

import (
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{`{"a":1}`, `{"a":1}`, `null`},
		{`{"a":1,"b":2}`, `{"b":3,"c":{}}`, `[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":3},{"op":"add","path":"/c","value":{}}]`},
		{`{"x/y~z":{"a":"<"}}`, `{"x/y~z":{"a":"&"}}`, `[{"op":"replace","path":"/x~1y~0z/a","value":"&"}]`},
		{`[1,2,3]`, `[1,3]`, `[{"op":"remove","path":"/1"}]`},
		{`[1,3]`, `[1,2,4,3]`, `[{"op":"add","path":"/1","value":2},{"op":"add","path":"/2","value":4}]`},
		{`[{"n":1},{"n":2}]`, `[{"n":1},{"n":5}]`, `[{"op":"replace","path":"/1/n","value":5}]`},
		{`[1,2,3,4]`, `[]`, `[{"op":"remove","path":"/3"},{"op":"remove","path":"/2"},{"op":"remove","path":"/1"},{"op":"remove","path":"/0"}]`},
		{`{"a":null}`, `{"a":{}}`, `[{"op":"replace","path":"/a","value":{}}]`},
		{`{"a":1}`, `{"a":null}`, `[{"op":"replace","path":"/a","value":null}]`},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, `[{"op":"replace","path":"/a","value":9007199254740992}]`},
	} {
		ops, err := Diff([]byte(c.before), []byte(c.after))
		if err != nil {
			t.Fatal(err)
		}
		if got := raw(ops); string(got) != c.want {
			t.Errorf("%s to %s:\n%s, want\n%s", c.before, c.after, got, c.want)
		}
	}
	if _, err := Diff([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("no error")
	}
}

// The patch, applied to the one document, gives the other.
func FuzzDiff(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"a":[1,2,{"b":null}]}`, `{"a":[2,{"b":[]}],"":0}`}, {`{"a":{"b":{"c":1}}}`, `{"a":{"b":[1,[2]]}}`}, {`{"~1":1}`, `{"/":[[],[1]]}`},
		{`{"l":[1,1,1,2]}`, `{"l":[1,1,2,1,1]}`},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		was, err := decode([]byte(before))
		is, err2 := decode([]byte(after))
		_, wasObject := was.(map[string]any)
		_, isObject := is.(map[string]any)
		if err != nil || err2 != nil || !wasObject || !isObject {
			return
		}
		clean, want := raw(was), raw(is)
		ops, err := Diff(clean, want)
		if err != nil {
			t.Fatal(err)
		}
		if len(ops) == 0 {
			if string(clean) != string(want) {
				t.Fatalf("%s and %s are told to be equal", clean, want)
			}
			return
		}
		text := raw(ops)
		patch, err := jsonpatch.DecodePatch(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := patch.Apply(clean)
		if err != nil {
			t.Fatalf("%s on %s: %v", text, clean, err)
		}
		tree, err := decode(got)
		if err != nil || string(raw(tree)) != string(want) {
			t.Fatalf("%s on %s gives %s, want %s", text, clean, got, want)
		}
	})
}
