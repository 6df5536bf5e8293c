package etcd

import (
	"slices"
	"sort"
	"strings"

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
	chunks [][]*engine.Item // in key order; none is empty
	count  int
}

// position is a place between two items.
type position struct{ chunk, at int }

// newIndex makes an index of items in key order.
func newIndex(items []*engine.Item) index {
	x := index{count: len(items)}
	for chunk := range slices.Chunk(items, mostChunk/2) {
		x.chunks = append(x.chunks, slices.Clone(chunk))
	}
	return x
}

// seek is the place of the first item whose key is not before key.
func (x *index) seek(key string) position {
	chunk := sort.Search(len(x.chunks), func(i int) bool {
		return x.chunks[i][len(x.chunks[i])-1].Key >= key
	})
	if chunk == len(x.chunks) {
		return position{chunk: chunk}
	}
	items := x.chunks[chunk]
	return position{chunk: chunk, at: sort.Search(len(items), func(i int) bool { return items[i].Key >= key })}
}

// end is the place behind the last item with the prefix.
func (x *index) end(prefix string) position {
	chunk := sort.Search(len(x.chunks), func(i int) bool {
		return behind(x.chunks[i][len(x.chunks[i])-1].Key, prefix)
	})
	if chunk == len(x.chunks) {
		return position{chunk: chunk}
	}
	items := x.chunks[chunk]
	return position{chunk: chunk, at: sort.Search(len(items), func(i int) bool { return behind(items[i].Key, prefix) })}
}

// behind tells whether a key is behind all keys with the prefix.
func behind(key, prefix string) bool { return key > prefix && !strings.HasPrefix(key, prefix) }

// get is the item under key, or nil.
func (x *index) get(key string) *engine.Item {
	p := x.seek(key)
	if p.chunk < len(x.chunks) && x.chunks[p.chunk][p.at].Key == key {
		return x.chunks[p.chunk][p.at]
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
		n += len(chunk)
	}
	return n
}

// items are n items from a place on. So many there must be.
func (x *index) items(from position, n int) []engine.Item {
	if n == 0 {
		return nil
	}
	items := make([]engine.Item, 0, n)
	for chunk, at := from.chunk, from.at; ; chunk, at = chunk+1, 0 {
		for _, item := range x.chunks[chunk][at:] {
			if items = append(items, *item); len(items) == n {
				return items
			}
		}
	}
}

// set is the index with an item in it, in the place of another one with its key.
func (x *index) set(item *engine.Item) index {
	if len(x.chunks) == 0 {
		return newIndex([]*engine.Item{item})
	}
	p := x.seek(item.Key)
	if p.chunk == len(x.chunks) {
		p = position{chunk: p.chunk - 1, at: len(x.chunks[p.chunk-1])}
	}
	old := x.chunks[p.chunk]
	if p.at < len(old) && old[p.at].Key == item.Key {
		chunk := slices.Clone(old)
		chunk[p.at] = item
		return x.replace(p.chunk, 1, x.count, chunk)
	}
	chunk := make([]*engine.Item, 0, len(old)+1)
	chunk = append(append(append(chunk, old[:p.at]...), item), old[p.at:]...)
	if len(chunk) <= mostChunk {
		return x.replace(p.chunk, 1, x.count+1, chunk)
	}
	half := len(chunk) / 2
	return x.replace(p.chunk, 1, x.count+1, slices.Clone(chunk[:half]), slices.Clone(chunk[half:]))
}

// remove is the index without a key.
func (x *index) remove(key string) index {
	p := x.seek(key)
	if p.chunk == len(x.chunks) || x.chunks[p.chunk][p.at].Key != key {
		return *x
	}
	chunk := slices.Concat(x.chunks[p.chunk][:p.at], x.chunks[p.chunk][p.at+1:])
	next := p.chunk + 1
	switch {
	case len(chunk) == 0:
		return x.replace(p.chunk, 1, x.count-1)
	case len(chunk) < fewChunk && next < len(x.chunks) && len(chunk)+len(x.chunks[next]) <= mostChunk/2:
		return x.replace(p.chunk, 2, x.count-1, slices.Concat(chunk, x.chunks[next]))
	}
	return x.replace(p.chunk, 1, x.count-1, chunk)
}

// replace is the index with n chunks replaced by others.
func (x *index) replace(at, n, count int, chunks ...[]*engine.Item) index {
	all := make([][]*engine.Item, 0, len(x.chunks)-n+len(chunks))
	all = append(append(append(all, x.chunks[:at]...), chunks...), x.chunks[at+n:]...)
	return index{chunks: all, count: count}
}
