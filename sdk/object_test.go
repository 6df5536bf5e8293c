package sdk

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func object(t *testing.T, text string) *Object {
	t.Helper()
	obj, err := ParseObject(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return obj
}

func TestParseObjectRefuses(t *testing.T) {
	for _, text := range []string{"", " ", "null", "1", `"{}"`, "[]", "{", `{"a":}`, `{"a":1}x`, `{"a":1,}`, "{}{}", `{'a':1}`} {
		if obj, err := ParseObject(text); !errors.Is(err, ErrNotObject) {
			t.Errorf("%q: %v, %v", text, obj, err)
		}
	}
}

// oddKeys mean something in the paths of gjson or sjson, or to JSON.
var oddKeys = []string{
	"", "a", "spec", "app.kubernetes.io/name", ".", "..", "a.b", "*", "?", "a*", "|", "#", "@this", "@", "!", "!x", "~", "\\", "\\.", `"`, "\n", "é",
	"{", "[", "[0]", "#(a==1)", ":", ":1", "0", "1", "-1", "00", "1.5", "a|b", "x\\", "\u2028", "<&>", "{a,b}", "%", "a:b", "\x7f",
}

func TestOddKeys(t *testing.T) {
	for _, key := range oddKeys {
		for _, depth := range [][]string{{key}, {"spec", key}, {key, "spec"}, {key, key}} {
			obj := object(t, `{"spec":{"other":1},"z":[1]}`)
			if obj.Exists(depth...) != (len(depth) == 1 && key == "spec") {
				t.Errorf("%q exists before it is set", depth)
			}
			obj.Set("value", depth...)
			if got := obj.Get(depth...).String(); got != "value" {
				t.Errorf("%q: got %q of %s", depth, got, obj.Raw())
			}
			obj.Set(2, depth...)
			obj = object(t, obj.Raw())
			if got := obj.Get(depth...).Int(); got != 2 {
				t.Errorf("%q: got %d of %s", depth, got, obj.Raw())
			}
			obj.Delete(depth...)
			if obj.Exists(depth...) || !obj.Exists("z", "0") || !json.Valid([]byte(obj.Raw())) {
				t.Errorf("%q: left %s", depth, obj.Raw())
			}
		}
	}
}

// TestAgainstTree makes random changes to an Object and to a tree and compares them.
func TestAgainstTree(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	keys := append([]string{"b", "c", "list", "0", "1", "2"}, oddKeys...)
	for range 1000 {
		obj := object(t, `{"a":{"b":{"c":1},"list":[{"x":1},2,[3]]},"list":[],"s":"text"}`)
		var tree any
		if err := json.Unmarshal([]byte(obj.Raw()), &tree); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			path := make([]string, 1+random.Intn(4))
			for i := range path {
				path[i] = keys[random.Intn(len(keys))]
				switch random.Intn(4) {
				case 0, 1:
					path[i] = []string{"a", "b", "list", "s"}[random.Intn(4)]
				case 2:
					path[i] = strconv.Itoa(random.Intn(3))
				}
			}
			before := obj.Raw()
			if random.Intn(3) == 0 {
				obj.Delete(path...)
				tree = deleteIn(tree, path)
			} else {
				value := []any{"v", 1.0, nil, map[string]any{}, []any{"i"}}[random.Intn(5)]
				obj.Set(value, path...)
				tree = setIn(tree, path, value)
			}
			var got any
			if err := json.Unmarshal([]byte(obj.Raw()), &got); err != nil || !reflect.DeepEqual(got, tree) {
				want, _ := json.Marshal(tree)
				t.Fatalf("%q in\n%s makes\n%s, want\n%s", path, before, obj.Raw(), want)
			}
		}
	}
}

// setIn is Set on a tree.
func setIn(tree any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	if list, ok := tree.([]any); ok && isIndex(path[0]) {
		n, _ := strconv.Atoi(path[0])
		if n >= len(list) {
			return append(list, setIn(nil, path[1:], value))
		}
		list[n] = setIn(list[n], path[1:], value)
		return list
	}
	m, ok := tree.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	m[path[0]] = setIn(m[path[0]], path[1:], value)
	return m
}

