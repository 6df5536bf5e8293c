package etcd

import (
	"slices"
	"sort"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
)

// mostFacets is how many facets of its items a chunk, or a cache's watches, may be sorted by.
const mostFacets = 8

// facets are the items of a chunk by one of their facets. They are made when a list first asks for it, and stay for as long as
// the chunk does: a change makes a new chunk, and with it these anew, of 256 items at most.
type facets struct {
	name    any
	sorted  []faceted      // by value, items without one left out
	unknown []*engine.Item // nobody can say what these have
	older   *facets        // by another facet
}

type faceted struct {
	value string
	item  *engine.Item
}

// by is the chunk's items by a facet.
func (c *chunk) by(facet *engine.Facet) *facets {
	known := c.facets.Load()
	n := 0
	for f := known; f != nil; f = f.older {
		if f.name == facet.Name {
			return f
		}
		n++
	}
	fresh := &facets{name: facet.Name}
	for _, item := range c.items {
		switch value, known := facet.Of(item); {
		case !known:
			fresh.unknown = append(fresh.unknown, item)
		case value != "":
			fresh.sorted = append(fresh.sorted, faceted{value, item})
		}
	}
	slices.SortStableFunc(fresh.sorted, func(a, b faceted) int { return strings.Compare(a.value, b.value) })
	if n < mostFacets {
		fresh.older = known
	}
	c.facets.Store(fresh)
	return fresh
}

// with appends the items that have the value, or may have it, in key order.
func (f *facets) with(value string, items []*engine.Item) []*engine.Item {
	from, begin := len(items), sort.Search(len(f.sorted), func(i int) bool { return f.sorted[i].value >= value })
	for _, faceted := range f.sorted[begin:] {
		if faceted.value != value {
			break
		}
		items = append(items, faceted.item)
	}
	if len(f.unknown) > 0 {
		items = append(items, f.unknown...)
		slices.SortFunc(items[from:], func(a, b *engine.Item) int { return strings.Compare(a.Key, b.Key) })
	}
	return items
}

// facetPage is page for what a facet picks.
func (x *index) facetPage(prefix string, revision int64, opts engine.ListOptions) engine.Page {
	from := max(prefix, opts.From)
	var items []*engine.Item
	for n := x.seek(from).chunk; n < len(x.chunks) && !behind(x.chunks[n].items[0].Key, prefix); n++ {
		items = x.chunks[n].by(opts.Facet).with(opts.Facet.Value, items)
	}
	items = slices.DeleteFunc(items, func(item *engine.Item) bool { return item.Key < from || !strings.HasPrefix(item.Key, prefix) })
	page := engine.Page{Revision: revision, Count: int64(len(items))}
	if opts.Limit > 0 && opts.Limit < page.Count {
		items, page.More = items[:opts.Limit], true
	}
	switch {
	case len(items) == 0:
		return page
	case opts.Runs:
		page.Runs = [][]*engine.Item{items}
		return page
	}
	for _, item := range items {
		page.Items = append(page.Items, *item)
	}
	return page
}
