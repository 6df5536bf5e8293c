package sdk

import "testing"

// idle has the hooks of a create, which do nothing.
type idle struct{ everything }

func (idle) Default(*Context, *Object)          {}
func (idle) PrepareForCreate(*Context, *Object) {}
func (idle) Canonicalize(*Context, *Object)     {}

const (
	benchRequest = `{"verb":"create","group":"example.com","version":"v1","resource":"widgets","namespace":"default","name":"thing-1",` +
		`"user":{"name":"system:admin","uid":"u-1","groups":["system:masters","system:authenticated"]},"time":"2024-05-01T12:00:00Z"}`
	benchObject = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"annotations":{"example.com/owner":"team-a"},"creationTimestamp":"2024-05-01T12:00:00Z",` +
		`"generation":1,"labels":{"app":"web","app.kubernetes.io/name":"web","tier":"front"},"managedFields":[{"apiVersion":"example.com/v1","fieldsType":"FieldsV1",` +
		`"fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:kubectl.kubernetes.io/last-applied-configuration":{}},"f:labels":{".":{},"f:app":{},"f:tier":{}}},` +
		`"f:spec":{"f:image":{},"f:owner":{},"f:ports":{},"f:replicas":{},"f:template":{"f:args":{},"f:env":{}}}},"manager":"kubectl-client-side-apply","operation":"Update",` +
		`"time":"2024-05-01T12:00:00Z"}],"name":"thing-1","namespace":"default","uid":"11111111-2222-3333-4444-555555555555"},"spec":{"image":"registry.example.com/team/web:1.2.3",` +
		`"owner":"team-a","ports":[{"name":"http","port":8080,"protocol":"TCP"},{"name":"metrics","port":9090,"protocol":"TCP"},{"name":"admin","port":9091,"protocol":"TCP"}],` +
		`"replicas":3,"template":{"args":["--port=8080","--verbose"],"env":{"A":"1","B":"2","C":"a longer value of an environment variable"}}}}`
)

// BenchmarkInvoke is what a call costs beside the hooks.
func BenchmarkInvoke(b *testing.B) {
	b.ReportAllocs()
	run := idleCalls(b)
	for b.Loop() {
		run()
	}
}

// TestInvokeAllocatesNothing holds what BenchmarkInvoke measures: in a guest every allocation brings a collection nearer.
func TestInvokeAllocatesNothing(t *testing.T) {
	if got := testing.AllocsPerRun(100, idleCalls(t)); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// idleCalls returns a function that makes the same call again and again, as the exports do.
func idleCalls(t testing.TB) func() {
	m := NewModule(Plugin{Resources: []Resource{{Group: "example.com", Resource: "widgets", Strategy: idle{}}}})
	frame := string(AppendFrame(nil, benchRequest, benchObject))
	c, reply := new(call), []byte(nil)
	return func() {
		var err error
		if reply, err = m.invoke(c, reply[:0], hookDefault.bit()|hookPrepareForCreate.bit(), frame, false); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkObject is what hooks do most.
func BenchmarkObject(b *testing.B) {
	for name, work := range map[string]func(*Object){
		"first field":  func(o *Object) { o.Get("apiVersion") },
		"absent field": func(o *Object) { o.Get("status") },
		"nested field": func(o *Object) { o.Get("spec", "image") },
		"items": func(o *Object) {
			for _, port := range o.Get("spec", "ports").Items() {
				port.Get("port").Int()
			}
		},
		"set":         func(o *Object) { o.Set("true", "metadata", "labels", "prepared") },
		"not changed": func(o *Object) { o.SetDefault(1, "spec", "replicas") },
		"edit each": func(o *Object) {
			for _, port := range o.EditEach("spec", "ports") {
				port.SetDefault("Local", "policy")
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var o Object
			for b.Loop() {
				o = Object{text: benchObject, fields: o.fields[:0]}
				work(&o)
			}
		})
	}
}

// TestCallsDoNotMix runs calls with more and less in them through one call, and expects of each what a fresh one says.
func TestCallsDoNotMix(t *testing.T) {
	user := `{"resource":"things","name":"n","user":{"name":"u","groups":["a","b"]},"dryRun":true}`
	c := new(call)
	for _, test := range []struct {
		hooks    uint64
		segments []string
	}{
		{1<<1 | 1<<4, []string{user, `{"a":1,"b":2}`}},
		{1<<5 | 1<<6 | 1<<7, []string{`{"resource":"things"}`, `{"do":1}`, `{"do":2}`}},
		{1 << 3, []string{user, `{"do":"reject"}`}},
		{1<<1 | 1<<2, []string{`{"resource":"things"}`, `{}`}},
		{1 << 11, []string{user, "", "", "", `{"a":1}`, `{}`}},
		{1 << 12, []string{user, "", "", `{"desiredAPIVersion":"g/v2"}`, `{}`}},
		{1 << 9, []string{`{"resource":"things"}`, `{}`}},
	} {
		frame := string(AppendFrame(nil, test.segments...))
		want, err := testModule.Invoke(test.hooks, frame)
		if err != nil {
			t.Fatal(err)
		}
		got, err := testModule.invoke(c, nil, test.hooks, frame, false)
		if err != nil || string(got) != string(want) {
			t.Errorf("%q: %q, %v, want %q", test.segments, got, err, want)
		}
		if test.segments[0] != user && (c.ctx.DryRun || c.ctx.Name != "" || c.ctx.User.Name != "" || len(c.ctx.User.Groups) != 0) {
			t.Errorf("the context of the call before: %+v", c.ctx)
		}
	}
}
