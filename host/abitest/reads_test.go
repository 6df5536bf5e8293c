package abitest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// shelf has a hundred parts.
type shelf struct{ asked []host.Query }

func (s *shelf) Read(ctx context.Context, request *engine.RequestInfo, query host.Query) host.Answer {
	s.asked = append(s.asked, query)
	part := func(name string) engine.Object {
		return engine.Object(fmt.Sprintf(`{"apiVersion":"abi.example/v1","kind":"Part","metadata":{"managedFields":[{"manager":"x"}],"name":%q,"resourceVersion":"7"}}`, name))
	}
	switch {
	case query.Name == "slow":
		<-ctx.Done()
		return host.Answer{Code: 504, Reason: "Timeout", Message: "too slow"}
	case query.Name == "missing":
		return host.Answer{Code: 404, Reason: "NotFound", Message: `parts "missing" not found`}
	case query.Name != "":
		return host.Answer{Code: 200, Objects: []engine.Object{part(query.Name)}}
	}
	answer := host.Answer{Code: 200, ResourceVersion: "9"}
	for i := range 100 {
		if answer.More = len(answer.Objects) == query.Limit; answer.More {
			break
		}
		answer.Objects = append(answer.Objects, part(fmt.Sprint("part-", i)))
	}
	return answer
}

func readingCall(t *testing.T, spec string) *engine.Call {
	call := partCall(t, spec)
	call.Request.Subresource = "reading"
	return call
}

func TestReads(t *testing.T) {
	tests := []struct{ name, spec, want string }{
		{"an object", `{"get":"a"}`, `{"apiVersion":"abi.example/v1","kind":"Part","metadata":{"name":"a","resourceVersion":"7"}}`},
		{"no object", `{"get":"missing"}`, `parts "missing" not found`},
		{"a list", `{"list":""}`, "100 at 9, more: false"},
		{"the beginning of a list", `{"list":"","limit":3}`, "3 at 9, more: true"},
		{"as much as may be read", `{"list":"","limit":2,"times":3}`, "2 at 9, more: true"},
		{"too often", `{"get":"a","times":4}`, "the call has read more than its limit reads of 3 allows"},
		{"too many", `{"list":"","times":2}`, "the call has read more than its limit readObjects of 150 allows"},
		{"too slow", `{"get":"slow"}`, "too slow"},
	}
	shelf := new(shelf)
	m := load(t, partWasm, host.Options{Reader: shelf, Limits: host.Limits{Reads: 3, ReadObjects: 150, ReadTime: 10 * time.Millisecond}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply, err := strategy(m, "reading").Run(t.Context(), engine.HooksOf(engine.Validate), readingCall(t, test.spec))
			if err != nil {
				t.Fatal(err)
			}
			if len(reply.Errors) != 1 || reply.Errors[0].Detail != test.want {
				t.Errorf("found %v, want %s", reply.Errors, test.want)
			}
		})
	}
	if q := shelf.asked[0]; q != (host.Query{Group: "abi.example", Resource: "parts", Namespace: "default", Name: "a"}) {
		t.Errorf("asked %+v", q)
	}
}

func TestReadsAreBoundedInBytes(t *testing.T) {
	m := load(t, partWasm, host.Options{Reader: new(shelf), Limits: host.Limits{ReadBytes: 500}})
	reply, err := strategy(m, "reading").Run(t.Context(), engine.HooksOf(engine.Validate), readingCall(t, `{"list":""}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Errors) != 1 || !strings.Contains(reply.Errors[0].Detail, "limit readBytes of 500 allows") {
		t.Errorf("found %v", reply.Errors)
	}
}

func TestNothingToRead(t *testing.T) {
	m := load(t, partWasm, host.Options{})
	reply, err := strategy(m, "reading").Run(t.Context(), engine.HooksOf(engine.Validate), readingCall(t, `{"get":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(reply.Errors) != 1 || reply.Errors[0].Detail != "the plugin may not read anything: nothing is granted to it" {
		t.Errorf("found %v", reply.Errors)
	}
}
