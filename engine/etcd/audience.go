package etcd

import (
	"slices"
	"strings"

	"github.com/stratagem-dev/stratagem/engine"
)

// audience are the caches of a hub, found by the key of an event: with a thousand of them an event costs as much as with one.
//
//   - A cache's prefix ends where a segment of the path does, as all do that end with a slash. Caches of the same prefix, and of one
//     below another's, each get what is theirs.
type audience struct {
	caches   map[*Cache]struct{}
	byPrefix map[string][]*Cache
	loose    []*Cache // whose prefix ends within a segment: they are shown everything
}

func newAudience() audience {
	return audience{caches: map[*Cache]struct{}{}, byPrefix: map[string][]*Cache{}}
}

func (a *audience) add(c *Cache) {
	if _, there := a.caches[c]; there {
		return
	}
	a.caches[c] = struct{}{}
	if strings.HasSuffix(c.prefix, "/") {
		a.byPrefix[c.prefix] = append(a.byPrefix[c.prefix], c)
	} else {
		a.loose = append(a.loose, c)
	}
}

func (a *audience) remove(c *Cache) {
	delete(a.caches, c)
	other := func(o *Cache) bool { return o == c }
	a.loose = slices.DeleteFunc(a.loose, other)
	if left := slices.DeleteFunc(a.byPrefix[c.prefix], other); len(left) > 0 {
		a.byPrefix[c.prefix] = left
	} else {
		delete(a.byPrefix, c.prefix)
	}
}

// of calls found with each cache that a key concerns.
func (a *audience) of(key string, found func(*Cache)) {
	for i := range len(key) {
		if key[i] == '/' {
			for _, c := range a.byPrefix[key[:i+1]] {
				found(c)
			}
		}
	}
	for _, c := range a.loose {
		if strings.HasPrefix(key, c.prefix) {
			found(c)
		}
	}
}

// take hands each cache its events, those of several revisions at once.
func (a *audience) take(events []engine.Event) {
	if len(events) == 1 {
		a.of(events[0].Key, func(c *Cache) { c.take(events) })
		return
	}
	theirs := map[*Cache][]engine.Event{}
	for _, event := range events {
		a.of(event.Key, func(c *Cache) { theirs[c] = append(theirs[c], event) })
	}
	for c, mine := range theirs {
		c.take(mine)
	}
}
