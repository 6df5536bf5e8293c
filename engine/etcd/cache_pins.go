package etcd

import (
	"slices"
	"time"
)

// pinTime is how long a paged list may take to be served from memory.
const (
	pinTime  = time.Minute
	mostPins = 4
)

// pins are the views that paged lists have begun to read, so that their further pages are of the same revision.
type pins struct{ views []pin }

type pin struct {
	index    index
	revision int64
	until    time.Time
}

// add keeps an index as what was there at a revision.
func (p *pins) add(x *index, revision int64, now time.Time) {
	p.expire(now)
	p.views = slices.DeleteFunc(p.views, func(old pin) bool { return old.revision == revision })
	if len(p.views) == mostPins {
		p.views = slices.Delete(p.views, 0, 1)
	}
	p.views = append(p.views, pin{index: *x, revision: revision, until: now.Add(pinTime)})
}

// get is the index at a revision, or nil.
func (p *pins) get(revision int64) *index {
	for i := range p.views {
		if p.views[i].revision == revision {
			x := p.views[i].index
			return &x
		}
	}
	return nil
}

func (p *pins) expire(now time.Time) {
	if len(p.views) > 0 && now.After(p.views[0].until) {
		p.views = slices.DeleteFunc(p.views, func(old pin) bool { return now.After(old.until) })
	}
}
