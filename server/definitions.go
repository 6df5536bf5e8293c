package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/crd"
)

// refreshDefinitions makes what is served agree with the CustomResourceDefinitions in the storage.
func (p *Plugins) refreshDefinitions(ctx context.Context, bindings *crd.Bindings) (changed bool, err error) {
	page, err := p.storage(crd.KeyRoot).List(ctx, crd.KeyRoot+"/", engine.ListOptions{})
	if err != nil {
		return false, err
	}
	return p.definitions.Update(page.Items, bindings)
}

// claims are the resources that are no definition's.
func (p *Plugins) claims() []crd.Claim {
	var claims []crd.Claim
	for _, store := range p.native {
		claims = append(claims, crd.Claim{Resource: store.Resource, Owner: "the server itself"})
	}
	for name, plugin := range p.active {
		for _, store := range plugin.stores {
			claims = append(claims, crd.Claim{Resource: store.Resource, Owner: fmt.Sprintf("strategy plugin %q", name)})
		}
	}
	return claims
}

// isDefinition tells whether a request is for a CustomResourceDefinition.
func isDefinition(r *engine.Resource) bool { return r.Group == crd.Group && r.Plural == crd.Plural }

// settledResult is the answer to a write of a definition: when it is given, the names of the definition have been decided on, and what it
// defines is served.
func (r *request) settledResult(result engine.Result) (engine.Result, error) {
	if !isDefinition(r.store.Resource) || r.info.DryRun || result.Deleted {
		return result, r.server.refreshIfDefinition(r, result)
	}
	ctx := r.http.Context()
	if err := r.server.plugins.Settle(ctx, result.Object.Name()); err != nil {
		return engine.Result{}, err
	}
	info := *r.info
	info.Verb, info.Name, info.Subresource = "get", result.Object.Name(), ""
	obj, err := r.store.Get(ctx, engine.GetRequest{Info: &info})
	var missing *engine.NotFoundError
	if err == nil && obj.UID() == result.Object.UID() {
		result.Object = obj
	} else if err != nil && !errors.As(err, &missing) {
		return engine.Result{}, err
	}
	return result, nil
}

// refreshIfDefinition takes what a deleted definition defined out of service.
func (s *Server) refreshIfDefinition(r *request, result engine.Result) error {
	if !isDefinition(r.store.Resource) || r.info.DryRun || !result.Deleted {
		return nil
	}
	return s.plugins.Refresh(r.http.Context())
}

// Settle decides on the names of a definition, writes its status, and serves what it defines.
func (p *Plugins) Settle(ctx context.Context, name string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refresh(ctx); err != nil {
		p.server.log.Error("not all that is defined can be served", "error", err)
	}
	if err := p.settle(ctx, name); err != nil {
		return err
	}
	return p.refresh(ctx)
}

// settleAttempts bounds how often a status is written again after others have changed the definition.
const settleAttempts = 10

// settle writes the status that a definition should have; one that has gone needs none.
func (p *Plugins) settle(ctx context.Context, name string) error {
	store := p.server.view.Load().Store(crd.Group, crd.Plural)
	info := systemRequest("update", crd.Group, "v1", crd.Plural, name)
	for range settleAttempts {
		obj, err := store.Get(ctx, engine.GetRequest{Info: info})
		var missing *engine.NotFoundError
		if errors.As(err, &missing) {
			return nil
		}
		if err != nil {
			return err
		}
		settled, err := p.definitions.Settle(obj, p.claims())
		if err == nil && settled != nil && obj.Get("status", "acceptedNames", "plural").Str == "" {
			settled, err = p.claimDefined(ctx, obj, settled)
		}
		if err != nil || settled == nil {
			return err
		}
		status := *info
		status.Subresource = "status"
		_, err = store.Update(ctx, engine.UpdateRequest{Info: &status, Change: engine.Replace{Object: settled}})
		var conflict *engine.ConflictError
		if err == nil || !errors.As(err, &conflict) {
			return err
		}
	}
	return fmt.Errorf("the status of %s %q cannot be written: others keep changing it", crd.Plural, name)
}

// claimDefined takes the resource of a definition in the storage before its names are accepted, so that no plugin that another
// server pushes at this moment can have it too. Where one has, the status says so.
func (p *Plugins) claimDefined(ctx context.Context, obj, settled engine.Object) (engine.Object, error) {
	plural := settled.Get("status", "acceptedNames", "plural").Str
	if plural == "" {
		return settled, nil
	}
	r := &engine.Resource{Group: obj.Get("spec", "group").Str, Plural: plural}
	r.KeyRoot = "/" + r.Group + "/" + r.Plural
	own := definitionClaim + obj.Name()
	owner, err := p.take(ctx, claimKey(r.Group, r.Plural, false), own)
	if err != nil || owner == own {
		return settled, err
	}
	return p.definitions.Settle(obj, append(p.claims(), crd.Claim{Resource: r, Owner: "strategy " + claimant(owner)}))
}

// unclaimDefined gives the resources of definitions back that are gone. The guard keeps the claim of one that has been made again.
func (p *Plugins) unclaimDefined(ctx context.Context, names []string) error {
	for _, name := range names {
		plural, group, _ := strings.Cut(name, ".")
		item, err := p.raw.Get(ctx, claimKey(group, plural, false))
		var missing *engine.KeyNotFoundError
		if errors.As(err, &missing) || err == nil && string(item.Data) != definitionClaim+name {
			continue
		}
		if err == nil {
			_, err = p.raw.Delete(ctx, item.Key, item.Revision, engine.WriteOptions{Guards: []engine.Guard{{Key: crd.Key(name)}}})
		}
		var moved *engine.RevisionError
		var again *engine.GuardError
		if err != nil && !errors.As(err, &moved) && !errors.As(err, &again) {
			return err
		}
	}
	return nil
}

// followDefinitions keeps up with the definitions that others write, until ctx ends.
func (p *Plugins) followDefinitions(ctx context.Context) {
	for ctx.Err() == nil {
		if err := p.followDefinitionsOnce(ctx); err != nil && ctx.Err() == nil {
			p.server.log.Warn("following definitions", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(followPause):
		}
	}
}

func (p *Plugins) followDefinitionsOnce(ctx context.Context) error {
	watcher, err := p.raw.Watch(ctx, crd.KeyRoot+"/", engine.WatchOptions{})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	p.settleAll(ctx)
	for range watcher.Events() {
		for len(watcher.Events()) > 0 {
			<-watcher.Events()
		}
		p.settleAll(ctx)
	}
	return watcher.Err()
}

// settleAll serves what is stored, and settles what nobody has: definitions that another server left, and those whose names have
// become free.
func (p *Plugins) settleAll(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.refresh(ctx)
	for _, name := range p.definitions.Unsettled() {
		err = errors.Join(err, p.settle(ctx, name))
	}
	if err = errors.Join(err, p.refresh(ctx)); err != nil && ctx.Err() == nil {
		p.server.log.Error("not all that is defined can be served", "error", err)
	}
}
