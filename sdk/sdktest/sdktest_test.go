package sdktest_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// recorder writes what runs, and for whom, into the object.
type recorder struct{}

func (recorder) Default(ctx *sdk.Context, obj *sdk.Object) {
	obj.Append("default "+ctx.Verb+" "+ctx.Name+" "+ctx.User.Name, "ran")
	if obj.Exists("fail") {
		ctx.Fail(errors.New("failed"))
	}
}
func (recorder) PrepareForCreate(_ *sdk.Context, obj *sdk.Object)    { obj.Append("create", "ran") }
func (recorder) PrepareForUpdate(_ *sdk.Context, obj, _ *sdk.Object) { obj.Append("update", "ran") }
func (recorder) Validate(_ *sdk.Context, obj *sdk.Object) field.ErrorList {
	if obj.Exists("bad") {
		return field.ErrorList{field.Invalid(field.NewPath("bad"), obj.Get("bad"), "no"), field.TooMany(field.NewPath("x"), -1, 1)}
	}
	return nil
}
func (recorder) ValidateUpdate(_ *sdk.Context, obj, old *sdk.Object) field.ErrorList {
	if !obj.Get("fixed").Equal(old.Get("fixed")) {
		return field.ErrorList{field.Forbidden(field.NewPath("fixed"), "")}
	}
	return nil
}
func (recorder) WarningsOnCreate(*sdk.Context, *sdk.Object) []string { return []string{"new"} }
func (recorder) WarningsOnUpdate(_ *sdk.Context, _, _ *sdk.Object) []string {
	return []string{"changed"}
}
func (recorder) Canonicalize(_ *sdk.Context, obj *sdk.Object) { obj.Append("canonical", "ran") }
func (recorder) CheckGracefulDelete(_ *sdk.Context, _ *sdk.Object, options *sdk.DeleteOptions) bool {
	return options.GracePeriodSeconds != nil
}
func (recorder) CreateSubresource(_ *sdk.Context, parent, body *sdk.Object) (string, error) {
	if body.Exists("no") {
		return "", sdk.Conflict("not now")
	}
	parent.Set(body.Get("to"), "to")
	return "done", nil
}
func (recorder) ConvertToTable(_ *sdk.Context, items []*sdk.Object) (rows [][]sdk.Cell) {
	for _, item := range items {
		rows = append(rows, []sdk.Cell{item.Name()})
	}
	return rows
}
func (recorder) Convert(_ *sdk.Context, obj *sdk.Object, _ string) error {
	obj.Set(1, "converted")
	return nil
}

func TestCreate(t *testing.T) {
	run := sdktest.New(recorder{})
	obj := sdktest.Object(t, `{"metadata":{"name":"n"}}`)
	got := run.Create(obj)
	sdktest.WantErrors(t, got)
	if ran := got.Object.Get("ran").Raw(); ran != `["default create n tester","create","canonical"]` || obj.Exists("ran") {
		t.Errorf("ran %s; the object given is %s", ran, obj.Raw())
	}
	if !reflect.DeepEqual(got.Warnings, []string{"new"}) {
		t.Errorf("warnings %q", got.Warnings)
	}
}

func TestCreateRejected(t *testing.T) {
	got := sdktest.New(recorder{}).Create(sdktest.Object(t, `{"bad":"x"}`))
	sdktest.WantErrors(t, got, `bad: Invalid value: "x": no`, "x: Too many: must have at most 1 item")
	if got.Warnings != nil || got.Object.Get("ran").Len() != 2 {
		t.Errorf("something ran after Validate: %s, %q", got.Object.Raw(), got.Warnings)
	}
}

func TestUpdate(t *testing.T) {
	run := sdktest.New(recorder{})
	run.Request.Verb, run.Request.User.Name = "patch", "me"
	old := sdktest.Object(t, `{"fixed":1}`)
	got := run.Update(old.Copy(), old)
	if ran := got.Object.Get("ran").Raw(); ran != `["default patch  me","update","canonical"]` || got.Warnings[0] != "changed" {
		t.Errorf("ran %s, warnings %q", ran, got.Warnings)
	}
	sdktest.WantErrors(t, run.Update(sdktest.Object(t, `{"fixed":2}`), old), "fixed: Forbidden")
}

func TestOthers(t *testing.T) {
	run := sdktest.New(recorder{})
	if got := run.Default(sdktest.Object(t, `{"fail":1}`)); got.Failure != "failed" {
		t.Errorf("failure %q", got.Failure)
	}
	parent := sdktest.Object(t, `{}`)
	if got := run.CreateSubresource(parent, sdktest.Object(t, `{"to":"x"}`)); got.Message != "done" || got.Object.Raw() != `{"to":"x"}` {
		t.Errorf("%+v", got)
	}
	if got := run.CreateSubresource(parent, sdktest.Object(t, `{"no":1}`)); got.Refusal == nil || *got.Refusal != (sdk.Refusal{Reason: "Conflict", Message: "not now"}) {
		t.Errorf("%+v", got)
	}
	if graceful, grace := run.CheckGracefulDelete(parent, nil); graceful || grace != nil {
		t.Error("graceful without a grace period")
	}
	if graceful, grace := run.CheckGracefulDelete(parent, sdktest.Object(t, `{"gracePeriodSeconds":5}`)); !graceful || *grace != 5 {
		t.Error("not graceful with a grace period")
	}
	if got := run.ConvertToTable(sdktest.Object(t, `{"metadata":{"name":"n"}}`)); got != `[["n"]]` {
		t.Error(got)
	}
	if got := run.Convert(parent, "g/v2"); got.Object.Raw() != `{"converted":1,"apiVersion":"g/v2"}` {
		t.Error(got.Object.Raw())
	}
}

func TestAbsentHooksAreSkipped(t *testing.T) {
	if got := sdktest.New(nil).Create(sdktest.Object(t, `{"a":1}`)); got.Object.Raw() != `{"a":1}` {
		t.Error(got.Object.Raw())
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "has no hook Convert") {
			t.Errorf("panic %q", text)
		}
	}()
	sdktest.New(nil).Convert(sdktest.Object(t, `{}`), "v2")
}

// failures counts the errors that a test helper reports.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.n++ }

func TestWantErrorsCanFail(t *testing.T) {
	got := sdktest.Result{Errors: field.ErrorList{field.Required(field.NewPath("a"), "")}}
	for _, want := range [][]string{nil, {"a: Required value", "b"}, {"b"}} {
		f := &failures{}
		if sdktest.WantErrors(f, got, want...); f.n != 1 {
			t.Errorf("%q was found in %v", want, got.Errors)
		}
	}
	f := &failures{}
	if sdktest.WantErrors(f, sdktest.Result{Failure: "x"}); f.n != 1 {
		t.Error("a failure was taken for no errors")
	}
}
