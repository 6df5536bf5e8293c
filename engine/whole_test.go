package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/stratagem-dev/stratagem/engine"
)

// wholeScript is a script that runs the hooks of a write in one call, and counts calls.
type wholeScript struct {
	script
	calls *int
}

func (s wholeScript) Run(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, error) {
	*s.calls++
	return s.script.Run(ctx, hooks, call)
}

func (s wholeScript) RunWhole(ctx context.Context, hooks engine.Hooks, call *engine.Call) (engine.Reply, bool, error) {
	*s.calls++
	canonicalize := engine.HooksOf(engine.Canonicalize)
	reply, err := s.script.Run(ctx, hooks&^canonicalize, call)
	if err != nil || len(reply.Errors) > 0 {
		return reply, true, err
	}
	reply.Prepared = reply.Object
	if hooks&canonicalize != 0 {
		after, err := s.script.Run(ctx, canonicalize, &engine.Call{Request: call.Request, Object: reply.Object})
		if err != nil {
			return after, true, err
		}
		reply.Object = after.Object
	}
	return reply, true, nil
}

// hooksOfWrites prepare (size becomes 5 where it is 1), review (no size above 7) and canonicalize (green is written grue).
var hooksOfWrites = script{
	engine.PrepareForCreate: prepareSize, engine.PrepareForUpdate: prepareSize,
	engine.Validate: validateSize, engine.ValidateUpdate: validateSize,
	engine.WarningsOnCreate: warns("created"), engine.WarningsOnUpdate: warns("updated"),
	engine.Canonicalize: func(call *engine.Call, reply *engine.Reply) error {
		if call.Object.Get("spec", "color").String() == "green" {
			return sets("spec", `{"color":"grue"}`)(call, reply)
		}
		return nil
	},
}

func prepareSize(call *engine.Call, reply *engine.Reply) error {
	if call.Object.Get("spec", "size").Int() == 1 {
		return sets("spec", `{"color":"blue","size":5}`)(call, reply)
	}
	return nil
}

func validateSize(call *engine.Call, reply *engine.Reply) error {
	if call.Object.Get("spec", "size").Int() > 7 {
		return rejects("spec", "too large")(call, reply)
	}
	return nil
}

// A strategy that takes all hooks of a write in one call comes to the same as one that does not, with fewer calls.
func TestWholeWrites(t *testing.T) {
	calls := 0
	apart, whole := newWorld(t, hooked(hooksOfWrites)), newWorld(t, hooked(wholeScript{hooksOfWrites, &calls}))
	for _, w := range []*world{apart, whole} {
		w.named("stored")
	}
	for _, c := range []struct {
		name, body string
		calls      int // of an update; a create needs as many, or fewer
	}{
		{"unchanged", `{"metadata":{"name":"NAME"},"spec":{"color":"red","size":2}}`, 1},
		{"prepared", `{"metadata":{"name":"NAME"},"spec":{"size":1}}`, 1},
		{"canonicalized", `{"metadata":{"name":"NAME"},"spec":{"color":"green"}}`, 1},
		{"rejected", `{"metadata":{"name":"NAME"},"spec":{"size":9}}`, 3},
		{"rejected by the engine", `{"metadata":{"name":"NAME","labels":{"-":"x"}},"spec":{"size":1}}`, 1},
		{"rejected by both", `{"metadata":{"name":"NAME","labels":{"-":"x"}},"spec":{"size":9}}`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, verb := range []string{"create", "update"} {
				var outcomes []string
				for _, w := range []*world{apart, whole} {
					calls = 0
					outcomes = append(outcomes, w.outcome(verb, c.body))
				}
				if outcomes[0] != outcomes[1] {
					t.Errorf("%s in one call\n%s\nand in two\n%s", verb, outcomes[1], outcomes[0])
				}
				if calls != c.calls {
					t.Errorf("%s: %d calls, want %d", verb, calls, c.calls)
				}
			}
		})
	}
}

// outcome is all of a write that is the same each time.
func (w *world) outcome(verb, body string) string {
	name := "stored"
	write := w.tryPut
	if verb == "create" {
		name = fmt.Sprintf("new-%d", worlds.Add(1))
		write = func(_, text string) (engine.Result, error) { return w.tryCreate(text) }
	}
	result, err := write(name, strings.ReplaceAll(body, "NAME", name))
	var invalid *engine.InvalidError
	if errors.As(err, &invalid) {
		return invalid.Errors.ToAggregate().Error()
	}
	if err != nil {
		return err.Error()
	}
	fields := gjson.GetBytes(result.Object, "metadata.managedFields.#.fieldsV1")
	return fmt.Sprint(result.Object.Get("spec").Raw, result.Object.Get("metadata", "generation").Raw, fields.Raw, result.Warnings)
}

// A hook that changes what is put back afterwards does not get away with the review of what it made.
func TestWholeUpdateOfWhatIsRestored(t *testing.T) {
	calls, reviewed := 0, ""
	w := newWorld(t, hooked(wholeScript{script{
		engine.PrepareForUpdate: func(call *engine.Call, reply *engine.Reply) error {
			meta := call.Object.Meta()
			meta.SetString("creationTimestamp", "1999-01-01T00:00:00Z")
			reply.Object = call.Object.WithMeta(meta)
			return nil
		},
		engine.ValidateUpdate: func(call *engine.Call, _ *engine.Reply) error {
			reviewed = call.Object.Get("metadata", "creationTimestamp").String()
			return nil
		},
	}, &calls}))
	created := w.named("a").Get("metadata", "creationTimestamp").String()
	w.put("a", `{"metadata":{"name":"a"},"spec":{"size":2}}`)
	if reviewed != created || calls != 2 {
		t.Errorf("%s was reviewed, not %s, in %d calls", reviewed, created, calls)
	}
}

var _ engine.Whole = wholeScript{}
