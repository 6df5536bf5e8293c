package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// Create stores a StrategyPlugin that an operator writes before its module is there.
func (p *Plugins) Create(ctx context.Context, store *engine.Store, req engine.CreateRequest) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return store.Create(ctx, req)
}

// Update changes a StrategyPlugin, and puts the bindings in force that it has then. When it returns, no later write on any replica is made
// without them.
func (p *Plugins) Update(ctx context.Context, store *engine.Store, req engine.UpdateRequest) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	result, err := store.Update(ctx, req)
	if err != nil || req.Info.DryRun || result.Deleted || req.Info.Subresource != "" {
		return result, err
	}
	now, err := again(func() (engine.Result, error) {
		now, err := p.rebind(ctx, req.Info.Name)
		if err == nil && now == nil {
			now, err = p.reconcile(ctx, req.Info.Name)
		}
		return engine.Result{Object: now}, err
	})
	if err == nil && now.Object != nil {
		result.Object = now.Object
	}
	return result, err
}

// rebind brings the bindings of a StrategyPlugin in force; nil: they are already.
func (p *Plugins) rebind(ctx context.Context, name string) (engine.Object, error) {
	if err := p.refresh(ctx); err != nil {
		p.server.log.Error("not all that is defined can be served", "error", err)
	}
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.read(ctx, store, name)
	if err != nil {
		return nil, err
	}
	active := p.active[name]
	if active == nil || stored == nil || sameBindings(active.activation.Bindings, plugin.Spec.Bindings) {
		return nil, nil
	}
	if err := p.accept(ctx, name, plugin, active.module); err != nil {
		return nil, err
	}
	plugin.setResources(active.module)
	result, err := p.putInForce(ctx, store, name, plugin, stored, active.module)
	return result.Object, err
}

// rebindAll makes good what a server that has ended could not: bindings that are written and not in force.
func (p *Plugins) rebindAll(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name := range p.active {
		if _, err := p.rebind(ctx, name); err != nil {
			p.server.log.Error("bindings cannot be put in force", "plugin", name, "error", err)
		}
	}
}

func sameBindings(a, b []pluginBinding) bool {
	return slices.EqualFunc(a, b, func(a, b pluginBinding) bool { return reflect.DeepEqual(a, b) })
}

// makeGood moves the claims of what is bound on, once it is in force: the guards of those who have not noticed break.
func (p *Plugins) makeGood(ctx context.Context, name string, resources []*engine.Resource) error {
	for _, r := range resources {
		if !r.Bind {
			continue
		}
		item, err := p.raw.Get(ctx, claimKey(r.Group, r.Plural, true))
		if err == nil && string(item.Data) == name {
			_, err = p.raw.Update(ctx, item.Key, item.Data, item.Revision, engine.WriteOptions{})
		}
		var moved *engine.RevisionError
		if err != nil && !errors.As(err, &moved) {
			return err
		}
	}
	return nil
}

// unclaimGone gives back what a plugin has claimed and has no more, also what a server that has ended left behind.
func (p *Plugins) unclaimGone(ctx context.Context, name string, resources []*engine.Resource) error {
	kept := map[string]bool{}
	for _, r := range resources {
		kept[claimKey(r.Group, r.Plural, r.Bind)] = true
	}
	for _, root := range []string{claimsRoot, bindingsRoot} {
		page, err := p.raw.List(ctx, root, engine.ListOptions{})
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if string(item.Data) != name || kept[item.Key] {
				continue
			}
			var moved *engine.RevisionError
			if _, err := p.raw.Delete(ctx, item.Key, item.Revision, engine.WriteOptions{}); err != nil && !errors.As(err, &moved) {
				return err
			}
		}
	}
	return nil
}

// checkNewBindings finds what is wrong with the bindings that an operator gives a plugin, given what is active.
//
//   - The lock is held by Create and Update. Writes that leave the bindings alone are not looked at, and may come without it.
func (p *Plugins) checkNewBindings(obj, old engine.Object) field.ErrorList {
	if old != nil && obj.Get("spec", "bindings").Raw == old.Get("spec", "bindings").Raw {
		return nil
	}
	var plugin strategyPlugin
	if err := json.Unmarshal(obj, &plugin); err != nil {
		return field.ErrorList{field.InternalError(bindingsPath, err)}
	}
	if errs := checkBindings(plugin.Spec.Bindings, bindingsPath); len(errs) > 0 {
		return errs
	}
	var errs field.ErrorList
	if active := p.active[obj.Name()]; active != nil {
		_, errs = plugin.resources(active.module)
	}
	for i, b := range plugin.Spec.Bindings {
		for j, text := range b.Resources {
			if err := p.checkBind(obj.Name(), &engine.Resource{Group: b.Group, Plural: partOf(text).plural}); err != nil {
				errs = append(errs, field.Invalid(bindingsPath.Index(i).Child("resources").Index(j), text, err.Error()))
			}
		}
	}
	return errs
}

// checkBind makes sure that nobody else is bound to a resource, and that it can be a definition's.
func (p *Plugins) checkBind(name string, r *engine.Resource) error {
	for _, native := range p.native {
		if native.Resource.GroupResource() == r.GroupResource() {
			return fmt.Errorf("resource %s is defined by the server itself", r.GroupResource().String())
		}
	}
	for other, active := range p.active {
		for _, theirs := range active.module.Resources {
			if !theirs.Bind && theirs.GroupResource() == r.GroupResource() {
				return fmt.Errorf("resource %s is defined by plugin %q, not by a CustomResourceDefinition", r.GroupResource().String(), other)
			}
		}
		for _, theirs := range active.bound {
			if other != name && theirs.GroupResource() == r.GroupResource() {
				return boundAlready(r, other, name)
			}
		}
	}
	return nil
}

func boundAlready(r *engine.Resource, owner, name string) error {
	return fmt.Errorf("plugin %q is bound to %s, plugin %q cannot be bound to it too", owner, r.GroupResource().String(), name)
}

// refuseBindings is why a module cannot be active with the bindings that its plugin has.
func refuseBindings(errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	texts := make([]string, len(errs))
	for i, e := range errs {
		texts[i] = e.Error()
	}
	return &host.LoadError{Step: "bind", Err: errors.New(strings.Join(texts, "; "))}
}
