package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// Reconcile makes a StrategyPlugin and its activation agree, whoever left them apart: see reconcile.
func (p *Plugins) Reconcile(ctx context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := p.reconcile(ctx, name)
	return err
}

// reconcile has the activation follow what the spec says of trials, and the status tell what the activation says. It goes by how things
// are and not by what has happened, so that any replica finishes what another one could not. It returns the StrategyPlugin as it is then.
func (p *Plugins) reconcile(ctx context.Context, name string) (engine.Object, error) {
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.read(ctx, store, name)
	if err != nil || stored == nil {
		return nil, err
	}
	refusal, err := p.followSpec(ctx, name, plugin)
	if err != nil {
		return nil, err
	}
	a, err := p.activationOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return p.modify(ctx, name, func(now *strategyPlugin) {
		now.follow(a, p.active[name])
		if refusal != nil && sameTrial(now.Spec.Rollout, plugin.Spec.Rollout) {
			now.setCondition(conditionTrial, "False", reasonRefused, refusal.Error())
		}
	})
}

// reconcileAll reconciles all StrategyPlugins.
func (p *Plugins) reconcileAll(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	page, err := p.raw.List(ctx, pluginsRoot, engine.ListOptions{})
	for _, item := range page.Items {
		name := strings.TrimPrefix(item.Key, pluginsRoot)
		if _, failed := p.reconcile(ctx, name); failed != nil {
			err = errors.Join(err, fmt.Errorf("plugin %q: %w", name, failed))
		}
	}
	if err != nil && ctx.Err() == nil {
		p.server.log.Warn("a StrategyPlugin does not tell what is", "error", err)
	}
}

const pluginsRoot = "/" + pluginGroup + "/strategyplugins/"

// followSpec puts the trial in force that a StrategyPlugin asks for, or ends the one that it asks for no longer. refusal is why the
// trial cannot be.
func (p *Plugins) followSpec(ctx context.Context, name string, plugin *strategyPlugin) (refusal, err error) {
	a, err := p.activationOf(ctx, name)
	if err != nil {
		return nil, err
	}
	want := plugin.Spec.Rollout
	switch {
	case a == nil && want != nil:
		return errors.New("no revision is active that another one could be tried beside"), nil
	case a == nil, want == nil && a.Trial == nil, a.Trial != nil && sameTrial(want, &a.Trial.Spec), a.ended(plugin):
		return nil, nil
	case want == nil:
		started := a.Trial.StartedAt
		err = p.moveActivation(ctx, name, func(a *activation) {
			if a.Trial != nil && a.Trial.StartedAt == started {
				a.endTrial(reasonEnded, fmt.Sprintf("the %s of revision %d was ended: spec.rollout is no longer there", strings.ToLower(string(a.Trial.Mode)), a.Trial.Revision))
			}
		})
	default:
		var trial *activeTrial
		if trial, refusal, err = p.prepareTrial(ctx, name, plugin); trial == nil {
			return refusal, err
		}
		err = p.moveActivation(ctx, name, func(a *activation) {
			if a.Trial == nil || !sameTrial(&a.Trial.Spec, &trial.Spec) {
				a.endTrial(reasonReplaced, "another rollout was asked for")
				a.Trial = trial
			}
		})
	}
	if err == nil {
		err = p.refresh(ctx)
	}
	return nil, err
}

// ended tells whether the trial that a StrategyPlugin asks for is the one that has ended already.
func (a *activation) ended(plugin *strategyPlugin) bool {
	if a.Trial != nil || a.Ended == nil || !sameTrial(plugin.Spec.Rollout, &a.Ended.Spec) {
		return false
	}
	told := plugin.Status.Rollout
	return a.Ended.Generation == plugin.generation() || told != nil && told.StartedAt == a.Ended.StartedAt && told.EndedAt == ""
}

// prepareTrial loads the revision that a StrategyPlugin asks to be tried. It is tried once for each generation of it whether it can be.
func (p *Plugins) prepareTrial(ctx context.Context, name string, plugin *strategyPlugin) (t *activeTrial, refusal, err error) {
	if was := p.refused[name]; was != nil && was.generation == plugin.generation() {
		return nil, was.why, nil
	}
	want := *plugin.Spec.Rollout
	if refusal = p.checkTrial(ctx, name, plugin, want); refusal != nil {
		p.refused[name] = &refusedTrial{plugin.generation(), refusal}
		return nil, refusal, nil
	}
	delete(p.refused, name)
	return &activeTrial{
		Spec: want, Digest: plugin.digestOf(want.Revision), Generation: plugin.generation(), StartedAt: time.Now().UTC().Format(startFormat),
	}, nil, nil
}

// startFormat is RFC 3339 with all its digits, so that times sort as texts.
const startFormat = "2006-01-02T15:04:05.000000000Z07:00"

// refusedTrial is why a trial that a generation of a StrategyPlugin asks for cannot be.
type refusedTrial struct {
	generation int64
	why        error
}

// checkTrial decides whether a revision in the history can be tried beside the active one.
func (p *Plugins) checkTrial(ctx context.Context, name string, plugin *strategyPlugin, want rollout.Spec) error {
	if errs := want.Validate(rolloutPath); len(errs) > 0 {
		return errs.ToAggregate()
	}
	digest := plugin.digestOf(want.Revision)
	if digest == "" {
		return fmt.Errorf("revision %d is not in the history; there are %s", want.Revision, plugin.history())
	}
	active := p.active[name]
	if active == nil {
		return errors.New("the active revision is not served here")
	}
	if active.activation.Revision == want.Revision {
		return fmt.Errorf("revision %d is the active one", want.Revision)
	}
	module, err := p.load(ctx, name, want.Revision, digest)
	if err != nil {
		return err
	}
	if err := p.mayTry(active, module); err != nil {
		return err
	}
	p.spare[digest] = module
	return nil
}

// mayTry decides whether a module can be tried beside the active one: only hooks can be.
func (p *Plugins) mayTry(active *activePlugin, module *host.Module) error {
	if differences := describedDifferently(active.module.Resources, module.Resources); len(differences) > 0 {
		return &host.LoadError{Step: "describe", Err: fmt.Errorf("only hooks can be tried beside the active revision, and the description differs: %s", strings.Join(differences, "; "))}
	}
	if _, errs := boundBy(module, active.activation.Bindings); len(errs) > 0 {
		return &host.LoadError{Step: "bind", Err: errs.ToAggregate()}
	}
	return nil
}

// digestOf is the digest of a revision in the history, in hex; "" where it is not there.
func (s *strategyPlugin) digestOf(revision int64) string {
	for _, r := range s.Status.Revisions {
		if r.Revision == revision {
			return strings.TrimPrefix(r.Digest, "sha256:")
		}
	}
	return ""
}
