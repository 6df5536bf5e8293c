package abitest

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/host/abitest/part"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

var (
	preparing  = engine.HooksOf(engine.Default, engine.PrepareForCreate)
	validating = engine.HooksOf(engine.Validate, engine.WarningsOnCreate, engine.Canonicalize)
)

// Through Wasm the hooks do what they do natively.
func TestHooksAreThoseOfTheNativeStrategy(t *testing.T) {
	s := strategy(load(t, partWasm, host.Options{}), "")
	native := sdktest.New(part.Strategy{})
	for _, spec := range []string{
		`{"image":"a:1"}`,
		`{}`,
		`{"image":"latest","replicas":3}`,
		`{"image":"a:1","replicas":-1,"policy":"Perhaps"}`,
		`{"image":"a:1","ports":[{"name":"x"},{"name":"y"},{"name":"x"}]}`,
		`{"image":"a:1","ports":[{"name":"x"},{"name":"é\"\\ 😀"}]}`,
	} {
		call := partCall(t, spec)
		native.Request.User.Name = call.Request.User.Name
		want := native.Create(sdktest.Object(t, string(call.Object)))
		prepared, err := s.Run(t.Context(), preparing, call)
		if err != nil {
			t.Fatal(err)
		}
		whatPrepareGot := *call
		call.Object = prepared.Object
		got, err := s.Run(t.Context(), validating, call)
		if err != nil {
			t.Fatal(err)
		}
		whole, ok, err := s.RunWhole(t.Context(), preparing|validating, &whatPrepareGot)
		if err != nil || !ok {
			t.Fatalf("in one call: %t, %v", ok, err)
		}
		if len(got.Errors) == 0 && !bytes.Equal(whole.Prepared, prepared.Object) {
			t.Errorf("%s: in one call %s is prepared, in two %s", spec, whole.Prepared, prepared.Object)
		}
		if whole.Prepared = nil; len(got.Errors) == 0 && !reflect.DeepEqual(whole, got) || len(whole.Errors) != len(got.Errors) {
			t.Errorf("%s: in one call %+v, in two %+v", spec, whole, got)
		}
		var errs, wanted []string
		for _, e := range got.Errors {
			errs = append(errs, e.Error())
		}
		for _, e := range want.Errors {
			wanted = append(wanted, e.Error())
		}
		if !reflect.DeepEqual(errs, wanted) || !reflect.DeepEqual(got.Warnings, want.Warnings) {
			t.Errorf("%s: %q and warnings %q, natively %q and %q", spec, errs, got.Warnings, wanted, want.Warnings)
		}
		if len(errs) > 0 {
			continue
		}
		object, _, err := engine.ParseObject([]byte(want.Object.Raw()))
		if err != nil || !bytes.Equal(got.Object, object) {
			t.Errorf("%s: %s, natively %s (%v)", spec, got.Object, object, err)
		}
	}
}

func TestSubresourceRefusesAndAnswers(t *testing.T) {
	s := strategy(load(t, partWasm, host.Options{}), "order")
	call := partCall(t, `{}`)
	call.Request.Subresource = "order"
	hooks := engine.HooksOf(engine.CreateSubresource)

	call.Options = engine.Object(`{"amount":2,"kind":"Order"}`)
	reply, err := s.Run(t.Context(), hooks, call)
	if err != nil || string(reply.Result) != `{"message":"ordered"}` || reply.Object.Get("status", "ordered").Int() != 2 {
		t.Errorf("%s, %s, %v", reply.Result, reply.Object, err)
	}
	call.Options = engine.Object(`{"amount":10,"kind":"Order"}`)
	reply, err = s.Run(t.Context(), hooks, call)
	if err != nil || reply.Refusal == nil || *reply.Refusal != (engine.Refusal{Reason: "Conflict", Message: "sold out"}) {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestTable(t *testing.T) {
	s := strategy(load(t, partWasm, host.Options{}), "")
	call := partCall(t, `{}`)
	call.Items, call.Object = []engine.Object{call.Object, call.Object}, nil
	reply, err := s.Run(t.Context(), engine.HooksOf(engine.ConvertToTable), call)
	if err != nil || string(reply.Result) == "" || len(reply.Items) != 0 {
		t.Errorf("%s, %v", reply.Result, err)
	}
}

func TestDescription(t *testing.T) {
	m := load(t, partWasm, host.Options{})
	if r := m.Resources[0]; m.Name != "parts" || m.Version != "1.2.3" || r.KeyRoot != "/abi.example/parts" || r.ListKind != "PartList" ||
		!r.Namespaced || !r.Versions[0].Served || !r.Versions[0].Hooks || r.Revision != "test@1" || len(m.Digest) != 64 {
		t.Errorf("%+v of %s %s", r, m.Name, m.Version)
	}
	want := preparing | validating | engine.HooksOf(engine.ConvertToTable)
	if got := strategy(m, "").Hooks(); got != want {
		t.Errorf("hooks %b, want %b", got, want)
	}
}
