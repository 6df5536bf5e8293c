package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// What a guest is given to do before its snapshot is taken: the hooks that it has, on made-up objects.
const (
	warmUpRounds   = 2
	warmUpPadding  = 2 << 10 // bytes of annotation
	maxWarmUpCalls = 200     // in a round
)

// warmUp has an instance run its hooks, so that what it makes once is made, and takes the snapshot that all
// instances start from. A guest that fails on the way is taken as it was before: made-up objects prove nothing. One that
// no snapshot can hold is not warmed up either.
func (m *Module) warmUp(ctx context.Context, in *instance) (*instance, error) {
	if !in.snapshots() {
		return in, nil
	}
	if !m.warmed(in) {
		in.close()
		var err error
		if in, err = m.newInstance(ctx); err != nil {
			return nil, &LoadError{"start", err}
		}
	}
	m.snapshot = in.takeSnapshot()
	in.calls, in.began = 0, in.mod.Memory().Size()
	return in, nil
}

// warmed runs the hooks; false when the guest fails, or when they cost more fuel than starting it may.
func (m *Module) warmed(in *instance) bool {
	left := m.options.Limits.InitFuel
	calls := m.warmUpCalls()
	for range warmUpRounds {
		for _, c := range calls {
			frame, err := in.call(c.hooks, encodeCall(c.call))
			if err != nil {
				return false
			}
			if _, _, err := decodeReply(frame, c.hooks, c.call, &tally{Limits: &m.options.Limits}); errors.Is(err, errMalformed) {
				return false
			}
			if left -= in.used(); left < 0 {
				return false
			}
		}
	}
	return true
}

// warmUpCalls is one call for each hook of each resource and subresource, up to maxWarmUpCalls.
func (m *Module) warmUpCalls() (calls []warmUpCall) {
	for _, r := range m.Resources {
		for _, target := range append([]engine.Subresource{{Strategy: r.Strategy}}, r.Subresources...) {
			if target.Strategy == nil {
				continue
			}
			for hook := engine.Default; hook <= engine.LastHook; hook++ {
				if len(calls) == maxWarmUpCalls {
					return calls
				}
				if target.Strategy.Hooks().Has(hook) {
					calls = append(calls, warmUpCall{engine.HooksOf(hook), madeUp(r, target.Name, hook)})
				}
			}
		}
	}
	return calls
}

type warmUpCall struct {
	hooks engine.Hooks
	call  *engine.Call
}

// madeUp is a call with an object that has a name, a padding and nothing else.
func madeUp(r *engine.Resource, subresource string, hook engine.Hook) *engine.Call {
	version := r.StorageVersion().Name
	metadata := map[string]any{"name": "warm-up", "annotations": map[string]string{"padding": strings.Repeat("x", warmUpPadding)}}
	info := &engine.RequestInfo{
		Verb: "create", Group: r.Group, Version: version, Resource: r.Plural, Subresource: subresource, Name: "warm-up",
		Time: time.Unix(0, 0),
	}
	if r.Namespaced {
		info.Namespace, metadata["namespace"] = "default", "default"
	}
	object, _ := json.Marshal(map[string]any{"apiVersion": r.APIVersion(version), "kind": r.Kind, "metadata": metadata, "spec": map[string]any{}})
	call := &engine.Call{Request: info}
	switch hook {
	case engine.ConvertToTable, engine.Decorate:
		call.Items = []engine.Object{object}
	case engine.Convert:
		call.Items = []engine.Object{object}
		call.Options, _ = json.Marshal(map[string]string{"desiredAPIVersion": r.APIVersion(version)})
	case engine.CheckGraceful, engine.CreateSubresource:
		call.Object, call.Options = object, engine.Object("{}")
	case engine.PrepareForUpdate, engine.ValidateUpdate, engine.WarningsOnUpdate, engine.ShouldDeleteDuringUpdate:
		call.Object, call.Old = object, object
	default:
		call.Object = object
	}
	return call
}
