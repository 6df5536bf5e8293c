package sdk

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stratagem-dev/stratagem/sdk/field"
)

// everything has all hooks. What it does is told by the object's "do".
type everything struct{}

func (everything) Default(ctx *Context, obj *Object) {
	if obj.Get("do").String() == "fail in Default" {
		ctx.Fail(errors.New("no default today"))
		ctx.Fail(errors.New("a second failure"))
	}
	obj.Append("Default", "ran")
}
func (everything) PrepareForCreate(_ *Context, obj *Object) { obj.Append("PrepareForCreate", "ran") }
func (everything) Validate(_ *Context, obj *Object) (errs field.ErrorList) {
	switch obj.Get("do").String() {
	case "reject":
		errs = append(errs, field.Invalid(field.NewPath("do"), obj.Get("do"), "not that"))
	case "change":
		obj.Set(1, "changed")
	}
	return errs
}
func (everything) WarningsOnCreate(*Context, *Object) []string { return []string{`create "it"`} }
func (everything) PrepareForUpdate(_ *Context, obj, old *Object) {
	obj.Set(old.Get("do"), "before")
	if obj.Get("do").String() == "change old" {
		old.Delete("do")
	}
}
func (everything) ValidateUpdate(_ *Context, obj, old *Object) field.ErrorList {
	if !obj.Get("do").Equal(old.Get("do")) {
		return field.ErrorList{field.Forbidden(field.NewPath("do"), "immutable")}
	}
	return nil
}
func (everything) WarningsOnUpdate(*Context, *Object, *Object) []string { return []string{"update"} }
func (everything) Canonicalize(_ *Context, obj *Object)                 { obj.Append("Canonicalize", "ran") }
func (everything) CheckGracefulDelete(_ *Context, _ *Object, options *DeleteOptions) bool {
	if options.GracePeriodSeconds == nil {
		thirty := int64(30)
		options.GracePeriodSeconds = &thirty
	}
	return *options.GracePeriodSeconds > 0
}
func (everything) CreateSubresource(_ *Context, parent, body *Object) (string, error) {
	parent.Set(body.Get("target"), "target")
	switch body.Get("target").String() {
	case "conflict":
		return "", Conflict("already bound")
	case "invalid":
		return "", Invalid(field.ErrorList{field.Required(field.NewPath("target"), "")})
	case "error":
		return "", errors.New("broken")
	}
	return "bound", Invalid(nil)
}
func (everything) ConvertToTable(_ *Context, items []*Object) (rows [][]Cell) {
	for _, item := range items {
		rows = append(rows, []Cell{item.Get("a"), item.Get("a").Int() + 1, nil, "x"})
	}
	if len(items) == 3 {
		return rows[1:]
	}
	return rows
}
func (everything) Convert(_ *Context, obj *Object, desired string) error {
	if obj.Exists("stuck") {
		return errors.New("cannot become " + desired)
	}
	obj.Set(obj.Get("old"), "new")
	obj.Delete("old")
	return nil
}

var testModule = NewModule(Plugin{Name: "test", Resources: []Resource{
	{Resource: "things", Strategy: everything{}, Subresources: []Subresource{{Name: "status", Strategy: nil}}},
	{Group: "g", Resource: "others", Strategy: struct{}{}},
}})

// ask sends a request for a thing and returns the segments of the reply.
func ask(t *testing.T, hooks uint64, segments ...string) []string {
	t.Helper()
	frame := AppendFrame(nil, append([]string{`{"resource":"things"}`}, segments...)...)
	reply, err := testModule.Invoke(hooks, string(frame))
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeFrame(string(reply))
	if err != nil {
		t.Fatalf("%v in reply %q", err, reply)
	}
	return got
}

// replied is the segments of a reply frame.
func replied(outcome, hook byte, segments ...string) []string {
	return append([]string{string([]byte{outcome, 0, 0, 0, hook, 0, 0, 0})}, segments...)
}

