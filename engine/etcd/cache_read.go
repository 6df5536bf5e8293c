package etcd

import (
	"context"
	"strings"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// Get reads one key at a moment not before the call, or returns *engine.KeyNotFoundError.
func (c *Cache) Get(ctx context.Context, key string) (engine.Item, error) {
	if !strings.HasPrefix(key, c.prefix) {
		return c.storage.Get(ctx, key)
	}
	x, revision, err := c.fresh(ctx)
	if err != nil {
		return engine.Item{}, err
	}
	if x == nil {
		return c.storage.Get(ctx, key)
	}
	if item := x.get(key); item != nil {
		return *item, nil
	}
	return engine.Item{}, &engine.KeyNotFoundError{Key: key, Revision: revision}
}

// Peek is the item under a key as the cache holds it, without asking etcd whether that is the newest: it may be behind
// what other servers have written, never behind a write that went through this cache. It is false where the key is
// not there, or the cache cannot say.
func (c *Cache) Peek(key string) (engine.Item, bool) {
	own := c.newestWrite.Load()
	x, _, newest := c.now()
	if x == nil || newest < own {
		return engine.Item{}, false
	}
	item := x.get(key)
	if item == nil {
		return engine.Item{}, false
	}
	return *item, true
}

// List reads the keys under a prefix, in key order, all at one revision.
func (c *Cache) List(ctx context.Context, prefix string, opts engine.ListOptions) (engine.Page, error) {
	if !strings.HasPrefix(prefix, c.prefix) || opts.Revision < 0 || opts.Limit < 0 {
		return c.storage.List(ctx, prefix, opts)
	}
	x, revision, err := c.at(ctx, opts.Revision)
	if err != nil {
		return engine.Page{}, err
	}
	if x == nil {
		return c.storage.List(ctx, prefix, opts)
	}
	page := x.page(prefix, revision, opts)
	if page.More && !opts.CountOnly && !opts.Last {
		c.mu.Lock()
		c.pins.add(x, revision, time.Now())
		c.mu.Unlock()
	}
	return page, nil
}

// page is a List's answer out of an index that holds what was there at a revision.
func (x *index) page(prefix string, revision int64, opts engine.ListOptions) engine.Page {
	if opts.Facet != nil && !opts.CountOnly {
		return x.facetPage(prefix, revision, opts)
	}
	start, end := x.seek(max(prefix, opts.From)), x.end(prefix)
	n := x.between(start, end)
	page := engine.Page{Revision: revision, Count: int64(n)}
	if opts.CountOnly {
		return page
	}
	if opts.Limit > 0 && opts.Limit < int64(n) {
		n, page.More = int(opts.Limit), true
	}
	if opts.Runs {
		page.Runs = x.runs(start, n)
	} else {
		page.Items = x.items(start, n)
	}
	return page
}

// fresh is what the cache holds at a moment not before the call, and the revision of that. It is nil where the
// Storage has to be asked.
func (c *Cache) fresh(ctx context.Context) (*index, int64, error) {
	if c.view.Load() == nil {
		return nil, 0, nil
	}
	if err := c.hub.catchUp(ctx); passes(err) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	x, _, newest := c.now()
	return x, newest, nil
}

// now is what the cache holds, the revision of its newest change, and the one up to which nothing is missing.
func (c *Cache) now() (x *index, changed, newest int64) {
	// In this order: the view has every change up to what the hub said before.
	newest = c.hub.revision.Load()
	v := c.view.Load()
	if v == nil {
		return nil, 0, 0
	}
	return &v.index, v.revision, max(newest, v.revision)
}

// at is what was there at a revision, 0 being fresh. It is nil where the Storage has to be asked.
func (c *Cache) at(ctx context.Context, wanted int64) (*index, int64, error) {
	if wanted == 0 {
		return c.fresh(ctx)
	}
	c.mu.RLock()
	pinned := c.pins.get(wanted)
	c.mu.RUnlock()
	if pinned != nil {
		return pinned, wanted, nil
	}
	x, changed, newest := c.now()
	if x != nil && wanted > newest {
		if fresh, _, err := c.fresh(ctx); fresh == nil {
			return nil, 0, err
		}
		x, changed, newest = c.now()
	}
	switch {
	case x == nil || wanted < changed:
		return nil, 0, nil
	case wanted > newest:
		return nil, 0, &engine.FutureRevisionError{Wanted: wanted, Current: newest}
	}
	return x, wanted, nil
}
