package sdktest

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// reply is the segments of a reply frame.
type reply []string

func (r reply) outcome() byte { return r[0][0] }

// invoke runs one hook. It panics where the server would call the frame malformed: a test that asks
// for a hook that the strategy does not have.
func (r *Run) invoke(verb, hook string, obj, old *sdk.Object, options string, items []*sdk.Object) reply {
	segments := []string{r.request(verb, obj), raw(obj), raw(old), options}
	for _, item := range items {
		segments = append(segments, item.Raw())
	}
	frame, err := r.module.Invoke(1<<numbers[hook], string(sdk.AppendFrame(nil, segments...)))
	if err != nil {
		panic("sdktest: " + err.Error())
	}
	answer, err := sdk.DecodeFrame(string(frame))
	if err != nil {
		panic("sdktest: " + err.Error())
	}
	return answer
}

// request is the request segment.
func (r *Run) request(verb string, obj *sdk.Object) string {
	q := r.Request
	if q.Verb != "" {
		verb = q.Verb
	}
	name := q.Name
	if name == "" && obj != nil {
		name = obj.Name()
	}
	json, _ := jsontext.Append(nil, map[string]any{
		"verb": verb, "version": q.Version, "resource": "tests", "namespace": q.Namespace, "name": name,
		"user":   map[string]any{"name": q.User.Name, "uid": q.User.UID, "groups": q.User.Groups},
		"dryRun": q.DryRun, "time": q.Time,
	})
	return string(json)
}

// take adds a reply to the result.
func (result *Result) take(r reply) {
	if r[1] != "" {
		result.Object, _ = sdk.ParseObject(r[1])
	}
	switch r.outcome() {
	case 1:
		gjson.Parse(r[2]).ForEach(func(_, e gjson.Result) bool {
			result.Errors = append(result.Errors, fieldError(e))
			return true
		})
		if refusal := gjson.Parse(r[4]); refusal.Exists() {
			result.Refusal = &sdk.Refusal{Reason: refusal.Get("reason").Str, Message: refusal.Get("message").Str}
		}
	case 2:
		result.Failure = r[2]
	default:
		result.Message = gjson.Get(r[4], "message").Str
	}
	for _, warning := range gjson.Parse(r[3]).Array() {
		result.Warnings = append(result.Warnings, warning.Str)
	}
}

func fieldError(json gjson.Result) *field.Error {
	e := &field.Error{
		Type:     field.ErrorType(json.Get("type").Str),
		Field:    json.Get("field").Str,
		BadValue: field.Omitted,
		Detail:   json.Get("detail").Str,
	}
	if value := json.Get("value"); value.Exists() {
		e.BadValue = sdk.ParseValue(value.Raw)
	}
	return e
}

func raw(obj *sdk.Object) string {
	if obj == nil {
		return ""
	}
	return obj.Raw()
}

// WantErrors fails the test unless the field errors are these, in this order, each given as its text
// or the beginning of it.
func WantErrors(t testing.TB, got Result, want ...string) {
	t.Helper()
	ok := len(got.Errors) == len(want) && got.Failure == ""
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(got.Errors[i].Error(), want[i])
	}
	if !ok {
		t.Errorf("errors:\n  %s\nwant:\n  %s\nfailure: %q", joined(got.Errors), strings.Join(want, "\n  "), got.Failure)
	}
}

func joined(errs field.ErrorList) string {
	texts := make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n  ")
}