func TestInvoke(t *testing.T) {
	const create = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<8
	for name, test := range map[string]struct {
		hooks   uint64
		request []string
		want    []string
	}{
		"nothing to do": {0, []string{`{}`}, replied(0, 0, "", "", "", "")},
		"create": {create, []string{`{"a":1}`},
			replied(0, 8, `{"a":1,"ran":["Default","PrepareForCreate","Canonicalize"]}`, "", `["create \"it\""]`, "")},
		"rejected": {create, []string{`{"do":"reject"}`},
			replied(1, 3, "", `[{"type":"FieldValueInvalid","field":"do","value":"reject","detail":"not that"}]`, "", "")},
		"failed": {create, []string{`{"do":"fail in Default"}`}, replied(2, 1, "", "no default today", "", "")},
		"update": {1<<5 | 1<<6 | 1<<7, []string{`{"do":1}`, `{"do":1}`},
			replied(0, 7, `{"do":1,"before":1}`, "", `["update"]`, "")},
		"update rejected": {1<<6 | 1<<7, []string{`{"do":1}`, `{"do":2}`},
			replied(1, 6, "", `[{"type":"FieldValueForbidden","field":"do","value":"","detail":"immutable"}]`, "", "")},
		"unchanged": {1 << 3, []string{`{"do":"x"}`}, replied(0, 3, "", "", "", "")},
		"delete":    {1 << 9, []string{`{}`}, replied(0, 9, "", "", "", `{"graceful":true,"gracePeriodSeconds":30}`)},
		"delete now": {1 << 9, []string{`{}`, "", `{"gracePeriodSeconds":0}`},
			replied(0, 9, "", "", "", `{"graceful":false,"gracePeriodSeconds":0}`)},
		"subresource": {1 << 10, []string{`{}`, "", `{"target":"n"}`},
			replied(0, 10, `{"target":"n"}`, "", "", `{"message":"bound"}`)},
		"subresource refused": {1 << 10, []string{`{}`, "", `{"target":"conflict"}`},
			replied(1, 10, "", "", "", `{"reason":"Conflict","message":"already bound"}`)},
		"subresource invalid": {1 << 10, []string{`{}`, "", `{"target":"invalid"}`},
			replied(1, 10, "", `[{"type":"FieldValueRequired","field":"target","value":""}]`, "", "")},
		"subresource failed": {1 << 10, []string{`{}`, "", `{"target":"error"}`}, replied(2, 10, "", "broken", "", "")},
		"table": {1 << 11, []string{"", "", "", `{"a":1}`, `{}`},
			replied(0, 11, "", "", "", `[[1,2,null,"x"],[null,1,null,"x"]]`)},
		"table of nothing":      {1 << 11, nil, replied(0, 11, "", "", "", `[]`)},
		"table with a row less": {1 << 11, []string{"", "", "", `{}`, `{}`, `{}`}, replied(2, 11, "", "2 rows for 3 items", "", "")},
		"convert": {1 << 12, []string{"", "", `{"desiredAPIVersion":"g/v2"}`, `{"apiVersion":"g/v1","old":1}`, `{"old":2}`},
			replied(0, 12, "", "", "", "", `{"apiVersion":"g/v2","new":1}`, `{"new":2,"apiVersion":"g/v2"}`)},
		"convert failed": {1 << 12, []string{"", "", `{"desiredAPIVersion":"g/v2"}`, `{}`, `{"stuck":1}`},
			replied(2, 12, "", "item 1: cannot become g/v2", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, test.hooks, test.request...); !slices.Equal(got, test.want) {
				t.Errorf("\n%q, want\n%q", got, test.want)
			}
		})
	}
}

// A call of a whole write is answered with what Canonicalize got, where it changed that.
func TestInvokeWhole(t *testing.T) {
	const create = 1<<1 | 1<<2 | 1<<3 | 1<<4
	for name, test := range map[string]struct {
		hooks  uint64
		object string
		want   []string
	}{
		"canonicalized": {create | 1<<8, `{"a":1}`, replied(0, 8, `{"a":1,"ran":["Default","PrepareForCreate","Canonicalize"]}`, "", `["create \"it\""]`, "",
			`{"a":1,"ran":["Default","PrepareForCreate"]}`)},
		"only canonicalized":   {1<<3 | 1<<8, `{"a":1}`, replied(0, 8, `{"a":1,"ran":["Canonicalize"]}`, "", "", "", `{"a":1}`)},
		"without Canonicalize": {create, `{"a":1}`, replied(0, 4, `{"a":1,"ran":["Default","PrepareForCreate"]}`, "", `["create \"it\""]`, "", "")},
		"rejected": {create | 1<<8, `{"do":"reject"}`,
			replied(1, 3, "", `[{"type":"FieldValueInvalid","field":"do","value":"reject","detail":"not that"}]`, "", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := testModule.InvokeWhole(test.hooks, string(AppendFrame(nil, `{"resource":"things"}`, test.object)))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := DecodeFrame(string(reply)); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("\n%q (%v), want\n%q", got, err, test.want)
			}
		})
	}
}

// tidy has a Canonicalize that finds nothing to do after a Default that did something.
type tidy struct{}

func (tidy) Default(_ *Context, obj *Object)      { obj.Set(1, "made") }
func (tidy) Canonicalize(_ *Context, obj *Object) { obj.Set(1, "made") }

