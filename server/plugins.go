package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/crd"
)

// Plugins loads the active revisions of all strategy plugins and puts their resources in force.
//
// What is active is decided in the storage, by one small key for each plugin: its activation. A push writes it
// last; every replica follows it; and every write of a resource is guarded by its revision, so that none is made by a
// revision that is no longer active.
type Plugins struct {
	server     *Server
	raw        engine.Storage
	modules    modules
	signatures signatures
	bundled    map[string]string // digests of the modules built in, by plugin
	lifecycle  *lifecycle

	mu          sync.Mutex // guards what follows: held while plugins are loaded, never by requests
	native      []*engine.Store
	definitions *crd.Registry
	active      map[string]*activePlugin
	spare       map[string]*host.Module // verified by a push and not yet active, by digest
	caches      map[string]engine.Storage
	filling     []filler               // the caches that readiness waits for
	specs       map[string]*pluginSpec // as they were read last
	states      map[string]*policyState
	refused     map[string]*refusedTrial
	past        []*trial // ended, and their last figures not yet reported
}

// activePlugin is a plugin that is served.
type activePlugin struct {
	activation activation
	guard      engine.Guard
	module     *host.Module
	stores     []*engine.Store
	bound      []*engine.Resource // to resources of definitions
	trial      *trial             // nil where no revision is tried
}

// activation is the value of an activation key.
type activation struct {
	Revision int64           `json:"revision"`
	Digest   string          `json:"digest"`
	Bindings []pluginBinding `json:"bindings,omitempty"`
	// Trial is the revision that is tried beside it, and Ended the last one that was.
	Trial *activeTrial `json:"trial,omitempty"`
	Ended *endedTrial  `json:"ended,omitempty"`
}

const activationsRoot = "/" + pluginGroup + "/activations/"

func newPlugins(s *Server) *Plugins {
	p := &Plugins{
		server: s, raw: s.options.Storage, modules: modules{s.options.Storage}, active: map[string]*activePlugin{},
		spare: map[string]*host.Module{}, caches: map[string]engine.Storage{}, specs: map[string]*pluginSpec{}, signatures: signatures{s.options.Storage},
		bundled: map[string]string{}, states: map[string]*policyState{}, refused: map[string]*refusedTrial{},
	}
	for name, wasm := range s.options.Bundled {
		p.bundled[name] = host.Digest(wasm)
	}
	p.definitions = crd.NewRegistry(s.store, s.options.Webhooks)
	return p
}

// storage is where the reads below a key root come from.
func (p *Plugins) storage(keyRoot string) engine.Storage {
	if p.server.options.Cache == nil {
		if t := p.server.options.Tracing; t != nil {
			return t.storage(p.raw)
		}
		return p.raw
	}
	cache := p.caches[keyRoot]
	if cache == nil {
		cache = p.server.options.Cache(keyRoot)
		if filler, ok := cache.(filler); ok && !p.server.ready.Load() {
			p.filling = append(p.filling, filler)
		}
		if t := p.server.options.Tracing; t != nil {
			cache = t.storage(cache)
		}
		p.caches[keyRoot] = cache
	}
	return cache
}

// filler is a cache that answers from memory once it has been filled.
type filler interface {
	Ready(ctx context.Context) error
}

// filled is closed when all caches have been filled that there are by now; not when ctx ends before.
func (p *Plugins) filled(ctx context.Context) <-chan struct{} {
	p.mu.Lock()
	waiting := p.filling
	p.filling = nil
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		for _, cache := range waiting {
			if err := cache.Ready(ctx); err != nil && ctx.Err() != nil {
				return
			}
		}
		close(done)
	}()
	return done
}

// forget gives the memory free that served what is gone; watches of it end.
func (p *Plugins) forget(keyRoots []string) {
	for _, root := range keyRoots {
		if cache, ok := p.caches[root].(interface{ Stop() }); ok {
			cache.Stop()
		}
		delete(p.caches, root)
	}
}

// Refresh makes what is served agree with the activations in the storage.
func (p *Plugins) Refresh(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refresh(ctx)
}

