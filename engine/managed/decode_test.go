package managed

import (
	"bytes"
	"testing"

	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratagem-dev/stratagem/engine/internal/jsontext"
)

// fieldSets are FieldsV1 of all sorts, in canonical form.
var fieldSets = []string{
	`{}`, `null`, `[]`, `5`, `{"f:a":{}}`, `{"f:a":{".":{},"f:b":{}}}`, `{".":{}}`, `{"f:a":null}`, `{"f:a":5}`, `{"f:a":[]}`, `{"f:a":{".":5}}`,
	`{"f:a":{"x:b":{}}}`, `{"x:b":{}}`, `{"a":{}}`, `{"":{}}`, `{":":{}}`, `{"\"":{}}`, `{"\":x":{}}`, `{"f:":{}}`, `{"f:\"":{}}`,
	`{"i:1":{}}`, `{"i:x":{}}`, `{"i:-1":{},"i:0":{}}`,
	`{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}`, `{"k:{\"b\":1,\"a\":2}":{}}`, `{"k: {\"a\":1}":{}}`, `{"k:{\"a\":\"\\u003c\"}":{}}`, `{"k:{\"a\":1.0}":{}}`,
	`{"k:5":{}}`, `{"k:{":{}}`, `{"k:":{}}`, `{"k:{}":{}}`, `{"k:{\"a\":[1]}":{}}`, `{"k:{\"aB\":1,\"a\":1}":{}}`,
	`{"v:\"a\"":{}}`, `{"v:1":{}}`, `{"v:true":{},"v:false":{}}`, `{"v:01":{}}`, `{"v:-0":{}}`, `{"v:x":{}}`, `{"v:\"é\"":{}}`, `{"v:\"\\\\\"":{}}`, `{"v:1 1":{}}`,
	`{"v:1":{},"v:1.0":{}}`, `{"v:1":{"f:a":{}},"v:1.0":{}}`, `{"k:{\"a\":1,\"b\":1}":{},"k:{\"b\":1,\"a\":1}":{"f:c":{}}}`,
}

// checkSet reads a set and compares it with what Kubernetes reads. Where Kubernetes is more lenient, nothing is compared.
func checkSet(t *testing.T, raw []byte) {
	tree := &tree{}
	root, plain, end, err := tree.decode(raw, 0)
	if err != nil {
		return
	}
	if end != len(raw) {
		t.Fatalf("%s: read up to %d", raw, end)
	}
	ours := tree.appendSet(nil, root)
	if plain && !bytes.Equal(ours, raw) {
		t.Errorf("%s is not as it would be written: %s", raw, ours)
	}
	var theirs, again fieldpath.Set
	if err := theirs.FromJSON(bytes.NewReader(raw)); err != nil {
		t.Fatalf("%s: Kubernetes refuses it: %v", raw, err)
	}
	if err := again.FromJSON(bytes.NewReader(ours)); err != nil || !again.Equals(&theirs) {
		t.Errorf("%s: got %s, which Kubernetes reads as\n%v (%v), want\n%v", raw, ours, &again, err, &theirs)
	}
}

func TestDecodeAgreesWithKubernetes(t *testing.T) {
	for _, raw := range fieldSets {
		checkSet(t, []byte(raw))
	}
}

func TestDecodeRefusesWhatKubernetesRefuses(t *testing.T) {
	for _, raw := range fieldSets {
		_, _, _, err := (&tree{}).decode([]byte(raw), 0)
		var theirs fieldpath.Set
		if want := theirs.FromJSON(bytes.NewReader([]byte(raw))); (err == nil) != (want == nil) {
			t.Errorf("%s: got %v, want %v", raw, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, raw := range fieldSets {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		decoded, err := anyOf(raw)
		if err != nil {
			return
		}
		canonical, err := jsontext.AppendTree(nil, decoded)
		if err != nil {
			return
		}
		checkSet(t, canonical)
	})
}

// FuzzUpdateOfAnything makes sure that bytes which are no objects at all do no harm.
func FuzzUpdateOfAnything(f *testing.F) {
	f.Add([]byte(`{"a":[`), []byte(`{"a":[}`))
	f.Add([]byte(`{"metadata":{"managedFields":[{"fieldsV1":{"f:a`), []byte(`{"metadata":{"managedFields":[{}`))
	f.Add([]byte(`{"spec":{"list":[{"name":"a"`), []byte(`{"spec":{"list":[{"name":"b"},,],"set":[1,"`))
	doc := map[string]any{"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": map[string]any{
		"list": map[string]any{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
			"items": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}}},
		"set": map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}},
	}}}}
	types := compileDoc(f, doc, "v1")
	f.Fuzz(func(_ *testing.T, old, obj []byte) {
		if len(old)+len(obj) > 1<<16 {
			return
		}
		_, _ = (&Write{Types: types, Old: old, New: obj}).Update()
	})
}

func anyOf(raw []byte) (value any, err error) {
	err = kjson.Unmarshal(raw, &value)
	return value, err
}