func TestInvokeWholeThatCanonicalizesNothing(t *testing.T) {
	m := NewModule(Plugin{Resources: []Resource{{Resource: "things", Strategy: tidy{}}}})
	reply, err := m.InvokeWhole(1<<1|1<<8, string(AppendFrame(nil, `{"resource":"things"}`, `{"a":1}`)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeFrame(string(reply)); err != nil || !slices.Equal(got, replied(0, 8, `{"a":1,"made":1}`, "", "", "", "")) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestInvokeRefuses(t *testing.T) {
	const things = `{"resource":"things"}`
	for name, test := range map[string]struct {
		hooks    uint64
		segments []string
		want     string
	}{
		"no request":            {0, nil, "the frame has no request"},
		"request of wrong type": {0, []string{`[]`}, "the frame has no request"},
		"unknown resource":      {0, []string{`{"resource":"nothings"}`}, `no resource "nothings"`},
		"wrong group":           {0, []string{`{"group":"h","resource":"others"}`}, `no resource "others"`},
		"unknown subresource":   {0, []string{`{"resource":"things","subresource":"scale"}`}, `no resource "things/scale"`},
		"absent hook":           {1 << 3, []string{`{"group":"g","resource":"others"}`, `{}`}, "others has no hook Validate"},
		"absent in subresource": {1 << 1, []string{`{"resource":"things","subresource":"status"}`, `{}`}, "things/status has no hook Default"},
		"hook 0":                {1 << 0, []string{things, `{}`}, "there is no hook"},
		"hook 16":               {1 << 16, []string{things, `{}`}, "there is no hook"},
		"hook 63":               {1 << 63, []string{things, `{}`}, "there is no hook"},
		"no object":             {1 << 1, []string{things}, "the frame has no object"},
		"object cut off":        {1 << 1, []string{things, `{"a":`}, "the object is not a JSON object"},
		"object of wrong type":  {1 << 1, []string{things, `[1]`}, "the object is not a JSON object"},
		"no old object":         {1 << 6, []string{things, `{}`}, "the frame has no old object"},
		"no posted body":        {1 << 10, []string{things, `{}`}, "the frame has no options"},
		"item of wrong type":    {1 << 11, []string{things, "", "", "", `{}`, `1`}, "item 1 is not a JSON object"},
		"absent item":           {1 << 11, []string{things, "", "", "", ""}, "item 0 is not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := testModule.Invoke(test.hooks, string(AppendFrame(nil, test.segments...)))
			if !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q, %v; want %s", reply, err, test.want)
			}
		})
	}
	if _, err := testModule.Invoke(0, "x"); !errors.Is(err, ErrFrame) {
		t.Errorf("no frame at all: %v", err)
	}
}

func TestReadOnlyObjects(t *testing.T) {
	for name, run := range map[string]func(){
		"Validate":       func() { ask(t, 1<<3, `{"do":"change"}`) },
		"the old object": func() { ask(t, 1<<5, `{"do":"change old"}`, `{"do":1}`) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got, want := recover(), "sdk: change of a read-only object: "+name; got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			run()
		})
	}
}

// contextOf keeps the Context that its hook got.
type contextOf struct{ got *Context }

func (c *contextOf) Default(ctx *Context, _ *Object) { c.got = ctx }

func TestContext(t *testing.T) {
	var c contextOf
	m := NewModule(Plugin{Resources: []Resource{{Group: "g", Resource: "things", Subresources: []Subresource{{Name: "sub", Strategy: &c}}}}})
	request := `{"verb":"create","group":"g","version":"v1","resource":"things","subresource":"sub","namespace":"ns","name":"n",
		"user":{"name":"é\"","uid":"u","groups":["a","b"]},"dryRun":true,"time":"2024-02-29T12:00:00Z","unknown":{"name":1}}`
	if _, err := m.Invoke(1<<1, string(AppendFrame(nil, request, `{}`))); err != nil {
		t.Fatal(err)
	}
	if now := c.got.Now(); now.Unix() != 1709208000 {
		t.Errorf("Now is %v", now)
	}
	got := *c.got
	groups := got.User.Groups
	if !slices.Equal(groups, []string{"a", "b"}) {
		t.Errorf("groups %q", groups)
	}
	if got.Verb+got.Group+got.Version+got.Resource+got.Subresource+got.Namespace+got.Name != "creategv1thingssubnsn" ||
		got.User.Name != `é"` || got.User.UID != "u" || !got.DryRun {
		t.Errorf("context %+v", got)
	}
}
