package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"

	"github.com/labstack/echo/v4"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
	"github.com/stratagem-dev/stratagem/server/negotiate"
	"github.com/stratagem-dev/stratagem/server/policy"
	"github.com/stratagem-dev/stratagem/server/rollout"
	"github.com/stratagem-dev/stratagem/server/signing"
)

// MaxUploadBytes is how large an uploaded module may be.
const MaxUploadBytes = 64 << 20

// putModule serves PUT …/strategyplugins/NAME/module: the body is a .wasm file.
func (s *Server) putModule(c echo.Context) error {
	name := c.Param("name")
	if errs := validation.IsDNS1123Subdomain(name); len(errs) > 0 {
		return badRequest("Name parameter invalid: %q: %s", name, strings.Join(errs, ", "))
	}
	wasm, err := readBody(c.Request(), MaxUploadBytes)
	if err != nil {
		return err
	}
	dry, err := dryRun("update", c.Request().URL.Query()["dryRun"])
	if err != nil {
		return err
	}
	answer, err := negotiate.Plain.Accept(c.Request().Header.Get("Accept"))
	if err != nil {
		return err
	}
	in := push{name: name, wasm: wasm, by: userOf(c).Name, dryRun: dry}
	if in.source, err = sentSource(c.Request().Header); err != nil {
		return err
	}
	if in.rollout, err = sentRollout(name, c.Request().URL.Query()); err != nil {
		return err
	}
	var result engine.Result
	if in.signatures, err = sentSignatures(c.Request().Header); err == nil {
		result, err = s.plugins.Push(c.Request().Context(), in)
	}
	var refused *host.LoadError
	if errors.As(err, &refused) {
		return &moduleError{name, refused}
	}
	if err != nil {
		return err
	}
	code := http.StatusOK
	if result.Created {
		code = http.StatusCreated
	}
	return writeBody(c.Response(), code, answer, false, result.Object)
}

// push is one upload of a module.
type push struct {
	name    string
	wasm    []byte
	by      string
	bundled bool
	dryRun  bool

	signatures []signing.Signature
	source     string // where it comes from, as whoever pushes says

	rollout *rollout.Spec // how it is to be tried; nil: it becomes the active revision
}

// Push verifies a module and makes it the active revision of its plugin, or the one that is tried beside it. When it returns, no later
// request sees the revision before. A module that does not verify is a *host.LoadError; what is active stays so, and a StrategyPlugin
// that is there tells of it.
func (p *Plugins) Push(ctx context.Context, in push) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	result, err := again(func() (engine.Result, error) { return p.push(ctx, in) })
	var refused *host.LoadError
	if errors.As(err, &refused) && !in.dryRun {
		p.tellRefused(ctx, in, refused)
	}
	return result, err
}

func (p *Plugins) push(ctx context.Context, in push) (engine.Result, error) {
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.read(ctx, store, in.name)
	if err != nil {
		return engine.Result{}, err
	}
	digest := host.Digest(in.wasm)
	admitted, err := p.admit(ctx, in.name, digest, in.wasm, in.signatures)
	if err != nil {
		return engine.Result{}, err
	}
	if served := p.active[in.name]; stored != nil && served != nil && served.activation.Digest == digest && in.rollout == nil {
		if len(in.signatures) > 0 {
			return p.resign(ctx, store, in, plugin, stored, admitted)
		}
		return engine.Result{Object: stored}, nil
	}
	revision := plugin.lastRevision() + 1
	p.specs[in.name] = &plugin.Spec
	module, err := host.Load(ctx, in.wasm, revisionName(in.name, revision), p.hostOptions(in.name))
	if err != nil {
		return engine.Result{}, err
	}
	if err := p.accept(ctx, in.name, plugin, module); err != nil {
		return engine.Result{}, errors.Join(err, module.Close(ctx))
	}
	if in.rollout != nil {
		result, err := p.pushTrial(ctx, store, in, plugin, stored, module, admitted)
		if err != nil && p.spare[digest] != module {
			err = errors.Join(err, module.Close(ctx))
		}
		return result, err
	}
	plugin.addRevision(in, revision, module)
	plugin.activate(revision, module)
	plugin.noteAdmission(revision, admitted)
	if in.dryRun {
		result, err := p.write(ctx, store, in.name, plugin, stored, true)
		return result, errors.Join(err, module.Close(ctx))
	}
	if err := p.keep(ctx, in, digest); err != nil {
		return engine.Result{}, err
	}
	return p.putInForce(ctx, store, in.name, plugin, stored, module)
}

