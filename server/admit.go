package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/policy"
	"github.com/stratagem-dev/stratagem/server/signing"
)

// admission is a module that the policy takes, with all its signatures.
type admission struct {
	signatures []signing.Signature
	verdict    policy.Verdict
}

// admit asks the policy about a module, with the signatures that are stored and those that come with it. It is asked before a
// module is parsed or compiled: at each push, each rollback, and on each replica when it loads what is active. A module
// that is refused is a *policy.Refusal; a signature that is about other bytes is a *host.LoadError whoever signed it.
func (p *Plugins) admit(ctx context.Context, name, digest string, wasm []byte, sent []signing.Signature) (admission, error) {
	for _, s := range sent {
		if err := s.CheckDigest(wasm); err != nil {
			return admission{}, &host.LoadError{Step: "signature", Err: err}
		}
	}
	all, err := p.signatures.get(ctx, digest)
	if err != nil {
		return admission{}, err
	}
	for _, s := range sent {
		if slices.ContainsFunc(all, func(have signing.Signature) bool { return have.Digest() == s.Digest() }) {
			continue
		}
		if all, err = signing.Append(all, s); err != nil {
			return admission{}, &host.LoadError{Step: "signature", Err: err}
		}
	}
	rules, _ := p.server.options.Policy.Current()
	verdict, err := rules.Check(policy.Module{
		Plugin: name, Digest: "sha256:" + digest, Wasm: wasm, Signatures: all, Bundled: p.bundled[name] == digest,
	})
	return admission{all, verdict}, err
}

// noteAdmission writes into a revision what its module was admitted for.
func (s *strategyPlugin) noteAdmission(revision int64, a admission) {
	for i := range s.Status.Revisions {
		if r := &s.Status.Revisions[i]; r.Revision == revision {
			r.Signatures = recordSignatures(a.signatures, a.verdict)
		}
	}
	if s.Status.ActiveRevision != revision {
		return
	}
	s.Status.SignedBy = a.verdict.SignedBy()
	if s.condition(policyCondition) != nil {
		s.setPolicyCondition(nil, a.verdict.Reason)
	}
}

// resign stores signatures that came for the module that is active already, and tells of them.
func (p *Plugins) resign(ctx context.Context, store *engine.Store, in push, plugin *strategyPlugin, stored engine.Object, a admission) (engine.Result, error) {
	if !in.dryRun {
		if err := p.signatures.put(ctx, host.Digest(in.wasm), a.signatures); err != nil {
			return engine.Result{}, err
		}
	}
	plugin.noteAdmission(plugin.Status.ActiveRevision, a)
	return p.write(ctx, store, in.name, plugin, stored, in.dryRun)
}

// policyState is what the policy has said about the active revision of a plugin.
type policyState struct {
	activation int64 // mod revision of the activation
	generation int64 // of the policy
	refusal    *policy.Refusal
	told       bool // in the StrategyPlugin
}

// stillRefused tells whether an activation has been refused by the policy that is in force.
func (p *Plugins) stillRefused(name string, activation int64) bool {
	_, generation := p.server.options.Policy.Current()
	state, known := p.states[name]
	return known && state.refusal != nil && state.activation == activation && state.generation == generation
}

// judged notes what came of loading an activation, and tells whether the policy refused it: that is logged and told in the
// StrategyPlugin, and does not keep others from being served.
//
//   - Where the module that was served goes on, it was not held against the policy again, and what was said of it stands.
//   - What a server says first takes back what one before it may have told.
func (p *Plugins) judged(name string, activation int64, plugin *activePlugin, err error) bool {
	_, generation := p.server.options.Policy.Current()
	was, served := p.states[name], p.active[name]
	if err == nil && was != nil && served != nil && served.module == plugin.module {
		was.activation = activation
		return false
	}
	state := &policyState{activation: activation, generation: generation}
	if errors.As(err, &state.refusal) {
		p.server.log.Error("a plugin is not put in force; what was served before stays", "plugin", name, "error", err)
	} else {
		state.told = p.server.options.Policy == nil || was != nil && was.refusal == nil
	}
	p.states[name] = state
	return state.refusal != nil
}

