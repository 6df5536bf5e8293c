package sdktest_test

import (
	"testing"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

// quota wants no more objects than the ConfigMap "quota" says, and a class that exists.
type quota struct{}

func (quota) Validate(ctx *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	limits, err := ctx.Get(sdk.Ref{Resource: "configmaps", Namespace: ctx.Namespace, Name: "quota"})
	if err != nil && !sdk.IsNotFound(err) {
		ctx.Fail(err)
		return nil
	}
	if err == nil {
		tests, err := ctx.List(sdk.Selection{Group: "example.com", Resource: "tests", Namespace: ctx.Namespace, LabelSelector: "counted=yes,free!=yes"})
		if err != nil {
			ctx.Fail(err)
			return nil
		}
		if most := limits.Get("data", "most").Int(); int64(len(tests.Objects)) >= most {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "namespace"), "its quota is used up"))
		}
	}
	return errs
}

func TestReads(t *testing.T) {
	run := sdktest.New(quota{})
	obj := sdktest.Object(t, `{"metadata":{"name":"new"}}`)

	if got := run.Create(obj); got.Failure != "the plugin may not read configmaps" {
		t.Errorf("without a grant: %+v", got)
	}
	run.Others = sdktest.Others{"configmaps": nil, "tests.example.com": {
		sdktest.Object(t, `{"metadata":{"name":"a","namespace":"default","labels":{"counted":"yes"}}}`),
		sdktest.Object(t, `{"metadata":{"name":"b","namespace":"default","labels":{"counted":"yes","free":"yes"}}}`),
		sdktest.Object(t, `{"metadata":{"name":"c","namespace":"other","labels":{"counted":"yes"}}}`),
		sdktest.Object(t, `{"metadata":{"name":"d","namespace":"default"}}`),
	}}
	sdktest.WantErrors(t, run.Create(obj)) // there is no quota

	quota := sdktest.Object(t, `{"metadata":{"name":"quota","namespace":"default"},"data":{"most":2}}`)
	run.Others["configmaps"] = []*sdk.Object{quota}
	sdktest.WantErrors(t, run.Create(obj))
	quota.Set(1, "data", "most")
	sdktest.WantErrors(t, run.Create(obj), "metadata.namespace: Forbidden: its quota is used up")
}

// lister lists one object of two.
type lister struct{ got *sdk.Selected }

func (l lister) PrepareForCreate(ctx *sdk.Context, _ *sdk.Object) {
	selected, err := ctx.List(sdk.Selection{Resource: "configmaps", Limit: 1})
	if err != nil {
		ctx.Fail(err)
	}
	*l.got = selected
}

func TestListLimit(t *testing.T) {
	var got sdk.Selected
	run := sdktest.New(lister{&got})
	run.Others = sdktest.Others{"configmaps": {
		sdktest.Object(t, `{"metadata":{"name":"a"}}`), sdktest.Object(t, `{"metadata":{"name":"b"}}`),
	}}
	run.Create(sdktest.Object(t, `{"metadata":{"name":"x"}}`))
	if len(got.Objects) != 1 || got.Objects[0].Name() != "a" || !got.More {
		t.Errorf("got %+v", got)
	}
}

// nameless gets an object without saying which.
type nameless struct{}

func (nameless) PrepareForCreate(ctx *sdk.Context, _ *sdk.Object) {
	if _, err := ctx.Get(sdk.Ref{Resource: "configmaps"}); err != nil {
		ctx.Fail(err)
	}
}

func TestGetWithoutName(t *testing.T) {
	if got := sdktest.New(nameless{}).Create(sdktest.Object(t, `{}`)); got.Failure != "a name is required to get one of configmaps" {
		t.Errorf("got %+v", got)
	}
}
