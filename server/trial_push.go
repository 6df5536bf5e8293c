package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

var rolloutPath = field.NewPath("spec", "rollout")

var pluginKind = schema.GroupKind{Group: pluginGroup, Kind: "StrategyPlugin"}

// sentRollout reads from the parameters of an upload how the revision is to be tried: rollout=Shadow or Canary, and with it percent,
// namespaceSelector, maxErrorPercent, minRequests. nil: it becomes the active one.
func sentRollout(name string, query url.Values) (*rollout.Spec, error) {
	if !query.Has("rollout") {
		for _, key := range []string{"percent", "namespaceSelector", "maxErrorPercent", "minRequests"} {
			if query.Has(key) {
				return nil, badRequest("%s: may be given together with rollout=Shadow or rollout=Canary only", key)
			}
		}
		return nil, nil
	}
	spec := &rollout.Spec{Revision: 1, Mode: rollout.Mode(query.Get("rollout"))}
	for key, into := range map[string]**int32{"percent": &spec.Percent, "maxErrorPercent": &spec.MaxErrorPercent, "minRequests": &spec.MinRequests} {
		if !query.Has(key) {
			continue
		}
		n, err := strconv.ParseInt(query.Get(key), 10, 32)
		if err != nil {
			return nil, badRequest("%s: Invalid value: %q: must be a number", key, query.Get(key))
		}
		value := int32(n)
		*into = &value
	}
	if text := query.Get("namespaceSelector"); text != "" {
		selector, err := metav1.ParseToLabelSelector(text)
		if err != nil {
			return nil, badRequest("namespaceSelector: Invalid value: %q: %v", text, err)
		}
		spec.NamespaceSelector = selector
	}
	if errs := spec.Validate(rolloutPath); len(errs) > 0 {
		return nil, &engine.InvalidError{Kind: pluginKind, Name: name, Errors: errs}
	}
	return spec, nil
}

// pushTrial makes a verified module a revision that is tried beside the active one.
func (p *Plugins) pushTrial(ctx context.Context, store *engine.Store, in push, plugin *strategyPlugin, stored engine.Object, module *host.Module, a admission) (engine.Result, error) {
	active := p.active[in.name]
	if active == nil {
		return engine.Result{}, badRequest("plugin %q has no active revision that another one could be tried beside: push it without a rollout first", in.name)
	}
	if err := p.mayTry(active, module); err != nil {
		return engine.Result{}, err
	}
	revision := plugin.lastRevision() + 1
	plugin.addRevision(in, revision, module)
	plugin.noteAdmission(revision, a)
	spec := *in.rollout
	spec.Revision = revision
	plugin.Spec.Rollout = &spec
	if in.dryRun {
		result, err := p.write(ctx, store, in.name, plugin, stored, true)
		return result, errors.Join(err, module.Close(ctx))
	}
	if err := p.keep(ctx, in, module.Digest); err != nil {
		return engine.Result{}, err
	}
	p.spare[module.Digest] = module
	result, err := p.write(ctx, store, in.name, plugin, stored, false)
	if err != nil {
		return engine.Result{}, err
	}
	if result.Object, err = p.reconcile(ctx, in.name); err != nil {
		return engine.Result{}, err
	}
	if now := p.active[in.name]; now == nil || now.trial == nil || now.trial.named.Revision != revision {
		return engine.Result{}, errors.New("the revision is stored but could not be tried: see the condition Rollout")
	}
	return result, nil
}

// keep stores a module and its signatures.
func (p *Plugins) keep(ctx context.Context, in push, digest string) error {
	if err := p.modules.put(ctx, in.wasm); err != nil {
		return err
	}
	return p.signatures.put(ctx, digest, in.signatures)
}

// checkRollout finds what is wrong with the trial that an operator writes into a spec, where it has changed.
func checkRollout(obj, old engine.Object) (errs field.ErrorList) {
	if limit := obj.Get("spec", "revisionHistoryLimit"); limit.Exists() && (limit.Int() < 1 || limit.Int() > maxHistory) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "revisionHistoryLimit"), limit.Int(), fmt.Sprintf("must be between 1 and %d, inclusive", maxHistory)))
	}
	raw := obj.Get("spec", "rollout").Raw
	if raw == "" || raw == "null" || old != nil && raw == old.Get("spec", "rollout").Raw {
		return errs
	}
	var spec rollout.Spec
	if err := json.Unmarshal([]byte(raw), &spec); err != nil {
		return append(errs, field.Invalid(rolloutPath, field.OmitValueType{}, err.Error()))
	}
	errs = append(errs, spec.Validate(rolloutPath)...)
	var plugin strategyPlugin
	if err := json.Unmarshal(obj, &plugin); err != nil {
		return append(errs, field.InternalError(rolloutPath, err))
	}
	switch {
	case spec.Revision < 1:
	case plugin.Status.ActiveRevision == spec.Revision:
		errs = append(errs, field.Invalid(rolloutPath.Child("revision"), spec.Revision, "is the active revision"))
	case plugin.digestOf(spec.Revision) == "":
		errs = append(errs, field.Invalid(rolloutPath.Child("revision"), spec.Revision, "is not in the history; there are: "+plugin.history()))
	}
	return errs
}
