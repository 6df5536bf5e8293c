package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// odd are texts at the borders of what names, labels and keys may be.
var odd = []string{
	"", "a", "A", "-", "a-", "-a", "a.b", "a..b", ".a", "a_b", "a.B", "é", "a/b", "a/b/c", "/a", "a/", "A/b", "x y", `q\"`, "0", "example.com/Team",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 127) + "a", strings.Repeat("a", 63) + "/" + strings.Repeat("b", 63),
}

// TestPlainMetadataIsValid holds the short way to apimachinery's validation: what it lets through has no errors there.
func TestPlainMetadataIsValid(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	text := func() string {
		if random.IntN(2) == 0 {
			return "a"
		}
		return odd[random.IntN(len(odd))]
	}
	store := &Store{Resource: &Resource{Namespaced: true}}
	plain := 0
	for range 30_000 {
		meta := fmt.Sprintf(`{"annotations":{%q:"%s"},"creationTimestamp":"2026-01-02T03:04:05Z","generation":%d,"labels":{%q:"%s"},"name":"%s","namespace":"%s","uid":"u"}`,
			text(), text(), random.IntN(3)-1, text(), text(), text(), text())
		canonical, _, err := Canonical([]byte(meta))
		if err != nil {
			t.Fatal(err)
		}
		fields := ParseFields(canonical)
		for _, key := range []string{"annotations", "generation", "labels", "namespace"} {
			if random.IntN(3) == 0 {
				fields.Set(key, nil)
			}
		}
		if !plainMeta(fields, true) {
			continue
		}
		plain++
		decoded, err := objectMeta(fields)
		if err != nil {
			t.Fatalf("%s: %v", fields.Raw(), err)
		}
		if errs := store.commonErrors(decoded); len(errs) > 0 {
			t.Fatalf("%s is let through: %v", fields.Raw(), errs)
		}
		if other := fields.Copy(); random.IntN(2) == 0 {
			other.SetString("uid", text())
			if same := string(other.Get("uid")) == string(fields.Get("uid")); plainMetaUpdate(other, fields) != same {
				t.Fatalf("%s after %s: got %v", other.Raw(), fields.Raw(), !same)
			}
		}
	}
	if plain < 500 {
		t.Errorf("only %d of the cases are plain", plain)
	}
}

func TestUsualMetadataIsPlain(t *testing.T) {
	const meta = `{"annotations":{"example.com/note":"any “text”"},"creationTimestamp":"2026-01-02T03:04:05Z","generation":1,` +
		`"labels":{"app":"web","app.kubernetes.io/part-of":"shop"},"name":"web-1.example","namespace":"default","uid":"7f9c"}`
	if fields := ParseFields([]byte(meta)); !plainMeta(fields, true) || plainMeta(fields, false) {
		t.Errorf("%s is taken for odd, or for that of an object without a namespace", meta)
	}
	for _, special := range []string{`"finalizers":["a"]`, `"ownerReferences":[]`, `"deletionTimestamp":"2026-01-02T03:04:05Z"`, `"generateName":"a"`, `"labels":null`, `"labels":{"a":1}`} {
		raw, _, err := Canonical([]byte(`{"name":"a","namespace":"b",` + special + `}`))
		if err != nil || plainMeta(ParseFields(raw), true) {
			t.Errorf("%s is taken for plain (%v)", raw, err)
		}
	}
}

func TestPartsPutTheObjectTogetherAgain(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"v1","metadata":{"labels":{"a":"}"},"name":"a"},"spec":{"metadata":{"name":"b"}}}`, `{"metadata":{}}`,
	} {
		p := Object(text).parts()
		if got := p.object(); string(got) != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	bare := Object(`{"kind":"A","spec":1}`).parts()
	bare.meta.SetString("name", "a")
	if got, want := string(bare.object()), `{"kind":"A","metadata":{"name":"a"},"spec":1}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOwnedAndUnowned(t *testing.T) {
	for bare, whole := range map[string]string{
		`{"metadata":{"labels":{},"name":"a"}}`: `{"metadata":{"labels":{},"managedFields":[{"manager":"m"}],"name":"a"}}`,
		`{"metadata":{"labels":{}},"spec":1}`:   `{"metadata":{"labels":{},"managedFields":[{"manager":"m"}]},"spec":1}`,
		`{"metadata":{"name":"a"}}`:             `{"metadata":{"managedFields":[{"manager":"m"}],"name":"a"}}`,
		`{"metadata":{}}`:                       `{"metadata":{"managedFields":[{"manager":"m"}]}}`,
	} {
		if got := Object(whole).Unowned(); string(got) != bare {
			t.Errorf("got %s, want %s", got, bare)
		}
		if got := Object(bare).Owned(Object(whole).ManagedFields()); string(got) != whole {
			t.Errorf("got %s, want %s", got, whole)
		}
	}
}
