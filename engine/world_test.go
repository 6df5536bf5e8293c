package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/engine/etcd"
	"github.com/stratagem-dev/stratagem/engine/schema"
)

// database is the etcd that all tests of the package share, each below a prefix of its own.
var database *etcd.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if database, err = etcd.Start(etcd.EmbedConfig{DataDir: dir, NoSync: true}); err != nil {
		panic(err)
	}
	defer database.Close()
	return m.Run()
}

// script is a strategy whose hooks are functions. A hook that fails returns an error, one that rejects fills the reply.
type script map[engine.Hook]func(call *engine.Call, reply *engine.Reply) error

func (s script) Hooks() (set engine.Hooks) {
	for hook := range s {
		set |= engine.HooksOf(hook)
	}
	return set
}

func (s script) Run(_ context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	now, reply := *call, engine.Reply{Object: call.Object}
	for hook := engine.Default; hook <= engine.LastHook; hook++ {
		if s[hook] == nil || !hooks.Has(hook) {
			continue
		}
		now.Object = reply.Object
		if err := s[hook](&now, &reply); err != nil {
			return engine.Reply{}, err
		}
		if len(reply.Errors) > 0 || reply.Refusal != nil {
			break
		}
	}
	return reply, nil
}

// sets is a mutating hook that sets a field.
func sets(key, raw string) func(*engine.Call, *engine.Reply) error {
	return func(call *engine.Call, reply *engine.Reply) error {
		reply.Object = call.Object.With(key, []byte(raw))
		return nil
	}
}

// rejects is a validating hook that finds a field wrong.
func rejects(path, detail string) func(*engine.Call, *engine.Reply) error {
	return func(_ *engine.Call, reply *engine.Reply) error {
		reply.Errors = field.ErrorList{field.Invalid(field.NewPath(path), "x", detail)}
		return nil
	}
}

// warns is a hook that warns.
func warns(text string) func(*engine.Call, *engine.Reply) error {
	return func(_ *engine.Call, reply *engine.Reply) error {
		reply.Warnings = append(reply.Warnings, text)
		return nil
	}
}

// breaks is a hook that fails.
func breaks(*engine.Call, *engine.Reply) error {
	return &engine.HookError{Plugin: "widgets", Hook: "?", Kind: engine.FailedError, Err: errors.New("boom")}
}

// widgetSchema is a small schema with something of everything.
const widgetSchema = `{"type":"object","properties":{
	"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},
	"spec":{"type":"object","properties":{
		"size":{"type":"integer"},"color":{"type":"string","default":"red"},"replicas":{"type":"integer"},
		"parts":{"type":"array","x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge",
			"items":{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}}}}}},
	"status":{"type":"object","properties":{"phase":{"type":"string"},"replicas":{"type":"integer"}}}}}`

// world is a store of widgets.example.com over etcd.
type world struct {
	*testing.T
	store   *engine.Store
	storage *etcd.Storage
	ctx     context.Context
}

var worlds atomic.Int64

