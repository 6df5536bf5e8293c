package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/crd"
	"github.com/stratagem-dev/stratagem/server/rollout"
)

// activeTrial is a revision that is tried beside the active one, as an activation names it: what all replicas follow, and
// what every write of the plugin's resources is guarded by.
type activeTrial struct {
	rollout.Spec
	Digest string `json:"digest"`
	// Generation is that of the StrategyPlugin whose spec asked for the trial.
	Generation int64 `json:"generation"`
	// StartedAt tells a trial from a later one of the same revision.
	StartedAt string `json:"startedAt"`
}

// endedTrial is the last trial that has ended, and why.
type endedTrial struct {
	activeTrial
	EndedAt string `json:"endedAt"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// trial is a revision on trial as this server serves it.
type trial struct {
	*rollout.Trial
	plugin string
	named  activeTrial
	module *host.Module
	twins  map[schema.GroupResource]*rollout.Twins

	told *toldCounts // for reportAll alone
}

// toldCounts are what has been told of a trial's counts: in this server's entry in the StrategyPlugin, and what of them has been added up with
// those of others since.
type toldCounts struct {
	reported *rollout.Counts
	folded   rollout.Counts
}

// begin puts the trial of an activation in force, beside the stores of the active revision. What was counted before stays where it is
// the same trial still.
//
//   - A revision that cannot be tried on this server is no reason to end what is active on it.
func (p *Plugins) beginTrial(ctx context.Context, name string, plugin *activePlugin) {
	named := plugin.activation.Trial
	if named == nil {
		return
	}
	t := &trial{plugin: name, named: *named, twins: map[schema.GroupResource]*rollout.Twins{}, told: &toldCounts{}}
	var err error
	if was := p.active[name]; was != nil && was.trial != nil && was.trial.named.StartedAt == named.StartedAt {
		t.Trial, t.module, t.told = was.trial.Trial, was.trial.module, was.trial.told
	} else if err = p.loadTrial(ctx, t); err != nil {
		p.server.log.Error("a revision cannot be tried", "plugin", name, "revision", named.Revision, "error", err)
		return
	}
	if differences := describedDifferently(plugin.module.Resources, t.module.Resources); len(differences) > 0 {
		p.server.log.Error("a revision cannot be tried", "plugin", name, "revision", named.Revision, "differs", differences)
		return
	}
	for _, store := range plugin.stores {
		for _, r := range t.module.Resources {
			if gr := r.GroupResource(); gr == store.Resource.GroupResource() && !r.Bind {
				t.twins[gr] = rollout.NewTwins(store, r)
			}
		}
	}
	plugin.trial = t
}

// loadTrial loads the module of a trial.
func (p *Plugins) loadTrial(ctx context.Context, t *trial) (err error) {
	if t.Trial, err = rollout.NewTrial(t.named.Spec); err != nil {
		return err
	}
	t.module, err = p.load(ctx, t.plugin, t.named.Revision, t.named.Digest)
	return err
}

// load loads a revision of a plugin, or takes it where it has been loaded already.
func (p *Plugins) load(ctx context.Context, name string, revision int64, digest string) (*host.Module, error) {
	called := revisionName(name, revision)
	if ready := p.spare[digest]; ready != nil && ready.Revision() == called && ready.LoadedWith(p.hostOptions(name)) {
		delete(p.spare, digest)
		return ready, nil
	}
	if active := p.active[name]; active != nil && active.trial != nil && active.trial.module.Revision() == called && active.trial.named.Digest == digest && active.trial.module.LoadedWith(p.hostOptions(name)) {
		return active.trial.module, nil
	}
	wasm, err := p.modules.get(ctx, digest)
	if err != nil {
		return nil, err
	}
	if _, err := p.admit(ctx, name, digest, wasm, nil); err != nil {
		return nil, err
	}
	return host.Load(ctx, wasm, called, p.hostOptions(name))
}

// trials are the revisions on trial, by the resources of their plugins; nil without any.
func (p *Plugins) trials(stores []*engine.Store) map[schema.GroupResource]*trial {
	var all map[schema.GroupResource]*trial
	for _, plugin := range p.active {
		if plugin.trial == nil {
			continue
		}
		t := plugin.trial.withBound(plugin, stores)
		for gr := range t.twins {
			if all == nil {
				all = map[schema.GroupResource]*trial{}
			}
			all[gr] = t
		}
	}
	return all
}

// withBound is the trial with twins for what the plugin is bound to, whose stores are those of the definitions.
func (t *trial) withBound(plugin *activePlugin, stores []*engine.Store) *trial {
	if len(plugin.bound) == 0 {
		return t
	}
	whole := *t
	whole.twins = maps.Clone(t.twins)
	for _, store := range stores {
		if r := plugin.reboundTo(t.module, store.Resource); r != nil {
			whole.twins[store.Resource.GroupResource()] = rollout.NewTwins(store, r)
		}
	}
	return &whole
}

// reboundTo is what another module makes of the resource of a definition that the plugin is bound to; nil where it is not bound to that.
func (p *activePlugin) reboundTo(module *host.Module, r *engine.Resource) *engine.Resource {
	is := func(b *engine.Resource) bool { return b.GroupResource() == r.GroupResource() }
	if !slices.ContainsFunc(p.bound, is) {
		return nil
	}
	bound, _ := boundBy(module, p.activation.Bindings)
	if i := slices.IndexFunc(bound, is); i >= 0 {
		return crd.Rebound(r, bound[i])
	}
	return crd.Rebound(r, &engine.Resource{Revision: module.Revision()})
}

// leave ends what was counted for a trial that this server no longer serves; its last figures are still to be reported.
func (p *Plugins) leave(was, now *activePlugin) {
	if was == nil || was.trial == nil || now != nil && now.trial != nil && now.trial.Trial == was.trial.Trial {
		return
	}
	was.trial.End()
	p.past = append(p.past, was.trial)
}

// labelsOf finds the labels of a namespace, none of one that is not there.
func (p *Plugins) labelsOf(ctx context.Context) func(string) labels.Set {
	return func(name string) labels.Set {
		key, storage := "/namespaces/"+name, p.lifecycle.storage
		var item engine.Item
		peeker, known := storage.(engine.Peeker)
		if known {
			item, known = peeker.Peek(key)
		}
		if !known {
			var err error
			if item, err = storage.Get(ctx, key); err != nil {
				return nil
			}
		}
		set := labels.Set{}
		for key, value := range engine.Object(item.Data).Get("metadata", "labels").Map() {
			set[key] = value.String()
		}
		return set
	}
}

// endTrialTime bounds how long a failing request waits for the end of the canary that failed it.
const endTrialTime = 10 * time.Second

// breach ends a canary that has failed too often: in the storage first, so that no replica makes another write by it.
func (p *Plugins) breach(ctx context.Context, t *trial, why string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTrialTime)
	defer cancel()
	message := fmt.Sprintf("the canary of revision %d was rolled back: %s", t.named.Revision, why)
	p.server.log.Warn("a canary failed too often and was rolled back", "plugin", t.plugin, "revision", t.named.Revision, "why", why)
	err := p.moveActivation(ctx, t.plugin, func(a *activation) {
		if a.Trial != nil && a.Trial.StartedAt == t.named.StartedAt {
			a.endTrial(reasonErrorRate, message)
		}
	})
	if err == nil {
		err = p.Refresh(ctx)
	}
	if err == nil {
		err = p.Reconcile(ctx, t.plugin)
	}
	if err != nil {
		p.server.log.Error("a canary could not be rolled back as a whole", "plugin", t.plugin, "error", err)
	}
}

// endTrial takes the trial out of an activation.
func (a *activation) endTrial(reason, message string) {
	if a.Trial == nil {
		return
	}
	a.Ended = &endedTrial{activeTrial: *a.Trial, EndedAt: time.Now().UTC().Format(time.RFC3339), Reason: reason, Message: message}
	a.Trial = nil
}
