package engine_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

func (w *world) tryList(req engine.ListRequest) (engine.List, error) {
	w.Helper()
	if req.Info == nil {
		req.Info = w.info("list", "")
	}
	return w.store.List(w.ctx, req)
}

func (w *world) list(req engine.ListRequest) engine.List {
	w.Helper()
	list, err := w.tryList(req)
	if err != nil {
		w.Fatalf("list %+v: %v", req, err)
	}
	return list
}

func (w *world) selector(labels, fields string) engine.Selector {
	w.Helper()
	s, err := w.store.Resource.ParseSelector(labels, fields)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// names are the names in a list, joined.
func names(list engine.List) string {
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Object.Name())
	}
	return strings.Join(names, " ")
}

// colored creates widgets w0, w1, … with labels n=0, n=1, … and colors in turn.
func (w *world) colored(n int) {
	w.Helper()
	for i := range n {
		color := []string{"red", "blue"}[i%2]
		w.create(fmt.Sprintf(`{"metadata":{"name":"w%d","labels":{"n":"%d","color":"%s"}},"spec":{"color":"%s"}}`, i, i, color, color))
	}
}

// compact makes etcd forget everything before now.
func (w *world) compact() {
	w.Helper()
	revision, err := w.storage.Revision(w.ctx)
	if err == nil {
		_, err = database.Client().Compact(w.ctx, revision)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func TestSelectors(t *testing.T) {
	w := newWorld(t)
	w.colored(4)
	w.create(`{"metadata":{"name":"bare"}}`)
	for _, c := range []struct{ labels, fields, want string }{
		{"", "", "bare w0 w1 w2 w3"},
		{"n=1", "", "w1"},
		{"n==1", "", "w1"},
		{"n!=1", "", "bare w0 w2 w3"},
		{"n", "", "w0 w1 w2 w3"},
		{"!n", "", "bare"},
		{"n in (0,3)", "", "w0 w3"},
		{"n notin (0,3)", "", "bare w1 w2"},
		{"n>1", "", "w2 w3"},
		{"n<1", "", "w0"},
		{"color=red,n>0", "", "w2"},
		{"", "metadata.name=w2", "w2"},
		{"", "metadata.name=none", ""},
		{"", "metadata.name!=w2", "bare w0 w1 w3"},
		{"", "metadata.namespace=ns", "bare w0 w1 w2 w3"},
		{"", "metadata.namespace=other", ""},
		{"", "metadata.namespace=ns,metadata.name=w2", "w2"},
		{"", "spec.color=blue", "w1 w3"},
		{"", "spec.color!=blue", "bare w0 w2"},
		{"n=0", "spec.color=blue", ""},
		{"n=1", "metadata.name=w1", "w1"},
		{"n=1", "metadata.name=w2", ""},
	} {
		if got := names(w.list(engine.ListRequest{Selector: w.selector(c.labels, c.fields)})); got != c.want {
			t.Errorf("labels %q, fields %q: %q, want %q", c.labels, c.fields, got, c.want)
		}
	}
}

// TestSelectorsOfBooleans: what a built-in kind of Kubernetes lacks is false to a selector, what a custom resource lacks is empty.
func TestSelectorsOfBooleans(t *testing.T) {
	for _, builtin := range []bool{true, false} {
		w := newWorld(t, func(r *engine.Resource) {
			compiled, err := schema.Compile([]byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{"big":{"type":"boolean"}}}}}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Versions[0].Schema, r.SelectableFields, r.Traits.SelectAbsentAsFalse = compiled, []string{".spec.big"}, builtin
		})
		w.create(`{"metadata":{"name":"a"},"spec":{"big":true}}`)
		w.create(`{"metadata":{"name":"b"},"spec":{"big":false}}`)
		w.create(`{"metadata":{"name":"c"}}`)
		want := map[string]string{"spec.big=true": "a", "spec.big=false": "b", "spec.big!=true": "b c", "spec.big=": "c"}
		if builtin {
			want = map[string]string{"spec.big=true": "a", "spec.big=false": "b c", "spec.big!=false": "a", "spec.big=": ""}
		}
		for fields, want := range want {
			if got := names(w.list(engine.ListRequest{Selector: w.selector("", fields)})); got != want {
				t.Errorf("%s (built-in: %t): %q, want %q", fields, builtin, got, want)
			}
		}
	}
}

func TestSelectorsThatAreRefused(t *testing.T) {
	r := newWorld(t).store.Resource
	for _, c := range []struct{ labels, fields, want string }{
		{"", "spec.size=1", "field label not supported: spec.size"},
		{"", "status.phase=x", "field label not supported: status.phase"},
		{"a in b", "", "unable to parse label selector"},
		{"", "a~b", "unable to parse field selector"},
	} {
		if _, err := r.ParseSelector(c.labels, c.fields); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("labels %q, fields %q: %v, want %s", c.labels, c.fields, err, c.want)
		}
	}
	r.Namespaced = false
	if _, err := r.ParseSelector("", "metadata.namespace=x"); err == nil || err.Error() != "field label not supported: metadata.namespace" {
		t.Errorf("the namespace of a resource that has none: %v", err)
	}
}

