package server

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
)

// KeepStored leaves the storage version of a plugin-defined resource as the only one that its objects may be stored in. It
// is migration.ErrMoved where the plugin's activation is no longer the given one, on whatever server.
//
//   - The StrategyPlugin is read first: a push that comes between writes it before it moves the activation.
func (p *Plugins) KeepStored(ctx context.Context, gr schema.GroupResource, activation engine.Guard) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := strings.TrimPrefix(activation.Key, activationsRoot)
	store := p.server.view.Load().Store(pluginGroup, "strategyplugins")
	plugin, stored, err := p.read(ctx, store, name)
	if err != nil {
		return err
	}
	revision, err := p.activeAt(ctx, activation)
	if err != nil {
		return err
	}
	served := p.server.view.Load().Store(gr.Group, gr.Resource)
	if stored == nil || plugin.Status.ActiveRevision != revision || served == nil || served.Resource.Activation != activation {
		return migration.ErrMoved
	}
	only := []string{served.Resource.StorageVersion().Name}
	for i := range plugin.Status.Resources {
		r := &plugin.Status.Resources[i]
		if r.Group == gr.Group && r.Resource == gr.Resource && !slices.Equal(r.StoredVersions, only) {
			r.StoredVersions = only
			_, err := p.write(ctx, store, name, plugin, stored, false)
			return err
		}
	}
	return nil
}

// activeAt is the revision that an activation makes active, while it is the one in the storage.
func (p *Plugins) activeAt(ctx context.Context, guard engine.Guard) (int64, error) {
	item, err := p.raw.Get(ctx, guard.Key)
	var missing *engine.KeyNotFoundError
	if errors.As(err, &missing) || err == nil && item.Revision != guard.Revision {
		return 0, migration.ErrMoved
	}
	if err != nil {
		return 0, err
	}
	var active activation
	return active.Revision, json.Unmarshal(item.Data, &active)
}
