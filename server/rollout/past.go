package rollout

import (
	"context"

	"github.com/stratagem-dev/stratagem/engine"
)

// past is a storage that holds one item, or none, and keeps nothing of what is written. It belongs to one replay of one request.
type past struct {
	item     *engine.Item
	revision int64
}

// Create takes a value where nothing is there.
func (p *past) Create(_ context.Context, key string, _ []byte, _ engine.WriteOptions) (int64, error) {
	if p.item != nil && p.item.Key == key {
		return 0, &engine.KeyExistsError{Existing: *p.item}
	}
	return p.revision + 1, nil
}

// Update takes a value for the item at its revision.
func (p *past) Update(_ context.Context, key string, _ []byte, ifRevision int64, _ engine.WriteOptions) (int64, error) {
	return p.write(key, ifRevision)
}

// Delete takes the end of the item at its revision.
func (p *past) Delete(_ context.Context, key string, ifRevision int64, _ engine.WriteOptions) (int64, error) {
	return p.write(key, ifRevision)
}

func (p *past) write(key string, ifRevision int64) (int64, error) {
	if p.item == nil || p.item.Key != key || p.item.Revision != ifRevision {
		return 0, &engine.RevisionError{Key: key, Wanted: ifRevision, Current: p.item}
	}
	return p.revision + 1, nil
}

// Get reads the item.
func (p *past) Get(_ context.Context, key string) (engine.Item, error) {
	if p.item == nil || p.item.Key != key {
		return engine.Item{}, &engine.KeyNotFoundError{Key: key, Revision: p.revision}
	}
	return *p.item, nil
}

// List is empty: no write of one object lists others.
func (p *past) List(context.Context, string, engine.ListOptions) (engine.Page, error) {
	return engine.Page{Revision: p.revision}, nil
}

// Watch has nothing to tell.
func (p *past) Watch(context.Context, string, engine.WatchOptions) (engine.Watcher, error) {
	return nil, engine.ErrStopped
}

// Revision is the one at which the past ends.
func (p *past) Revision(context.Context) (int64, error) { return p.revision, nil }

// before reads what was there before a request: one revision before the one that its answer bears, and where it was refused what
// is there now.
func before(ctx context.Context, storage engine.Storage, key string, revision int64) (*past, error) {
	var options engine.ListOptions
	if revision > 1 {
		options.Revision = revision - 1
	}
	options.Limit, options.Last = 1, true
	page, err := storage.List(ctx, key, options)
	if err != nil {
		return nil, err
	}
	found := &past{revision: page.Revision}
	if len(page.Items) > 0 && page.Items[0].Key == key {
		found.item = &engine.Item{Key: key, Data: page.Items[0].Data, Revision: page.Items[0].Revision}
	}
	return found, nil
}

var _ engine.Storage = (*past)(nil)