// putInForce makes the active revision of a StrategyPlugin, which module is, the one that all replicas serve.
func (p *Plugins) putInForce(ctx context.Context, store *engine.Store, name string, plugin *strategyPlugin, stored engine.Object, module *host.Module) (engine.Result, error) {
	resources, _ := plugin.resources(module)
	if err := p.claim(ctx, name, resources); err != nil {
		return engine.Result{}, err
	}
	result, err := p.write(ctx, store, name, plugin, stored, false)
	if err != nil {
		return engine.Result{}, err
	}
	p.spare[module.Digest] = module
	err = p.moveActivation(ctx, name, func(a *activation) { a.activate(plugin.Status.ActiveRevision, module.Digest, plugin.Spec.Bindings) })
	if err != nil {
		return engine.Result{}, err
	}
	if err := p.makeGood(ctx, name, resources); err != nil {
		return engine.Result{}, err
	}
	err = p.refresh(ctx)
	if served := p.active[name]; served == nil || served.activation.Digest != module.Digest {
		return engine.Result{}, errors.Join(errors.New("the revision is stored but could not be put in force"), err)
	}
	if err := p.unclaimGone(ctx, name, resources); err != nil {
		return engine.Result{}, err
	}
	now, err := p.reconcile(ctx, name)
	if now != nil {
		result.Object = now
	}
	return result, err
}