func TestListIsOfOneNamespaceOrAll(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	info := w.info("create", "")
	info.Namespace = "ns2"
	if _, err := w.store.Create(w.ctx, engine.CreateRequest{Info: info, Object: w.object(`{"metadata":{"name":"b"}}`)}); err != nil {
		t.Fatal(err)
	}
	if got := names(w.list(engine.ListRequest{})); got != "a" {
		t.Errorf("one namespace: %q", got)
	}
	all := w.info("list", "")
	all.Namespace = ""
	if got := names(w.list(engine.ListRequest{Info: all})); got != "a b" {
		t.Errorf("all namespaces: %q", got)
	}
	for fields, want := range map[string]string{
		"metadata.name=b": "b", "metadata.namespace=ns2": "b", "metadata.namespace=ns": "a", "metadata.namespace!=ns": "b",
		"metadata.namespace=ns2,metadata.name=b": "b", "metadata.namespace=ns,metadata.name=b": "", "metadata.namespace=n": "", "metadata.namespace=": "",
	} {
		if got := names(w.list(engine.ListRequest{Info: all, Selector: w.selector("", fields)})); got != want {
			t.Errorf("%s in all namespaces: %q, want %q", fields, got, want)
		}
	}
}

func TestPages(t *testing.T) {
	w := newWorld(t)
	w.colored(7)
	first := w.list(engine.ListRequest{Limit: 3})
	if names(first) != "w0 w1 w2" || first.Remaining != 4 || first.Continue == "" {
		t.Fatalf("%q, %d remain", names(first), first.Remaining)
	}
	// What happens between the pages is not seen on them.
	w.delete("w4", engine.DeleteRequest{})
	w.named("w3a")
	second := w.list(engine.ListRequest{Limit: 3, Continue: first.Continue})
	if names(second) != "w3 w4 w5" || second.Remaining != 1 || second.Revision != first.Revision {
		t.Errorf("%q, %d remain, revision %d after %d", names(second), second.Remaining, second.Revision, first.Revision)
	}
	last := w.list(engine.ListRequest{Limit: 3, Continue: second.Continue})
	if names(last) != "w6" || last.Continue != "" || last.Remaining != -1 {
		t.Errorf("%q, continue %q, %d remain", names(last), last.Continue, last.Remaining)
	}
	exact := w.list(engine.ListRequest{Limit: 7})
	if names(exact) != "w0 w1 w2 w3 w3a w5 w6" || exact.Continue != "" {
		t.Errorf("%q, continue %q", names(exact), exact.Continue)
	}
}

func TestPagesOfASelector(t *testing.T) {
	w := newWorld(t)
	w.colored(7)
	var got []string
	req := engine.ListRequest{Limit: 2, Selector: w.selector("color=red", "")}
	for {
		page := w.list(req)
		if page.Remaining != -1 {
			t.Errorf("%d remain, which nobody can know", page.Remaining)
		}
		got = append(got, names(page))
		if req.Continue = page.Continue; req.Continue == "" {
			break
		}
	}
	if strings.Join(got, "|") != "w0 w2|w4 w6" && strings.Join(got, "|") != "w0 w2|w4 w6|" {
		t.Errorf("pages %q", got)
	}
}

