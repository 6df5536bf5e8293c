package server

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
)

var pluginGroupResource = schema.GroupResource{Group: pluginGroup, Resource: "strategyplugins"}

// Delete takes a plugin out of service and deletes its StrategyPlugin. While objects of its resources exist that is
// refused, unless it is forced with a grace period of 0 (kubectl delete --force): then the objects stay in the storage, and
// are served again when a plugin defines their resource again.
func (p *Plugins) Delete(ctx context.Context, store *engine.Store, req engine.DeleteRequest) (engine.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := req.Info.Name
	plugin, _, err := p.existing(ctx, store, name)
	if err != nil {
		return engine.Result{}, err
	}
	if grace := req.Options.GracePeriodSeconds; grace == nil || *grace != 0 {
		for _, r := range plugin.Status.Resources {
			if r.bound() {
				continue
			}
			if err := p.checkEmpty(ctx, r); err != nil {
				return engine.Result{}, &engine.ConflictError{Resource: pluginGroupResource, Name: name,
					Message: err.Error() + "; delete them first, or force the deletion with a grace period of 0"}
			}
		}
	}
	// The StrategyPlugin goes last: should the server end before, a second attempt does the rest. A dry run only asks for it.
	if !req.Info.DryRun {
		if err := p.deactivate(ctx, name); err != nil {
			return engine.Result{}, err
		}
	}
	return store.Delete(ctx, req)
}

// deactivate takes the resources of a plugin out of service and gives them free.
func (p *Plugins) deactivate(ctx context.Context, name string) error {
	if err := removeActivation(ctx, p.raw, name); err != nil {
		return err
	}
	if err := p.refresh(ctx); err != nil {
		return err
	}
	return p.unclaimGone(ctx, name, nil)
}