// read returns the stored StrategyPlugin, or an empty one and nil.
func (p *Plugins) read(ctx context.Context, store *engine.Store, name string) (*strategyPlugin, engine.Object, error) {
	plugin := &strategyPlugin{}
	obj, err := store.Get(ctx, engine.GetRequest{Info: systemRequest("get", pluginGroup, pluginVersion, "strategyplugins", name)})
	var missing *engine.NotFoundError
	if errors.As(err, &missing) {
		return plugin, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return plugin, obj, json.Unmarshal(obj, plugin)
}

// existing returns the stored StrategyPlugin; one that is not there is a *engine.NotFoundError.
func (p *Plugins) existing(ctx context.Context, store *engine.Store, name string) (*strategyPlugin, engine.Object, error) {
	plugin, stored, err := p.read(ctx, store, name)
	if err == nil && stored == nil {
		err = &engine.NotFoundError{Resource: pluginGroupResource, Name: name}
	}
	return plugin, stored, err
}

// accept decides whether a verified module may follow on what is active: its resources are free, none that has objects
// goes, and all stored versions can be read.
func (p *Plugins) accept(ctx context.Context, name string, plugin *strategyPlugin, module *host.Module) error {
	resources, errs := plugin.resources(module)
	if err := refuseBindings(errs); err != nil {
		return err
	}
	if err := p.checkClaims(name, resources); err != nil {
		return err
	}
	for _, had := range plugin.Status.Resources {
		if had.bound() {
			continue
		}
		i := slices.IndexFunc(module.Resources, func(r *engine.Resource) bool { return r.Group == had.Group && r.Plural == had.Resource })
		if i < 0 {
			if err := p.checkEmpty(ctx, had); err != nil {
				return &host.LoadError{Step: "describe", Err: fmt.Errorf("the module no longer defines it, but %w", err)}
			}
			continue
		}
		for _, v := range had.StoredVersions {
			if module.Resources[i].Version(v) == nil {
				return &host.LoadError{Step: "describe", Err: fmt.Errorf("resource %s: objects are stored in version %s, which the module does not have", resourceName(had.Group, had.Resource), v)}
			}
		}
	}
	return nil
}

// checkEmpty reports a resource that has objects, whether it is served or its plugin is disabled.
func (p *Plugins) checkEmpty(ctx context.Context, r pluginResource) error {
	root := r.KeyRoot
	if store := p.server.view.Load().Store(r.Group, r.Resource); store != nil {
		root = store.Resource.KeyRoot
	}
	if root == "" {
		return nil
	}
	page, err := p.raw.List(ctx, root+"/", engine.ListOptions{CountOnly: true})
	if err != nil {
		return err
	}
	if page.Count > 0 {
		return fmt.Errorf("%d objects of %s exist", page.Count, resourceName(r.Group, r.Resource))
	}
	return nil
}

// write stores the StrategyPlugin.
func (p *Plugins) write(ctx context.Context, store *engine.Store, name string, plugin *strategyPlugin, stored engine.Object, dryRun bool) (engine.Result, error) {
	plugin.APIVersion, plugin.Kind = pluginGroup+"/"+pluginVersion, "StrategyPlugin"
	if stored == nil {
		plugin.Metadata = fmt.Appendf(nil, `{"name":%q}`, name)
	}
	raw, err := json.Marshal(plugin)
	if err != nil {
		return engine.Result{}, err
	}
	obj, _, err := engine.ParseObject(raw)
	if err != nil {
		return engine.Result{}, err
	}
	info := systemRequest("update", pluginGroup, pluginVersion, "strategyplugins", name)
	info.DryRun = dryRun
	if stored == nil {
		info.Verb = "create"
		return store.Create(ctx, engine.CreateRequest{Info: info, Object: obj})
	}
	return store.Update(ctx, engine.UpdateRequest{Info: info, Change: engine.Replace{Object: obj}})
}

// installBundled pushes the modules that came with the server: those that are not there yet, and newer ones over
// revisions that came with a server too. What an operator pushed stays.
//
//   - A StrategyPlugin that an operator wrote before the first module is there is what it was written for: its spec holds from the start.
//   - One whose spec cannot be met (limits, bindings) is left as it is and tells why: it is no reason not to start.
func (p *Plugins) installBundled(ctx context.Context, bundled map[string][]byte) error {
	names := make([]string, 0, len(bundled))
	for name := range bundled {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		plugin, stored, err := p.read(ctx, p.server.view.Load().Store(pluginGroup, "strategyplugins"), name)
		if err != nil {
			return err
		}
		if stored != nil && !plugin.awaitsFirst() && !plugin.activeIsBundled() {
			continue
		}
		if _, err := p.Push(ctx, push{name: name, wasm: bundled[name], by: systemUser.Name, bundled: true}); err != nil {
			var refusal *policy.Refusal
			var unfit *host.LoadError
			if errors.As(err, &refusal) || stored != nil && errors.As(err, &unfit) {
				p.server.log.Warn("a bundled plugin is not installed", "plugin", name, "error", err)
				continue
			}
			return fmt.Errorf("bundled plugin %q: %w", name, err)
		}
	}
	return nil
}

// setResources notes what the module defines; versions that objects may be stored in are only ever added.
func (s *strategyPlugin) setResources(module *host.Module) {
	var resources []pluginResource
	var names []string
	all, _ := s.resources(module)
	for _, r := range all {
		stored := []string{} // of what it is bound to the definition keeps account
		if !r.Bind {
			stored = []string{r.StorageVersion().Name}
		}
		for _, had := range s.Status.Resources {
			if had.Group == r.Group && had.Resource == r.Plural && !r.Bind {
				for _, v := range had.StoredVersions {
					if !slices.Contains(stored, v) {
						stored = append(stored, v)
					}
				}
			}
		}
		resources = append(resources, pluginResource{Group: r.Group, Resource: r.Plural, StoredVersions: stored, KeyRoot: r.KeyRoot})
		names = append(names, resourceName(r.Group, r.Plural))
	}
	s.Status.Resources, s.Status.ResourceNames = resources, strings.Join(names, ",")
}
