package server

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

const (
	pluginGroup   = "stratagem.dev"
	pluginVersion = "v1alpha1"
)

//go:embed strategyplugin.schema.json
var pluginSchema []byte

// strategyPlugin is a StrategyPlugin object: one plugin, its revisions, and which of them is active.
type strategyPlugin struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   json.RawMessage `json:"metadata"`
	Spec       pluginSpec      `json:"spec"`
	Status     pluginStatus    `json:"status"`
}

// pluginSpec is what the operator wants.
type pluginSpec struct {
	// Revision is the revision that is to be active: a push moves it on, a rollback moves it back.
	Revision int64 `json:"revision,omitempty"`
	// Bindings are the resources of CustomResourceDefinitions that the plugin's strategies are bound to, besides those that it describes so
	// itself; what they say of a resource counts in place of the plugin's own word.
	Bindings []pluginBinding `json:"bindings,omitempty"`
	// Rollout tries a revision beside the active one.
	Rollout *rollout.Spec `json:"rollout,omitempty"`
	// Reads are the other objects that its hooks may read.
	Reads []pluginRead `json:"reads,omitempty"`
	// RevisionHistoryLimit is how many revisions are remembered, and so can be rolled back to: 10 where it is not said.
	RevisionHistoryLimit *int32 `json:"revisionHistoryLimit,omitempty"`
	// Limits bound what the plugin may use, up to the server's caps.
	Limits pluginLimits `json:"limits,omitempty"`
	// Reset is the fewest resets of instances that the plugin's author may ask for.
	Reset *pluginReset `json:"reset,omitempty"`
}

// pluginStatus is what is.
type pluginStatus struct {
	ActiveRevision int64             `json:"activeRevision,omitempty"`
	Digest         string            `json:"digest,omitempty"` // of the active revision, "sha256:…"
	Version        string            `json:"version,omitempty"`
	ABI            int32             `json:"abi,omitempty"`
	State          string            `json:"state,omitempty"`
	SignedBy       string            `json:"signedBy,omitempty"` // the policy's keys that have signed the active revision
	Resources      []pluginResource  `json:"resources,omitempty"`
	ResourceNames  string            `json:"resourceNames,omitempty"` // for the table
	Revisions      []pluginRevision  `json:"revisions,omitempty"`     // oldest first
	Conditions     []pluginCondition `json:"conditions,omitempty"`
	Rollout        *rolloutStatus    `json:"rollout,omitempty"` // of the trial that runs, or of the last one
}

// pluginResource is a resource that a plugin defines.
type pluginResource struct {
	KeyRoot        string   `json:"keyRoot,omitempty"` // where its objects are stored, to find them while nothing serves them
	Group          string   `json:"group"`
	Resource       string   `json:"resource"`
	StoredVersions []string `json:"storedVersions"` // in which objects may be stored; none where the plugin is bound to a definition's resource
}

// bound tells that the resource is a CustomResourceDefinition's.
func (r *pluginResource) bound() bool { return len(r.StoredVersions) == 0 }

// pluginRevision is one module that was pushed.
type pluginRevision struct {
	Revision int64  `json:"revision"`
	Digest   string `json:"digest"`
	Version  string `json:"version,omitempty"`
	ABI      int32  `json:"abi"`
	Bytes    int64  `json:"bytes"`
	PushedAt string `json:"pushedAt"`
	PushedBy string `json:"pushedBy"`
	State    string `json:"state"`
	Message  string `json:"message,omitempty"` // why a trial of it ended
	Bundled  bool   `json:"bundled,omitempty"` // came with the server
	Source   string `json:"source,omitempty"`  // where whoever pushed it had it from

	Signatures []pluginSignature `json:"signatures,omitempty"`
}

// The states of a revision.
const (
	stateActive     = "Active"
	stateSuperseded = "Superseded"
)