func (p *Plugins) refresh(ctx context.Context) error {
	claims, err := p.boundClaims(ctx)
	if err != nil {
		return err
	}
	page, err := p.raw.List(ctx, activationsRoot, engine.ListOptions{})
	if err != nil {
		return err
	}
	if err := p.readSpecs(ctx); err != nil {
		return err
	}
	changed := p.native == nil
	if changed {
		if err := p.makeNative(); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	var errs []error
	for _, item := range page.Items {
		name := strings.TrimPrefix(item.Key, activationsRoot)
		seen[name] = true
		if was := p.active[name]; was != nil && was.guard.Revision == item.Revision && was.module.LoadedWith(p.hostOptions(name)) {
			continue
		}
		if p.stillRefused(name, item.Revision) {
			continue
		}
		plugin, err := p.activate(ctx, name, item)
		if p.judged(name, item.Revision, plugin, err) {
			continue
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.leave(p.active[name], plugin)
		p.replaced(p.active[name], plugin)
		p.active[name], changed = plugin, true
		p.server.metrics.plugins.WithLabelValues(name).Set(float64(plugin.activation.Revision))
	}
	for name := range p.active {
		if !seen[name] {
			p.leave(p.active[name], nil)
			p.replaced(p.active[name], nil)
			delete(p.active, name)
			delete(p.states, name)
			p.server.metrics.plugins.DeleteLabelValues(name)
			changed = true
		}
	}
	defined, err := p.refreshDefinitions(ctx, p.bindings(claims))
	if err != nil {
		errs = append(errs, err)
	}
	if changed || defined {
		stores := p.stores()
		p.server.use(stores, p.trials(stores))
	}
	p.tellRefusals(ctx, seen)
	names, roots := p.definitions.Dropped()
	p.forget(roots)
	if err := p.unclaimDefined(ctx, names); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// makeNative makes the stores of the resources that the server is made of.
func (p *Plugins) makeNative() error {
	p.lifecycle = &lifecycle{p.storage("/namespaces")}
	for _, define := range []func() (*engine.Resource, error){namespaceResource, p.resource, crd.Definition, migrationResource} {
		resource, err := define()
		if err != nil {
			return err
		}
		p.native = append(p.native, p.server.store(resource))
	}
	return nil
}

func (p *Plugins) stores() []*engine.Store {
	stores := append([]*engine.Store(nil), p.native...)
	for _, plugin := range p.active {
		stores = append(stores, plugin.stores...)
	}
	return append(stores, p.definitions.Stores()...)
}

// activate loads the module that an activation names and makes the stores of its resources. The module that was
// served before is not closed: requests may still be using it, and it is freed when none does.
func (p *Plugins) activate(ctx context.Context, name string, item engine.Item) (*activePlugin, error) {
	plugin := &activePlugin{guard: engine.Guard{Key: item.Key, Revision: item.Revision}}
	if err := json.Unmarshal(item.Data, &plugin.activation); err != nil {
		return nil, fmt.Errorf("activation of plugin %q: %w", name, err)
	}
	digest := plugin.activation.Digest
	if ready := p.spare[digest]; ready != nil && ready.Revision() == revisionName(name, plugin.activation.Revision) && ready.LoadedWith(p.hostOptions(name)) {
		plugin.module = ready
		delete(p.spare, digest)
	}
	if was := p.active[name]; plugin.module == nil && was != nil && was.activation.Revision == plugin.activation.Revision && was.activation.Digest == digest && was.module.LoadedWith(p.hostOptions(name)) {
		plugin.module = was.module // only its bindings have changed, or what is tried beside it
	}
	if plugin.module == nil {
		wasm, err := p.modules.get(ctx, digest)
		if err != nil {
			return nil, fmt.Errorf("plugin %q: %w", name, err)
		}
		if _, err := p.admit(ctx, name, digest, wasm, nil); err != nil {
			return nil, err
		}
		if plugin.module, err = host.Load(ctx, wasm, revisionName(name, plugin.activation.Revision), p.hostOptions(name)); err != nil {
			return nil, fmt.Errorf("plugin %q: %w", name, err)
		}
	}
	for _, r := range plugin.module.Resources {
		if r.Bind {
			continue
		}
		guarded := *r
		guarded.Activation = plugin.guard
		plugin.stores = append(plugin.stores, p.server.store(&guarded))
	}
	bound, errs := boundBy(plugin.module, plugin.activation.Bindings)
	if plugin.bound = bound; len(errs) > 0 {
		p.server.log.Error("a plugin is not bound as it should be", "plugin", name, "error", errs.ToAggregate())
	}
	p.beginTrial(ctx, name, plugin)
	return plugin, nil
}

func revisionName(name string, revision int64) string { return fmt.Sprintf("%s@%d", name, revision) }

// followPause is how long follow waits before it tries again what failed.
const followPause = time.Second

// follow keeps up with the activations that other replicas write, until ctx ends.
func (p *Plugins) follow(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.followOnce(ctx); err != nil && ctx.Err() == nil {
			p.server.log.Warn("following plugin activations", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(followPause):
		}
	}
}

func (p *Plugins) followOnce(ctx context.Context) error {
	watcher, err := p.raw.Watch(ctx, activationsRoot, engine.WatchOptions{})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	if err := p.Refresh(ctx); err != nil {
		p.server.log.Error("a plugin cannot be served", "error", err)
	}
	for range watcher.Events() {
		if err := p.Refresh(ctx); err != nil {
			p.server.log.Error("a plugin cannot be served", "error", err)
		}
		p.reconcileAll(ctx)
	}
	return watcher.Err()
}