// policyChanged loads what a new policy allows, and looks again at what is served. That stays served whatever the policy
// says: see RATIONALE.md.
func (p *Plugins) policyChanged(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, active := range p.active {
		p.holdTrial(ctx, name, active)
		if p.stillRefused(name, active.guard.Revision) {
			continue
		}
		if state := p.states[name]; state != nil && state.activation != active.guard.Revision {
			continue // what is served is not what is active: refresh looks at that
		}
		digest := active.activation.Digest
		wasm, err := p.modules.get(ctx, digest)
		if err == nil {
			_, err = p.admit(ctx, name, digest, wasm, nil)
		}
		var refusal *policy.Refusal
		if err != nil && !errors.As(err, &refusal) {
			p.server.log.Error("a plugin could not be held against the policy", "plugin", name, "error", err)
			continue
		}
		p.judgedServed(name, active.guard.Revision, refusal)
	}
	if err := p.refresh(ctx); err != nil {
		p.server.log.Error("a plugin cannot be served", "error", err)
	}
}

// holdTrial logs a revision on trial that the policy refuses: it cannot be promoted, and a server that starts does not try it.
func (p *Plugins) holdTrial(ctx context.Context, name string, active *activePlugin) {
	if active.trial == nil {
		return
	}
	digest := active.trial.named.Digest
	wasm, err := p.modules.get(ctx, digest)
	if err == nil {
		_, err = p.admit(ctx, name, digest, wasm, nil)
	}
	if err != nil {
		p.server.log.Error("a revision is on trial that the policy does not take; end the trial", "plugin", name, "revision", active.trial.named.Revision, "error", err)
	}
}

// judgedServed notes what a new policy says about a plugin that is served.
func (p *Plugins) judgedServed(name string, activation int64, refusal *policy.Refusal) {
	_, generation := p.server.options.Policy.Current()
	was := p.states[name]
	p.states[name] = &policyState{activation: activation, generation: generation, refusal: refusal, told: refusal == nil && (was == nil || was.refusal == nil)}
	if refusal != nil {
		p.server.log.Error("a plugin is served that the policy now refuses; disable it or roll it back", "plugin", name, "error", refusal)
	}
}

// tellRefusals writes into StrategyPlugins what the policy says of them, where that has changed. It forgets those without an
// activation.
func (p *Plugins) tellRefusals(ctx context.Context, activated map[string]bool) {
	maps.DeleteFunc(p.states, func(name string, _ *policyState) bool { return !activated[name] })
	for name, state := range p.states {
		if state.told {
			continue
		}
		if err := p.tellRefusal(ctx, name, state); err != nil {
			p.server.log.Warn("a StrategyPlugin could not be told what the policy says", "plugin", name, "error", err)
			continue
		}
		state.told = true
	}
}

func (p *Plugins) tellRefusal(ctx context.Context, name string, state *policyState) error {
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.read(ctx, store, name)
	if err != nil || stored == nil {
		return err
	}
	was := plugin.condition(policyCondition)
	if was == nil && state.refusal == nil {
		return nil
	}
	plugin.setPolicyCondition(state.refusal, "the policy takes the active revision")
	if now := plugin.condition(policyCondition); was != nil && was.Status == now.Status && was.Message == now.Message {
		return nil
	}
	_, err = p.write(ctx, store, name, plugin, stored, false)
	return err
}

// policyCondition is the type of the condition that tells whether a server's policy takes the active revision.
const policyCondition = "PolicyAllowed"

// condition returns a copy of a condition, or nil.
func (s *strategyPlugin) condition(kind string) *pluginCondition {
	for _, c := range s.Status.Conditions {
		if c.Type == kind {
			return &c
		}
	}
	return nil
}

// setPolicyCondition tells that the policy refuses the active revision, or takes it again.
func (s *strategyPlugin) setPolicyCondition(refusal *policy.Refusal, taken string) {
	now := pluginCondition{Type: policyCondition, Status: "True", Reason: "Allowed", Message: taken, LastTransitionTime: time.Now().UTC().Format(time.RFC3339)}
	if refusal != nil {
		now.Status, now.Reason = "False", "Refused"
		now.Message = fmt.Sprintf("revision %d: %s; a server that did not serve it before does not, and one that did goes on", s.Status.ActiveRevision, strings.TrimPrefix(refusal.Error(), "the plugin policy refuses "))
	}
	i := slices.IndexFunc(s.Status.Conditions, func(c pluginCondition) bool { return c.Type == policyCondition })
	if i < 0 {
		s.Status.Conditions = append(s.Status.Conditions, now)
		return
	}
	if s.Status.Conditions[i].Status == now.Status {
		now.LastTransitionTime = s.Status.Conditions[i].LastTransitionTime
	}
	s.Status.Conditions[i] = now
}
