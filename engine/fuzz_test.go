package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	structural "github.com/stratagem-dev/stratagem/engine/schema"
)

// FuzzSelectors: a selector is refused or answers, the same for the same object, and a name that it asks for is the only one.
func FuzzSelectors(f *testing.F) {
	for _, seed := range [][2]string{
		{"a=b", ""}, {"a in (b,c),!d", "metadata.name=x"}, {"a notin (b)", "metadata.namespace!=ns"}, {"a>5,b<3", "spec.color=red"}, {"=", "="},
		{"a==b,a!=c", `spec.color=a\,b\=c\\`}, {strings.Repeat("a,", 100), "spec.color="}, {"ä=ö", "spec.size=1"}, {"a in ()", "metadata.name"},
	} {
		f.Add(seed[0], seed[1])
	}
	r := &Resource{Namespaced: true, SelectableFields: []string{".spec.color"}}
	objects := []Object{[]byte(`{}`), []byte(`{"metadata":{"labels":{"a":"b"},"name":"x","namespace":"ns"},"spec":{"color":"red"}}`), []byte(`{"metadata":{"labels":7},"spec":[1]}`)}
	f.Fuzz(func(t *testing.T, labels, fields string) {
		s, err := r.ParseSelector(labels, fields)
		var bad *BadRequestError
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%T: %v", err, err)
		}
		if err != nil {
			return
		}
		for _, obj := range objects {
			matches := s.Matches(obj)
			if name := s.Name(); matches && name != "" && obj.Name() != name {
				t.Errorf("an object named %q matches metadata.name=%q", obj.Name(), name)
			}
			if matches != s.Matches(obj) || s.Empty() && !matches {
				t.Errorf("%q %q of %s: %t", labels, fields, obj, matches)
			}
		}
	})
}

// FuzzContinueTokens: a token is refused or names a key below the prefix, and what was encoded is what is decoded.
func FuzzContinueTokens(f *testing.F) {
	f.Add(encodeContinue(5, "ns/a\x00"), int64(5), "ns/a\x00")
	f.Add(encodeContinue(-1, "a"), int64(-1), "../a")
	f.Add("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi9zZWNyZXRzLyJ9", int64(0), "")
	f.Add("%", int64(1), "a//b")
	f.Fuzz(func(t *testing.T, token string, revision int64, start string) {
		if _, key, err := decodeContinue(token); err == nil && (strings.HasPrefix(key, "/") || strings.Contains("/"+key+"/", "/../")) {
			t.Errorf("%s is taken for the key %q", token, key)
		}
		gotRevision, got, err := decodeContinue(encodeContinue(revision, start))
		if err == nil && utf8.ValidString(start) && (gotRevision != revision || got != strings.TrimPrefix(start, "/")) {
			t.Errorf("%d %q came back as %d %q", revision, start, gotRevision, got)
		}
	})
}

// FuzzPatches: a patch is refused or leaves an object in canonical form; a merge patch that is applied again changes nothing.
func FuzzPatches(f *testing.F) {
	compiled, err := structural.Compile(json.RawMessage(`{"type":"object","properties":{"spec":{"type":"object","properties":{
		"parts":{"type":"array","x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge",
			"items":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}}}}}}}}`), nil)
	if err != nil {
		f.Fatal(err)
	}
	version := &Version{Name: "v1", Schema: compiled}
	const object = `{"metadata":{"labels":{"a":"b"},"name":"x"},"spec":{"parts":[{"n":1,"name":"p"}]}}`
	for _, seed := range []string{
		`{"metadata":{"labels":null}}`, `{"spec":{"parts":[{"name":"p","$patch":"delete"}]}}`, `{"spec":{"parts":[{"name":"q","n":2}],"$setElementOrder/parts":[{"name":"q"}]}}`,
		`[{"op":"replace","path":"/metadata/name","value":"y"}]`, `[{"op":"copy","from":"/spec","path":"/spec/parts/0/a"},{"op":"test","path":"/a~1b","value":null}]`,
		`[{"op":"remove","path":"/spec/parts/-1"}]`, `{"a":{"b":{"c":[{}]}}}`, `{"$patch":"replace"}`, `{"$retainKeys":["a"]}`, `[]`, `null`, `{"a":1,"a":2}`, `{"spec":{"parts":7}}`,
	} {
		f.Add([]byte(object), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, target, body []byte) {
		current, _, err := ParseObject(target)
		if err != nil {
			return
		}
		check := func(what string, obj Object, err error) {
			if err != nil {
				return
			}
			again, duplicates, err := ParseObject(obj)
			if err != nil || len(duplicates) > 0 || !bytes.Equal(again, obj) {
				t.Errorf("%s of %s by %s left %s (%v)", what, current, body, obj, err)
			}
		}
		if patch, err := NewJSONPatch(body); err == nil {
			obj, _, err := patch.Apply(bytes.Clone(current), version)
			check("JSON patch", obj, err)
		}
		patch, _, err := ParseObject(body)
		if err != nil {
			return
		}
		once, _, err := MergePatch{patch}.Apply(bytes.Clone(current), version)
		check("merge patch", once, err)
		if twice, _, err := (MergePatch{patch}).Apply(bytes.Clone(once), version); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s by %s is %s, and then %s (%v)", current, patch, once, twice, err)
		}
		obj, _, err := StrategicPatch{patch}.Apply(bytes.Clone(current), version)
		check("strategic merge patch", obj, err)
	})
}