func TestContinueTokens(t *testing.T) {
	w := newWorld(t)
	w.colored(4)
	token := w.list(engine.ListRequest{Limit: 2}).Continue
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, bad := range []string{
		"%", encode("{"), encode(`{}`), encode(`{"v":"meta.k8s.io/v2","rv":1,"start":"a"}`), encode(`{"v":"meta.k8s.io/v1","rv":0,"start":"a"}`),
		encode(`{"v":"meta.k8s.io/v1","rv":1,"start":""}`), encode(`{"v":"meta.k8s.io/v1","rv":1,"start":"../../secrets/"}`),
		encode(`{"v":"meta.k8s.io/v1","rv":1,"start":"a//b"}`), encode(`{"v":"meta.k8s.io/v1","rv":1,"start":"//a"}`),
	} {
		_, err := w.tryList(engine.ListRequest{Limit: 2, Continue: bad})
		if failsAs[*engine.BadRequestError](t, err); !strings.HasPrefix(err.Error(), "invalid continue token: continue key is not valid") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	_, err := w.tryList(engine.ListRequest{Limit: 2, Continue: token, ResourceVersion: "5"})
	failsAs[*engine.BadRequestError](t, err)

	w.named("later")
	w.compact()
	_, err = w.tryList(engine.ListRequest{Limit: 2, Continue: token})
	expired := failsAs[*engine.ExpiredError](t, err)
	if !strings.HasPrefix(expired.Message, "The provided continue parameter is too old") {
		t.Error(expired.Message)
	}
	// The list goes on where it was, with what is there by now, and its further pages are consistent again.
	rest := w.list(engine.ListRequest{Limit: 2, Continue: expired.Continue})
	if names(rest) != "w2 w3" || rest.Continue != "" {
		t.Errorf("the rest is %q, continue %q", names(rest), rest.Continue)
	}
	rest = w.list(engine.ListRequest{Limit: 1, Continue: expired.Continue})
	w.delete("w3", engine.DeleteRequest{})
	if last := w.list(engine.ListRequest{Limit: 1, Continue: rest.Continue}); names(rest) != "w2" || names(last) != "w3" {
		t.Errorf("the rest is %q and %q", names(rest), names(last))
	}
}

func TestResourceVersionsOfAList(t *testing.T) {
	w := newWorld(t)
	old := w.named("a")
	w.delete("a", engine.DeleteRequest{})
	now := w.named("b")
	for _, c := range []struct {
		version string
		match   engine.ResourceVersionMatch
		limit   int64
		want    string
	}{
		{"", "", 0, "b"},
		{"0", "", 0, "b"},
		{"0", engine.NotOlderThan, 0, "b"},
		{old.ResourceVersion(), "", 0, "b"},
		{old.ResourceVersion(), engine.NotOlderThan, 0, "b"},
		{old.ResourceVersion(), engine.Exact, 0, "a"},
		{now.ResourceVersion(), engine.Exact, 0, "b"},
		{now.ResourceVersion(), engine.Exact, 1, "b"},
		// A limit alone makes a resourceVersion exact.
		{old.ResourceVersion(), "", 1, "a"},
		{old.ResourceVersion(), engine.NotOlderThan, 1, "b"},
		{"0", "", 1, "b"},
	} {
		if got := names(w.list(engine.ListRequest{ResourceVersion: c.version, Match: c.match, Limit: c.limit})); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	// One object by its name, at a version that is not the newest.
	for _, c := range []struct {
		version, name, want string
		match               engine.ResourceVersionMatch
	}{{old.ResourceVersion(), "a", "a", engine.Exact}, {old.ResourceVersion(), "b", "", engine.Exact}, {old.ResourceVersion(), "a", "", ""}, {"", "b", "b", ""}} {
		list := w.list(engine.ListRequest{ResourceVersion: c.version, Match: c.match, Selector: w.selector("", "metadata.name="+c.name)})
		if got := names(list); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		if c.match == engine.Exact && fmt.Sprint(list.Revision) != c.version {
			t.Errorf("%+v: the list is of revision %d", c, list.Revision)
		}
	}
	for _, c := range []engine.ListRequest{
		{Match: engine.Exact}, {Match: engine.NotOlderThan}, {ResourceVersion: "0", Match: engine.Exact}, {ResourceVersion: "5", Match: "Sometime"}, {ResourceVersion: "x"},
	} {
		if _, err := w.tryList(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	future := fmt.Sprint(int64(1) << 60)
	for _, match := range []engine.ResourceVersionMatch{"", engine.NotOlderThan, engine.Exact} {
		_, err := w.tryList(engine.ListRequest{ResourceVersion: future, Match: match})
		failsAs[*engine.TooLargeVersionError](t, err)
	}
	w.compact()
	_, err := w.tryList(engine.ListRequest{ResourceVersion: old.ResourceVersion(), Match: engine.Exact})
	failsAs[*engine.ExpiredError](t, err)
}

func TestGet(t *testing.T) {
	w := newWorld(t)
	obj := w.named("a")
	for _, version := range []string{"", "0", obj.ResourceVersion(), "1"} {
		got, err := w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", "a"), ResourceVersion: version})
		if err != nil || string(got) != string(obj) {
			t.Errorf("%q: %s %v", version, got, err)
		}
	}
	_, err := w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", "a"), ResourceVersion: fmt.Sprint(int64(1) << 60)})
	failsAs[*engine.TooLargeVersionError](t, err)
	_, err = w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", "a"), ResourceVersion: "x"})
	failsAs[*engine.BadRequestError](t, err)
}

// TestStoredValuesThatCannotBeRead: a foreign value is an error that names its key.
func TestStoredValuesThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.named("a")
	for _, value := range []string{"", "k8s\x00\x01", "[1]", `{"a":`} {
		key := "/example.com/widgets/ns/foreign"
		revision, err := w.storage.Create(w.ctx, key, []byte(value), engine.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.tryList(engine.ListRequest{})
		if got := failsAs[*engine.StoredValueError](t, err).Key; got != key {
			t.Errorf("key %s", got)
		}
		if _, err := w.storage.Delete(w.ctx, key, revision, engine.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}