// deleteIn is Delete on a tree.
func deleteIn(tree any, path []string) any {
	switch tree := tree.(type) {
	case map[string]any:
		if child, ok := tree[path[0]]; ok && len(path) > 1 {
			tree[path[0]] = deleteIn(child, path[1:])
		} else if ok {
			delete(tree, path[0])
		}
	case []any:
		n, _ := strconv.Atoi(path[0])
		if !isIndex(path[0]) || n >= len(tree) {
			return tree
		}
		if len(path) > 1 {
			tree[n] = deleteIn(tree[n], path[1:])
			return tree
		}
		return append(tree[:n:n], tree[n+1:]...)
	}
	return tree
}

func TestSetKeepsTheRest(t *testing.T) {
	obj := object(t, ` { "n" : 1.50e3 , "s" : "\u0041" , "o" : { "b" : 1, "a" : [ ] } } `)
	obj.Set(1, "o", "c")
	obj.Set(true, "new", "deep")
	if got, want := obj.Raw(), `{"n":1.50e3,"s":"\u0041","o":{ "b" : 1, "a" : [ ] ,"c":1},"new":{"deep":true}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestUnchanged(t *testing.T) {
	const text = `{"a":{"b":"x","c":null},"l":[{"d":1}]}`
	obj := object(t, text)
	obj.Set("x", "a", "b")
	obj.SetDefault("y", "a", "b")
	obj.Delete("a", "nothing")
	obj.Delete("nothing", "at", "all")
	for range obj.Edit("a") {
	}
	for _, item := range obj.EditEach("l") {
		item.SetDefault(2, "d")
	}
	if obj.changed || obj.Raw() != text {
		t.Errorf("changed: %v, %s", obj.changed, obj.Raw())
	}
	if !obj.SetDefault("y", "a", "c") || !obj.changed {
		t.Error("a null was taken for a value")
	}
}

func TestEdit(t *testing.T) {
	obj := object(t, `{"spec":{"template":{"spec":{"containers":[{"name":"a"},7,{"name":"b","ports":[{}]}]}}}}`)
	kept := obj.Get("spec", "template", "spec", "containers")
	for spec := range obj.Edit("spec", "template", "spec") {
		spec.SetDefault("Always", "restartPolicy")
		for i, container := range spec.EditEach("containers") {
			container.Set(i, "i")
			for _, port := range container.EditEach("ports") {
				port.SetDefault("TCP", "protocol")
			}
		}
	}
	for range obj.Edit("status") {
		t.Error("an absent object was handed out")
	}
	for range obj.EditEach("spec") {
		t.Error("an item of what is no array was handed out")
	}
	want := `{"spec":{"template":{"spec":{"containers":[{"name":"a","i":0},7,{"name":"b","ports":[{"protocol":"TCP"}],"i":2}],"restartPolicy":"Always"}}}}`
	if obj.Raw() != want {
		t.Errorf("%s, want %s", obj.Raw(), want)
	}
	if got := kept.Raw(); got != `[{"name":"a"},7,{"name":"b","ports":[{}]}]` {
		t.Errorf("a value changed with its object: %s", got)
	}
}

func TestEditEachStops(t *testing.T) {
	obj := object(t, `{"l":[{},{},{}]}`)
	for i, item := range obj.EditEach("l") {
		item.Set(i, "i")
		if i == 1 {
			break
		}
	}
	if got := obj.Raw(); got != `{"l":[{"i":0},{"i":1},{}]}` {
		t.Error(got)
	}
}

func TestAppend(t *testing.T) {
	obj := object(t, `{"null":null,"empty":[ ],"full":[1 ]}`)
	for _, key := range []string{"null", "empty", "full", "absent"} {
		obj.Append("x", key)
	}
	obj.Append("y", "absent")
	if got := obj.Raw(); got != `{"null":["x"],"empty":["x"],"full":[1,"x"],"absent":["x","y"]}` {
		t.Error(got)
	}
}

func TestCopy(t *testing.T) {
	obj := object(t, `{"a":{"b":1}}`)
	obj.Set(2, "c")
	c := obj.Copy()
	c.Set(3, "a", "b")
	c.Delete("c")
	obj.Set(4, "d")
	if obj.Raw() != `{"a":{"b":1},"c":2,"d":4}` || c.Raw() != `{"a":{"b":3}}` {
		t.Errorf("%s and %s", obj.Raw(), c.Raw())
	}
}

func TestDeleteFromAnArray(t *testing.T) {
	obj := object(t, `{"a":{"l":[1,"0",{"x":1}]}}`)
	obj.Delete("a", "l", "3")
	obj.Delete("a", "l", "-1")
	obj.Delete("a", "l", "1")
	obj.Delete("a", "l", "1", "x")
	if got := obj.Raw(); got != `{"a":{"l":[1,{}]}}` {
		t.Error(got)
	}
	obj.Delete("a", "l", "0")
	obj.Delete("a", "l", "0")
	if got := obj.Raw(); got != `{"a":{"l":[]}}` {
		t.Error(got)
	}
}

func TestSetOfAnUnknownType(t *testing.T) {
	defer func() {
		if got, _ := recover().(string); !strings.Contains(got, "spec.x") {
			t.Errorf("panic %q", got)
		}
	}()
	object(t, `{}`).Set(struct{}{}, "spec", "x")
}

func TestMetadata(t *testing.T) {
	obj := object(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","generateName":"g","namespace":"ns","uid":"u","resourceVersion":"7",
		"generation":3,"labels":{"app.kubernetes.io/name":"l"},"annotations":{"a/b.c":"d"},"deletionTimestamp":"2024-01-01T00:00:00Z"}}`)
	got := []string{obj.APIVersion(), obj.Kind(), obj.Name(), obj.GenerateName(), obj.Namespace(), obj.UID(), obj.ResourceVersion(),
		obj.Label("app.kubernetes.io/name"), obj.Annotation("a/b.c"), obj.Labels()["app.kubernetes.io/name"], obj.Annotations()["a/b.c"], obj.Label("x")}
	if want := []string{"v1", "Pod", "n", "g", "ns", "u", "7", "l", "d", "l", "d", ""}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if obj.Generation() != 3 || !obj.BeingDeleted() || object(t, `{}`).BeingDeleted() || object(t, `{}`).Labels() != nil {
		t.Error("generation, deletion or labels")
	}
}

