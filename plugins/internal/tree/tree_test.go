package tree

import "testing"

const sample = `{"a":{"b":[1,"x\"y",true,null,{"c":{}}]},"k\u0065y":"v","n":null,"e":[], "o": { } }`

func TestWalk(t *testing.T) {
	root := Parse(sample)
	for _, tc := range []struct{ name, got, want string }{
		{"raw", root.Get("a").Raw(), `{"b":[1,"x\"y",true,null,{"c":{}}]}`},
		{"escaped key", root.Get("key").String(), "v"},
		{"null", root.Get("n").Raw(), ""},
		{"absent", root.At("a", "x", "y").String(), ""},
		{"object", root.Get("o").Raw(), "{ }"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, tc.got, tc.want)
		}
	}
	var items []string
	for _, item := range root.At("a", "b").Items() {
		items = append(items, item.String())
	}
	want := []string{"1", `x"y`, "true", "null", `{"c":{}}`}
	if len(items) != len(want) {
		t.Fatalf("items: %q", items)
	}
	for i := range want {
		if items[i] != want[i] {
			t.Errorf("item %d: %q, want %q", i, items[i], want[i])
		}
	}
	if root.Len() != 4 || !root.Get("e").Empty() || !root.Get("o").Empty() || root.Get("a").Empty() {
		t.Errorf("Len %d", root.Len())
	}
	for text, want := range map[string]int64{"7": 7, "-7": -7, "7.9": 7, "1e3": 1000, "9223372036854775807": 1<<63 - 1, `"7"`: 0, "true": 0, "0": 0} {
		if got := Parse(text).Int(); got != want {
			t.Errorf("Int of %s: %d, want %d", text, got, want)
		}
	}
	if Parse("").Exists() || Parse("null").Exists() || !Parse(" 7 ").IsNumber() || Parse("7").Int() != 7 {
		t.Error("scalars at the root")
	}
}

func TestEdits(t *testing.T) {
	root := Parse(sample)
	e := NewEdits(root)
	if e.Any() || e.Text() != sample {
		t.Fatalf("no edits: %s", e.Text())
	}
	e.Default(root, "n", `1`)
	e.Default(root, "key", `"other"`)
	e.Default(root.Get("o"), "x", `1`)
	e.Default(root.Get("o"), "y", `2`)
	e.Append(root.Get("e"), `3`)
	e.Append(root.At("a", "b"), `4`)
	e.Set(root, "z", Quote("q\"\n"))
	want := `{"a":{"b":[1,"x\"y",true,null,{"c":{}},4]},"k\u0065y":"v","n":1,"e":[3], "o": {"x":1,"y":2},"z":"q\"\n"}`
	if got := e.Text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEqualAndDiff(t *testing.T) {
	zero := func(key string, n Node) bool { return n.Empty() && key != "p" }
	for _, tc := range []struct {
		a, b, diff string
	}{
		{`{"a":1,"b":[1,2]}`, `{"b":[1,2],"a":1}`, ""},
		{`{"a":[]}`, `{}`, ""},
		{`{"p":{}}`, `{}`, "- spec.p: {}\n"},
		{`{"a":null}`, `{"b":{}}`, ""},
		{`{"a":{"b":[{"c":"x"}]}}`, `{"a":{"b":[{"c":"y","d":1}]}}`,
			"- spec.a.b[0].c: \"x\"\n+ spec.a.b[0].c: \"y\"\n+ spec.a.b[0].d: 1\n"},
		{`{"a":[1]}`, `{"a":[1,2]}`, "- spec.a: [1]\n+ spec.a: [1,2]\n"},
		{`{"a":"1"}`, `{"a":1}`, "- spec.a: \"1\"\n+ spec.a: 1\n"},
	} {
		a, b := Parse(tc.a), Parse(tc.b)
		if got := Diff(a, b, "spec", zero); got != tc.diff {
			t.Errorf("Diff(%s, %s):\n%s", tc.a, tc.b, got)
		}
		if Equal(a, b, zero) != (tc.diff == "") {
			t.Errorf("Equal(%s, %s)", tc.a, tc.b)
		}
	}
}