// newWorld makes a store; change makes its resource another one.
func newWorld(t *testing.T, change ...func(*engine.Resource)) *world {
	t.Helper()
	compiled, err := schema.Compile(json.RawMessage(widgetSchema), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &engine.Resource{
		Group: "example.com", Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList", Namespaced: true,
		KeyRoot: "/example.com/widgets", SelectableFields: []string{".spec.color"},
		Versions:     []engine.Version{{Name: "v1", Served: true, Storage: true, Schema: compiled}},
		Subresources: []engine.Subresource{{Name: "status"}},
		Traits:       engine.Traits{AllowUnconditionalUpdate: true, GenerationOnSpecChange: true},
	}
	for _, c := range change {
		c(r)
	}
	storage := database.Storage(fmt.Sprintf("/world%d", worlds.Add(1)))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return &world{T: t, store: engine.NewStore(r, storage, engine.Options{}), storage: storage, ctx: ctx}
}

// hooked gives the resource a strategy.
func hooked(s engine.Strategy) func(*engine.Resource) {
	return func(r *engine.Resource) { r.Strategy = s }
}

func (w *world) info(verb, name string) *engine.RequestInfo {
	r := w.store.Resource
	info := &engine.RequestInfo{Verb: verb, Group: r.Group, Version: "v1", Resource: r.Plural, Name: name, Time: time.Now()}
	if r.Namespaced {
		info.Namespace = "ns"
	}
	return info
}

// object is canonical bytes.
func (w *world) object(text string) engine.Object {
	w.Helper()
	obj, _, err := engine.ParseObject([]byte(text))
	if err != nil {
		w.Fatalf("%s: %v", text, err)
	}
	return obj
}

func (w *world) tryCreate(text string) (engine.Result, error) {
	w.Helper()
	return w.store.Create(w.ctx, engine.CreateRequest{Info: w.info("create", ""), Object: w.object(text)})
}

func (w *world) create(text string) engine.Object {
	w.Helper()
	result, err := w.tryCreate(text)
	if err != nil {
		w.Fatalf("create %s: %v", text, err)
	}
	return result.Object
}

// named creates a widget of which only the name matters.
func (w *world) named(name string) engine.Object {
	w.Helper()
	return w.create(`{"metadata":{"name":"` + name + `"}}`)
}

func (w *world) change(name, subresource string, change engine.Change) (engine.Result, error) {
	w.Helper()
	info := w.info("update", name)
	info.Subresource = subresource
	return w.store.Update(w.ctx, engine.UpdateRequest{Info: info, Change: change})
}

func (w *world) tryPut(name, text string) (engine.Result, error) {
	w.Helper()
	return w.change(name, "", engine.Replace{Object: w.object(text)})
}

func (w *world) put(name, text string) engine.Object {
	w.Helper()
	result, err := w.tryPut(name, text)
	if err != nil {
		w.Fatalf("update %s: %v", text, err)
	}
	return result.Object
}

func (w *world) get(name string) engine.Object {
	w.Helper()
	obj, err := w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", name)})
	if err != nil {
		w.Fatalf("get %s: %v", name, err)
	}
	return obj
}

func (w *world) isGone(name string) {
	w.Helper()
	_, err := w.store.Get(w.ctx, engine.GetRequest{Info: w.info("get", name)})
	failsAs[*engine.NotFoundError](w.T, err)
}

// writesNothing runs something that must leave the storage alone.
func (w *world) writesNothing(what func()) {
	w.Helper()
	before := w.revision()
	what()
	if after := w.revision(); after != before {
		w.Errorf("something was written: revision %d became %d", before, after)
	}
}

func (w *world) revision() int64 {
	w.Helper()
	page, err := w.storage.List(w.ctx, "/", engine.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	// Other tests may write below their own prefixes: the newest change below this one counts, and how many keys there are.
	newest := int64(len(page.Items)) << 40
	for _, item := range page.Items {
		newest = max(newest, int64(len(page.Items))<<40|item.Revision)
	}
	return newest
}

// is compares a field of an object, given by its path ("metadata.name"), with its raw JSON; "" wants it absent.
func is(t *testing.T, obj engine.Object, path, want string) {
	t.Helper()
	if got := gjson.GetBytes(obj, path).Raw; got != want {
		t.Errorf("%s is %s, want %s in %s", path, got, want, obj)
	}
}

// failsAs wants an error of a type.
func failsAs[T error](t *testing.T, err error) (target T) {
	t.Helper()
	if !errors.As(err, &target) {
		t.Fatalf("error %T %v, want %T", err, err, target)
	}
	return target
}

// fails wants an error of a type and its text.
func fails[T error](t *testing.T, err error, text string) {
	t.Helper()
	if failsAs[T](t, err); err.Error() != text {
		t.Errorf("error\n  got  %s\n  want %s", err, text)
	}
}

// invalid wants a 422 with a text in its causes.
func invalid(t *testing.T, err error, text string) {
	t.Helper()
	if got := failsAs[*engine.InvalidError](t, err).Errors.ToAggregate().Error(); !strings.Contains(got, text) {
		t.Errorf("causes\n  got  %s\n  want %s", got, text)
	}
}