func TestValue(t *testing.T) {
	v := ParseValue(`{"s":"é\n","n":-9007199254740993,"f":1.5,"t":true,"z":null,"l":["a",1,null],"m":{"k.1":"v","j":2}}`)
	if v.Get("n").Int() != -9007199254740993 || v.Get("f").Float() != 1.5 || v.Get("f").Int() != 1 || !v.Get("t").Bool() || v.Get("s").String() != "é\n" {
		t.Error("scalars")
	}
	if v.Get("s").Int() != 0 || v.Get("s").Bool() || v.Get("z").String() != "" || v.Get("l").String() != `["a",1,null]` {
		t.Error("scalars of other types")
	}
	if !v.Get("z").Exists() || !v.Get("z").IsNull() || !v.Get("y").IsNull() || v.Get("y").Exists() || v.Get("s", "x").Exists() || v.Get("l", "a").Exists() {
		t.Error("presence")
	}
	if !reflect.DeepEqual(v.Get("l").Strings(), []string{"a", "1", ""}) || v.Get("m").Strings() != nil || v.Get("l").Len() != 3 || v.Get("m").Len() != 2 || v.Get("s").Len() != 0 {
		t.Error("lists")
	}
	if !reflect.DeepEqual(v.Get("m").StringMap(), map[string]string{"k.1": "v", "j": "2"}) || v.Get("l").StringMap() != nil {
		t.Error("maps")
	}
	if v.Get("l", "1").Int() != 1 || v.Get("l", "01").Exists() || v.Get("l", "3").Exists() || v.Get("l", "-1").Exists() || v.Get("l", "#").Exists() {
		t.Error("indexes")
	}
}
