package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// PluginSettings are what plugins may use and keep: by default, at most, and by the operator's word in a StrategyPlugin.
type PluginSettings struct {
	// Limits and Reset are what a plugin has whose StrategyPlugin says nothing; the zero values are the host's defaults.
	Limits host.Limits
	// Caps are the most that a StrategyPlugin may say; those at zero are host.LimitCaps.
	Caps host.Limits
	// Reset is the fewest resets that an author may ask for where the StrategyPlugin says nothing.
	Reset host.Reset
}

// pluginLimits are the limits in a StrategyPlugin, by their names.
type pluginLimits map[string]limitValue

// limitValue is a limit as it stands in JSON: a number or a string.
type limitValue string

// UnmarshalJSON keeps the value as it is.
func (v *limitValue) UnmarshalJSON(raw []byte) error {
	*v = limitValue(raw)
	return nil
}

// MarshalJSON is the value as it was.
func (v limitValue) MarshalJSON() ([]byte, error) { return []byte(v), nil }

func (v limitValue) text() string {
	if text, err := strconv.Unquote(string(v)); err == nil {
		return text
	}
	return string(v)
}

// pluginReset is the fewest resets of instances that the author of a plugin may ask for.
type pluginReset struct {
	Every             int   `json:"every,omitempty"`
	OnGrowth          bool  `json:"onGrowth,omitempty"`
	BetweenNamespaces *bool `json:"betweenNamespaces,omitempty"`
}

// mostCalls is how many calls there may be between resets.
const mostCalls = 1_000_000

// reset is what the host makes of it: between namespaces too, unless the operator says otherwise.
func (r *pluginReset) reset() host.Reset {
	return host.Reset{Every: max(1, r.Every), OnGrowth: r.OnGrowth, BetweenNamespaces: r.BetweenNamespaces == nil || *r.BetweenNamespaces}
}

// hostOptions are what a plugin's modules are loaded with, by its spec as it was read last.
func (p *Plugins) hostOptions(name string) host.Options {
	spec := p.specs[name]
	if spec == nil {
		spec = &pluginSpec{}
	}
	return p.hostOptionsOf(name, spec)
}

// hostOptionsOf are what a plugin's modules are loaded with if it has that spec. What is above a cap, because that has been lowered
// since, is cut down to it.
func (p *Plugins) hostOptionsOf(name string, spec *pluginSpec) host.Options {
	options, settings := p.server.options.Host, p.server.options.Plugins
	options.Reader = p.reader(name)
	caps := host.LimitCaps().With(settings.Caps)
	limits := host.DefaultLimits().With(settings.Limits)
	for name, value := range spec.Limits {
		if limit, known := host.LimitByName(name); known {
			if set, err := limit.Parse(value.text()); err == nil {
				limits.Set(limit, set)
			}
		}
	}
	for _, limit := range host.AllLimits() {
		limits.Set(limit, min(limits.Get(limit), caps.Get(limit)))
	}
	options.Limits, options.ResetAllowed = limits, settings.Reset
	if spec.Reset != nil {
		options.ResetAllowed = spec.Reset.reset()
	}
	return options
}

var (
	limitsPath = field.NewPath("spec", "limits")
	resetPath  = field.NewPath("spec", "reset")
)

// checkSettings finds what is wrong with limits and reset.
func (p *Plugins) checkSettings(spec *pluginSpec) (errs field.ErrorList) {
	caps := host.LimitCaps().With(p.server.options.Plugins.Caps)
	names := make([]string, 0, len(spec.Limits))
	for name := range spec.Limits {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		text := spec.Limits[name].text()
		limit, known := host.LimitByName(name)
		if !known {
			errs = append(errs, field.Invalid(limitsPath.Child(name), text, "there is no such limit"))
			continue
		}
		value, err := limit.Parse(text)
		switch most := caps.Get(limit); {
		case err != nil:
			errs = append(errs, field.Invalid(limitsPath.Child(name), text, err.Error()))
		case value > most:
			errs = append(errs, field.Invalid(limitsPath.Child(name), text, fmt.Sprintf("must be at most %s, the server's cap (--plugin-limit-caps)", limit.Format(most))))
		}
	}
	if r := spec.Reset; r != nil && (r.Every < 0 || r.Every > mostCalls) {
		errs = append(errs, field.Invalid(resetPath.Child("every"), r.Every, fmt.Sprintf("must be between 1 and %d", mostCalls)))
	}
	return errs
}

