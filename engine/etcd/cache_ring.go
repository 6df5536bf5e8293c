package etcd

import (
	"sort"

	"github.com/stratagem-dev/stratagem/engine"
)

// ring holds the newest events of a cache, in order, so many and of so many bytes as it may.
//
//   - Events have sequence numbers, so that a watcher knows its place while old ones are dropped.
//   - It grows with what it holds; its owner locks.
type ring struct {
	mostEvents int
	mostBytes  int

	slots []engine.Event // event n is at n%len(slots)
	first int64          // sequence number of the oldest event
	next  int64          // sequence number that the next event gets
	bytes int
	after int64 // every event after this revision is held
}

// add appends an event, and drops the oldest ones that there is no more room for.
func (r *ring) add(event engine.Event) {
	if n := int(r.next - r.first); n == len(r.slots) && n < r.mostEvents {
		r.grow()
	}
	size := eventSize(event)
	for r.first < r.next && (int(r.next-r.first) == len(r.slots) || r.bytes+size > r.mostBytes) {
		r.drop()
	}
	*r.slot(r.next) = event
	r.next++
	r.bytes += size
}

func (r *ring) drop() {
	oldest := r.slot(r.first)
	r.bytes -= eventSize(*oldest)
	r.after = oldest.Revision
	*oldest = engine.Event{}
	r.first++
}

func (r *ring) grow() {
	slots := make([]engine.Event, min(max(64, 2*len(r.slots)), r.mostEvents))
	for n := r.first; n < r.next; n++ {
		slots[n%int64(len(slots))] = *r.slot(n)
	}
	r.slots = slots
}

func (r *ring) slot(n int64) *engine.Event { return &r.slots[n%int64(len(r.slots))] }

// seek is the sequence number of the first event after a revision; false where such events have been dropped.
func (r *ring) seek(after int64) (int64, bool) {
	if after < r.after {
		return 0, false
	}
	n := sort.Search(int(r.next-r.first), func(i int) bool {
		return r.slot(r.first+int64(i)).Revision > after
	})
	return r.first + int64(n), true
}

// read copies the events that match into buf, from a sequence number on; next is where to go on. It is false
// where events from there on have been dropped.
func (r *ring) read(from int64, match func(*engine.Event) bool, buf []engine.Event) (n int, next int64, ok bool) {
	if from < r.first {
		return 0, 0, false
	}
	for ; from < r.next && n < len(buf); from++ {
		if event := r.slot(from); match(event) {
			buf[n] = *event
			n++
		}
	}
	return n, from, true
}

func eventSize(event engine.Event) int { return len(event.Key) + len(event.Data) + len(event.Prev) }

// clear drops everything.
func (r *ring) clear() {
	for r.first < r.next {
		r.drop()
	}
	r.slots = nil
}