type pluginCondition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	LastTransitionTime string `json:"lastTransitionTime"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

// resource is stratagem.dev/v1alpha1 StrategyPlugin, a resource with a native strategy.
func (p *Plugins) resource() (*engine.Resource, error) {
	compiled, err := compileNative(pluginSchema, "StrategyPlugin")
	if err != nil {
		return nil, err
	}
	column := func(name, kind, path, description string) engine.Column {
		return engine.Column{Name: name, Type: kind, JSONPath: path, Description: description}
	}
	digest := column("Digest", "string", "", "sha256 of the active module, its first digits.")
	return &engine.Resource{
		Group: pluginGroup, Plural: "strategyplugins", Singular: "strategyplugin", Kind: "StrategyPlugin", ListKind: "StrategyPluginList",
		ShortNames: []string{"sp"}, KeyRoot: "/" + pluginGroup + "/strategyplugins", Revision: "native",
		Versions: []engine.Version{{Name: pluginVersion, Served: true, Storage: true, Hooks: true, Schema: compiled, Columns: []engine.Column{
			column("Revision", "integer", ".status.activeRevision", "The active revision."),
			column("Version", "string", ".status.version", "The author's version of it."),
			digest,
			column("ABI", "integer", ".status.abi", "The version of the guest ABI."),
			column("Resources", "string", ".status.resourceNames", "The resources that it defines."),
			column("Signed-By", "string", ".status.signedBy", "The policy's keys that have signed the active module."),
			column("State", "string", ".status.state", "The state of the active revision."),
			column("Rollout", "string", ".status.rollout.summary", "What came of the revision that is tried, or was last."),
			column("Age", "date", ".metadata.creationTimestamp", "Time since the first push."),
		}}},
		Strategy: engine.NewNative(pluginStrategy{p}), Traits: engine.Traits{AllowUnconditionalUpdate: true},
	}, nil
}

// pluginStrategy keeps what the server writes from being written by others.
type pluginStrategy struct{ plugins *Plugins }

// PrepareForCreate drops the status of others, and what pushes write into the spec.
func (pluginStrategy) PrepareForCreate(_ context.Context, call *engine.Call) (engine.Object, error) {
	obj := call.Object
	if call.Request.User.Name != systemUser.Name {
		obj = withDecisionsOf(obj, engine.Object(`{}`)).With("status", nil)
	}
	return withGeneration(obj, 1), nil
}

// PrepareForUpdate keeps the status; of the spec what the operator decides on may be changed, the rest is moved by pushes and rollbacks alone.
func (pluginStrategy) PrepareForUpdate(_ context.Context, call *engine.Call) (engine.Object, error) {
	obj := call.Object
	if call.Request.User.Name != systemUser.Name {
		obj = withDecisionsOf(obj, call.Old).With("status", call.Old.Fields().Get("status"))
	}
	meta := call.Old.Meta()
	generation := meta.Int("generation")
	if !bytes.Equal(obj.Fields().Get("spec"), call.Old.Fields().Get("spec")) {
		generation++
	}
	return withGeneration(obj, generation), nil
}

// withGeneration is an object with another generation. It counts the changes of the spec here and not in the engine, since the status is not
// a subresource: the server writes both at once.
func withGeneration(obj engine.Object, generation int64) engine.Object {
	meta := obj.Meta()
	meta.SetInt("generation", generation)
	return obj.WithMeta(meta)
}

// withDecisionsOf is an object with the spec of another one, but what the operator decides on is its own.
func withDecisionsOf(obj, from engine.Object) engine.Object {
	own, spec := engine.ParseFields(obj.Fields().Get("spec")), engine.ParseFields(from.Fields().Get("spec"))
	for _, key := range []string{"bindings", "reads", "rollout", "revisionHistoryLimit", "limits", "reset"} {
		spec.Set(key, own.Get(key))
	}
	return obj.With("spec", spec.Raw())
}

// Validate checks what the operator decides on.
func (s pluginStrategy) Validate(ctx context.Context, call *engine.Call) field.ErrorList {
	return s.ValidateUpdate(ctx, call) // there is no old object
}

// ValidateUpdate checks what the operator decides on, where it has changed.
func (s pluginStrategy) ValidateUpdate(ctx context.Context, call *engine.Call) (errs field.ErrorList) {
	if call.Request.User.Name == systemUser.Name {
		return nil
	}
	errs = append(errs, s.plugins.checkNewBindings(call.Object, call.Old)...)
	errs = append(errs, checkNewReads(call.Object)...)
	errs = append(errs, checkRollout(call.Object, call.Old)...)
	return append(errs, s.plugins.checkNewSettings(ctx, call.Object, call.Old)...)
}

// shownDigits is how much of a digest the table shows.
const shownDigits = len("sha256:") + 12

// ConvertToTable gives the one cell that no path leads to: the digest, shortened.
func (pluginStrategy) ConvertToTable(_ context.Context, call *engine.Call) [][]any {
	rows := make([][]any, len(call.Items))
	for i, item := range call.Items {
		digest := item.Get("status", "digest").String()
		if len(digest) > shownDigits {
			digest = digest[:shownDigits] + "…"
		}
		rows[i] = []any{digest}
	}
	return rows
}