// checkNewSettings finds what is wrong with the limits and the reset that an operator gives a plugin: also that its active
// module cannot be loaded with them. What has been loaded for that is what will be served.
//
//   - The lock is held by Create and Update. Writes that leave the settings alone are not looked at, and may come without it.
func (p *Plugins) checkNewSettings(ctx context.Context, obj, old engine.Object) field.ErrorList {
	if old != nil && sameSettings(obj, old) {
		return nil
	}
	var plugin strategyPlugin
	if err := json.Unmarshal(obj, &plugin); err != nil {
		return field.ErrorList{field.InternalError(limitsPath, err)}
	}
	if errs := p.checkSettings(&plugin.Spec); len(errs) > 0 {
		return errs
	}
	active := p.active[obj.Name()]
	if old == nil || active == nil || active.module.LoadedWith(p.hostOptionsOf(obj.Name(), &plugin.Spec)) {
		return nil
	}
	module, err := p.loadStored(ctx, obj.Name(), active.activation.Revision, active.activation.Digest, &plugin.Spec)
	var refused *host.LoadError
	switch {
	case errors.As(err, &refused):
		return field.ErrorList{field.Invalid(limitsPath, field.OmitValueType{}, fmt.Sprintf("the active module cannot be loaded within them: %v", refused))}
	case err != nil:
		return field.ErrorList{field.InternalError(limitsPath, err)}
	}
	p.spare[active.activation.Digest] = module
	return nil
}

func sameSettings(a, b engine.Object) bool {
	return a.Get("spec", "limits").Raw == b.Get("spec", "limits").Raw && a.Get("spec", "reset").Raw == b.Get("spec", "reset").Raw
}

// loadStored loads a stored module as the spec has it.
func (p *Plugins) loadStored(ctx context.Context, name string, revision int64, digest string, spec *pluginSpec) (*host.Module, error) {
	wasm, err := p.modules.get(ctx, digest)
	if err != nil {
		return nil, err
	}
	return host.Load(ctx, wasm, revisionName(name, revision), p.hostOptionsOf(name, spec))
}

// readSpecs reads the specs of all stored StrategyPlugins. One that cannot be read has the defaults.
func (p *Plugins) readSpecs(ctx context.Context) error {
	page, err := p.raw.List(ctx, pluginsRoot, engine.ListOptions{})
	if err != nil {
		return err
	}
	p.specs = make(map[string]*pluginSpec, len(page.Items))
	for _, item := range page.Items {
		var spec pluginSpec
		if err := json.Unmarshal([]byte(engine.Object(item.Data).Get("spec").Raw), &spec); err != nil {
			p.server.log.Error("the spec of a plugin cannot be read", "key", item.Key, "error", err)
		}
		p.specs[strings.TrimPrefix(item.Key, pluginsRoot)] = &spec
	}
	return nil
}

// replaced drops the metrics of revisions that serve no longer, the active one or the one on trial.
func (p *Plugins) replaced(was, now *activePlugin) {
	serving := now.revisions()
	for _, revision := range was.revisions() {
		if !slices.Contains(serving, revision) {
			p.server.options.Host.Metrics.Forget(revision)
		}
	}
}

// revisions are those that serve requests; none of a nil plugin.
func (a *activePlugin) revisions() (serving []string) {
	if a == nil {
		return nil
	}
	if serving = append(serving, a.module.Revision()); a.trial != nil {
		serving = append(serving, a.trial.module.Revision())
	}
	return serving
}

// followSettings keeps up with what other replicas write into StrategyPlugins, until ctx ends.
func (p *Plugins) followSettings(ctx context.Context) {
	for ctx.Err() == nil {
		if watcher, err := p.raw.Watch(ctx, pluginsRoot, engine.WatchOptions{}); err == nil {
			if err := p.Refresh(ctx); err != nil {
				p.server.log.Error("a plugin cannot be served", "error", err)
			}
			for range watcher.Events() {
				if err := p.Refresh(ctx); err != nil {
					p.server.log.Error("a plugin cannot be served", "error", err)
				}
			}
			watcher.Stop()
		}
		select {
		case <-ctx.Done():
		case <-time.After(followPause):
		}
	}
}
