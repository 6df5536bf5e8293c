package etcd

import (
	"sort"

	"github.com/stratagem-dev/stratagem/engine"
)

// lanes sort a cache's events by the facets that watches ask for, so that of a thousand watches, each of another value, an event
// wakes the one or two that it concerns. The cache's lock guards them.
type lanes struct {
	byName map[any]*facetLanes
	woken  map[*lane]struct{} // have events that their watches have not been woken for
}

// facetLanes are the lanes of one facet.
type facetLanes struct {
	of      func(*engine.Item) (string, bool)
	watches int
	since   int64 // the first event that has been sorted
	lanes   map[string]*lane
	every   lane // events that may concern all
	added   int  // since the lanes were last swept
}

// lane is where events of one value are found in the ring.
type lane struct {
	seqs    []int64 // in order
	lost    int64   // events before it are no longer in seqs
	watches int
	bell    bell
}

// take adds a watch, nil where there are too many facets already.
func (l *lanes) take(facet *engine.Facet, next int64) (*facetLanes, *lane) {
	f := l.byName[facet.Name]
	if f == nil {
		if len(l.byName) == mostFacets {
			return nil, nil
		}
		if l.byName == nil {
			l.byName, l.woken = map[any]*facetLanes{}, map[*lane]struct{}{}
		}
		f = &facetLanes{of: facet.Of, since: next, lanes: map[string]*lane{}}
		l.byName[facet.Name] = f
	}
	f.watches++
	mine := f.lane(facet.Value)
	mine.watches++
	return f, mine
}

// leave takes a watch away again.
func (l *lanes) leave(facet *engine.Facet, f *facetLanes, mine *lane) {
	mine.watches--
	if f.watches--; f.watches == 0 {
		delete(l.byName, facet.Name)
	}
}

// sort finds an event its lanes. first is the oldest event that is held.
func (l *lanes) sort(event *engine.Event, seq, first int64) {
	for _, f := range l.byName {
		f.sort(event, seq, first, l.woken)
	}
}

func (f *facetLanes) sort(event *engine.Event, seq, first int64, woken map[*lane]struct{}) {
	before, sure := f.of(&engine.Item{Key: event.Key, Data: event.Prev, Memo: event.PrevMemo})
	after, alsoSure := f.of(&engine.Item{Key: event.Key, Data: event.Data, Memo: event.Memo})
	if f.added++; f.added > 1024 {
		f.sweep(first)
	}
	if !sure || !alsoSure {
		f.every.add(seq, first)
		f.wake(woken)
		return
	}
	for i, value := range [...]string{before, after} {
		if value == "" || i == 1 && value == before {
			continue
		}
		lane := f.lane(value)
		lane.add(seq, first)
		if lane.watches > 0 {
			woken[lane] = struct{}{}
		}
	}
}

// wake has all watches look again.
func (f *facetLanes) wake(woken map[*lane]struct{}) {
	for _, lane := range f.lanes {
		if lane.watches > 0 {
			woken[lane] = struct{}{}
		}
	}
}

func (f *facetLanes) lane(value string) *lane {
	known := f.lanes[value]
	if known == nil {
		known = &lane{}
		f.lanes[value] = known
	}
	return known
}

// sweep lets go of the lanes that nobody watches and whose events are no longer held.
func (f *facetLanes) sweep(first int64) {
	f.added = 0
	for value, lane := range f.lanes {
		if lane.trim(first); len(lane.seqs) == 0 && lane.watches == 0 {
			delete(f.lanes, value)
		}
	}
}

func (l *lane) add(seq, first int64) {
	l.trim(first)
	l.seqs = append(l.seqs, seq)
}

// trim forgets the events that are no longer held.
func (l *lane) trim(first int64) {
	if n := l.at(first); n > 0 {
		l.lost, l.seqs = l.seqs[n-1]+1, append(l.seqs[:0], l.seqs[n:]...)
	}
}

// at is the place of the first event that is not before seq.
func (l *lane) at(seq int64) int {
	return sort.Search(len(l.seqs), func(i int) bool { return l.seqs[i] >= seq })
}

// missed tells whether an event from seq on is no longer held.
func (l *lane) missed(seq, first int64) bool {
	n := l.at(seq)
	return seq < l.lost || n < len(l.seqs) && l.seqs[n] < first
}

// read is ring.read for what is in a lane.
func (f *facetLanes) read(r *ring, mine *lane, from int64, match func(*engine.Event) bool, buf []engine.Event) (n int, next int64, ok bool) {
	if mine.missed(from, r.first) || f.every.missed(from, r.first) {
		return 0, 0, false
	}
	one, all := mine.seqs[mine.at(from):], f.every.seqs[f.every.at(from):]
	for n < len(buf) {
		var seq int64
		switch {
		case len(one) == 0 && len(all) == 0:
			return n, r.next, true
		case len(all) == 0 || len(one) > 0 && one[0] < all[0]:
			seq, one = one[0], one[1:]
		default:
			seq, all = all[0], all[1:]
		}
		if event := r.slot(seq); match(event) {
			buf[n] = *event
			n++
		}
		from = seq + 1
	}
	return n, from, true
}

// clear forgets all events: the ring has been emptied.
func (l *lanes) clear(next int64) {
	for _, f := range l.byName {
		for _, lane := range f.lanes {
			lane.seqs = nil
		}
		f.every.seqs, f.since = nil, next
		f.wake(l.woken)
	}
}

// wokenLanes are those whose watches have to be woken.
func (c *Cache) wokenLanes() []*lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	woken := make([]*lane, 0, len(c.lanes.woken))
	for lane := range c.lanes.woken {
		woken = append(woken, lane)
	}
	clear(c.lanes.woken)
	return woken
}
