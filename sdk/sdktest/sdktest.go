// Package sdktest runs a strategy's hooks in plain go test, in the order in which the server runs
// them and through the same frames.
//
//	run := sdktest.New(Strategy{})
//	got := run.Create(sdktest.Object(t, `{"spec":{"image":""}}`))
//	sdktest.WantErrors(t, got, "spec.image: Required value")
package sdktest

import (
	"testing"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// Run runs the hooks of one strategy.
type Run struct {
	// Request is what the hooks see in their Context. New fills in what a test rarely cares for.
	Request sdk.Context
	// Others are what the hooks may read beside the object of the request.
	Others Others

	module *sdk.Module
	hooks  uint64
}

// New is a Run of a strategy, the value of sdk.Resource or sdk.Subresource.
func New(strategy any) *Run {
	module := sdk.NewModule(sdk.Plugin{Name: "test", Resources: []sdk.Resource{{Resource: "tests", Strategy: strategy}}})
	r := &Run{module: module, Request: sdk.Context{
		Version: "v1", Namespace: "default", User: sdk.User{Name: "tester"}, Time: "2024-01-01T00:00:00Z",
	}}
	module.SetReader(func(query string) string { return r.Others.read(query) })
	for _, name := range gjson.GetBytes(module.Describe(), "resources.0.hooks").Array() {
		r.hooks |= 1 << numbers[name.Str]
	}
	return r
}

// Result is what came of a run.
type Result struct {
	Object   *sdk.Object // as it would be stored; as far as it came when there are errors
	Errors   field.ErrorList
	Warnings []string
	Message  string       // of CreateSubresource
	Refusal  *sdk.Refusal // of CreateSubresource
	Failure  string       // what a hook reported by Context.Fail or as its error
}

// Object parses a JSON text or ends the test.
func Object(t testing.TB, json string) *sdk.Object {
	t.Helper()
	obj, err := sdk.ParseObject(json)
	if err != nil {
		t.Fatalf("%v: %s", err, json)
	}
	return obj
}

// The numbers of the hooks in the guest ABI.
var numbers = map[string]uint{
	"Default": 1, "PrepareForCreate": 2, "Validate": 3, "WarningsOnCreate": 4, "PrepareForUpdate": 5, "ValidateUpdate": 6,
	"WarningsOnUpdate": 7, "Canonicalize": 8, "CheckGracefulDelete": 9, "CreateSubresource": 10, "ConvertToTable": 11, "Convert": 12,
	"TTL": 13, "Decorate": 14, "ShouldDeleteDuringUpdate": 15,
}

// Create runs Default, PrepareForCreate, Validate, WarningsOnCreate and Canonicalize.
func (r *Run) Create(obj *sdk.Object) Result {
	return r.lifecycle("create", obj, nil, "Default", "PrepareForCreate", "Validate", "WarningsOnCreate", "Canonicalize")
}

// Update runs Default, PrepareForUpdate, ValidateUpdate, WarningsOnUpdate and Canonicalize on obj,
// which is to replace old.
func (r *Run) Update(obj, old *sdk.Object) Result {
	return r.lifecycle("update", obj, old, "Default", "PrepareForUpdate", "ValidateUpdate", "WarningsOnUpdate", "Canonicalize")
}

// Default runs Default alone, as on objects read from storage.
func (r *Run) Default(obj *sdk.Object) Result {
	return r.lifecycle("get", obj, nil, "Default")
}

// lifecycle runs those of the named hooks that exist, one call each as the server's explain does.
func (r *Run) lifecycle(verb string, obj, old *sdk.Object, hooks ...string) Result {
	result := Result{Object: obj.Copy()}
	for _, name := range hooks {
		if r.hooks&(1<<numbers[name]) == 0 {
			continue
		}
		reply := r.invoke(verb, name, result.Object, old, "", nil)
		result.take(reply)
		if reply.outcome() != 0 {
			break
		}
	}
	return result
}

// CreateSubresource posts body to the subresource of parent.
func (r *Run) CreateSubresource(parent, body *sdk.Object) Result {
	result := Result{Object: parent.Copy()}
	result.take(r.invoke("create", "CreateSubresource", parent, nil, body.Raw(), nil))
	return result
}

// CheckGracefulDelete asks about the deletion of obj with the given DeleteOptions, which may be nil.
// grace is nil when there is no grace period.
func (r *Run) CheckGracefulDelete(obj, options *sdk.Object) (graceful bool, grace *int64) {
	raw := ""
	if options != nil {
		raw = options.Raw()
	}
	result := gjson.Parse(r.invoke("delete", "CheckGracefulDelete", obj, nil, raw, nil)[4])
	if seconds := result.Get("gracePeriodSeconds"); seconds.Exists() {
		n := seconds.Int()
		grace = &n
	}
	return result.Get("graceful").Bool(), grace
}

// ConvertToTable returns the rows as JSON texts: [["a",1],["b",2]].
func (r *Run) ConvertToTable(items ...*sdk.Object) string {
	return r.invoke("list", "ConvertToTable", nil, nil, "", items)[4]
}

// TTL is how many seconds obj is to live; old is nil on a create.
func (r *Run) TTL(obj, old *sdk.Object) int64 {
	return gjson.Parse(r.invoke("update", "TTL", obj, old, "", nil)[4]).Int()
}

// Decorate returns obj as clients are to see it.
func (r *Run) Decorate(obj *sdk.Object) *sdk.Object {
	shown, _ := sdk.ParseObject(r.invoke("get", "Decorate", nil, nil, "", []*sdk.Object{obj})[5])
	return shown
}

// ShouldDeleteDuringUpdate asks whether the update from old to obj completes the deletion.
func (r *Run) ShouldDeleteDuringUpdate(obj, old *sdk.Object) bool {
	return r.invoke("update", "ShouldDeleteDuringUpdate", obj, old, "", nil)[4] == "true"
}

// Convert returns obj converted to another apiVersion.
func (r *Run) Convert(obj *sdk.Object, desiredAPIVersion string) Result {
	options := string(jsontext.AppendString([]byte(`{"desiredAPIVersion":`), desiredAPIVersion)) + "}"
	reply := r.invoke("get", "Convert", nil, nil, options, []*sdk.Object{obj})
	result := Result{Object: obj.Copy()}
	result.take(reply)
	if len(reply) > 5 {
		result.Object, _ = sdk.ParseObject(reply[5])
	}
	return result
}
