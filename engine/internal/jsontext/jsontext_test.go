package jsontext

import (
	"encoding/json"
	"math"
	"testing"
)

func TestInnerEscapesAsLittleAsItCan(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "plain": "plain", `a"b\c`: `a\"b\\c`, "\b\f\n\r\t": `\b\f\n\r\t`, "\x00\x1f": `\u0000\u001f`, "é😀</>&": "é😀</>&", "\xff!": "\ufffd!",
	} {
		if got := Inner(s); got != want {
			t.Errorf("%q became %s, want %s", s, got, want)
		}
		var back string
		if err := json.Unmarshal(AppendString(nil, s), &back); err != nil || back != Unquote([]byte(want)) {
			t.Errorf("%q came back as %q (%v)", s, back, err)
		}
	}
}

func TestAppendTree(t *testing.T) {
	got, err := AppendTree(nil, map[string]any{
		"b": []any{nil, true, int64(-1), 1.5, 1e21, json.Number("1.50")}, "a": map[string]any{"\"": "x", "!": "y"},
	})
	if want := `{"a":{"!":"y","\"":"x"},"b":[null,true,-1,1.5,1e+21,1.50]}`; string(got) != want || err != nil {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	for _, wrong := range []any{math.MaxUint32 + 1, json.Number("1e999"), []any{struct{}{}}, map[string]any{"a": struct{}{}}} {
		if out, err := AppendTree(nil, wrong); err == nil {
			t.Errorf("%v became %s", wrong, out)
		}
	}
}
