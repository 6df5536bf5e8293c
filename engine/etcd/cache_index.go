package etcd

import (
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/stratagem-dev/stratagem/engine"
)

// A chunk that grows beyond mostChunk is split in two, one that shrinks below fewChunk joins its neighbour.
const (
	mostChunk = 256
	fewChunk  = 32
)

// index is an ordered set of items that never changes: a change makes a new one, which shares all chunks but the
// one that it touches. So readers need no lock, and an old index stays what it was. The zero value is empty.
type index struct {
	chunks []*chunk // in key order; none is empty
	count  int
}

// chunk is a run of items in key order. It is behind a pointer because every change copies the list of chunks.
type chunk struct {
	items  []*engine.Item
	facets atomic.Pointer[facets] // nil until a list asks for some
}

// position is a place between two items.
type position struct{ chunk, at int }

// newIndex makes an index of items in key order.
func newIndex(items []*engine.Item) index {
	x := index{count: len(items)}
	for run := range slices.Chunk(items, mostChunk/2) {
		x.chunks = append(x.chunks, &chunk{items: slices.Clone(run)})
	}
	return x
}

// seek is the place of the first item whose key is not before key.
func (x *index) seek(key string) position {
	return x.search(func(at string) bool { return at >= key })
}

// end is the place behind the last item with the prefix.
func (x *index) end(prefix string) position {
	return x.search(func(at string) bool { return behind(at, prefix) })
}

// search is the place of the first item whose key is reached; those of all later ones must be too.
func (x *index) search(reached func(key string) bool) position {
	n := sort.Search(len(x.chunks), func(i int) bool {
		items := x.chunks[i].items
		return reached(items[len(items)-1].Key)
	})
	if n == len(x.chunks) {
		return position{chunk: n}
	}
	items := x.chunks[n].items
	return position{chunk: n, at: sort.Search(len(items), func(i int) bool { return reached(items[i].Key) })}
}

// at is the item behind a place, or nil at the end.
func (x *index) at(p position) *engine.Item {
	if p.chunk == len(x.chunks) {
		return nil
	}
	return x.chunks[p.chunk].items[p.at]
}

// behind tells whether a key is behind all keys with the prefix.
func behind(key, prefix string) bool { return key > prefix && !strings.HasPrefix(key, prefix) }

// get is the item under key, or nil.
func (x *index) get(key string) *engine.Item {
	if item := x.at(x.seek(key)); item != nil && item.Key == key {
		return item
	}
	return nil
}

// between counts the items from one place to another.
func (x *index) between(from, to position) int {
	if from.chunk > to.chunk || (from.chunk == to.chunk && from.at >= to.at) {
		return 0
	}
	n := to.at - from.at
	for _, chunk := range x.chunks[from.chunk:to.chunk] {
		n += len(chunk.items)
	}
	return n
}

// items are n items from a place on. So many there must be.
func (x *index) items(from position, n int) []engine.Item {
	if n == 0 {
		return nil
	}
	items := make([]engine.Item, 0, n)
	for n, at := from.chunk, from.at; ; n, at = n+1, 0 {
		for _, item := range x.chunks[n].items[at:] {
			if items = append(items, *item); len(items) == cap(items) {
				return items
			}
		}
	}
}

// runs are n items from a place on, as the chunks hold them. So many there must be.
func (x *index) runs(from position, n int) [][]*engine.Item {
	var runs [][]*engine.Item
	for at := from; n > 0; at = (position{chunk: at.chunk + 1}) {
		run := x.chunks[at.chunk].items[at.at:]
		if len(run) > n {
			run = run[:n]
		}
		runs, n = append(runs, run), n-len(run)
	}
	return runs
}

// set is the index with an item in it, in the place of another one with its key.
func (x *index) set(item *engine.Item) index {
	if len(x.chunks) == 0 {
		return newIndex([]*engine.Item{item})
	}
	p := x.seek(item.Key)
	if p.chunk == len(x.chunks) {
		p = position{chunk: p.chunk - 1, at: len(x.chunks[p.chunk-1].items)}
	}
	old := x.chunks[p.chunk].items
	if p.at < len(old) && old[p.at].Key == item.Key {
		items := slices.Clone(old)
		items[p.at] = item
		return x.replace(p.chunk, 1, x.count, items)
	}
	items := make([]*engine.Item, 0, len(old)+1)
	items = append(append(append(items, old[:p.at]...), item), old[p.at:]...)
	if len(items) <= mostChunk {
		return x.replace(p.chunk, 1, x.count+1, items)
	}
	half := len(items) / 2
	return x.replace(p.chunk, 1, x.count+1, slices.Clone(items[:half]), slices.Clone(items[half:]))
}

// remove is the index without a key.
func (x *index) remove(key string) index {
	p := x.seek(key)
	if item := x.at(p); item == nil || item.Key != key {
		return *x
	}
	old, next := x.chunks[p.chunk].items, p.chunk+1
	items := slices.Concat(old[:p.at], old[p.at+1:])
	switch {
	case len(items) == 0:
		return x.replace(p.chunk, 1, x.count-1)
	case len(items) < fewChunk && next < len(x.chunks) && len(items)+len(x.chunks[next].items) <= mostChunk/2:
		return x.replace(p.chunk, 2, x.count-1, slices.Concat(items, x.chunks[next].items))
	}
	return x.replace(p.chunk, 1, x.count-1, items)
}

// replace is the index with n chunks replaced by others.
func (x *index) replace(at, n, count int, others ...[]*engine.Item) index {
	chunks := make([]*chunk, 0, len(x.chunks)-n+len(others))
	chunks = append(chunks, x.chunks[:at]...)
	for _, items := range others {
		chunks = append(chunks, &chunk{items: items})
	}
	return index{chunks: append(chunks, x.chunks[at+n:]...), count: count}
}
