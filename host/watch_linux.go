package host

import "syscall"

// watch knows which pages of a memory differ from its snapshot: those that have been written to since the last reset,
// and those that are written to by nearly every call. The latter are hot: they are copied each time, which costs less than
// a page fault in each call does.
type watch struct {
	tracker *writeTracker
	hits    []uint8 // by page
	resets  int
	regions [64]pageRegion
}

const (
	hotHits   = 4   // resets after which a page that was written to each time is hot
	hotResets = 256 // resets after which all pages are cold again, so that they do not all become hot
)

// newWatch watches a memory that is as the snapshot has it; nil where the system cannot.
func newWatch(bytes []byte) *watch {
	t := writes()
	if t == nil || !t.watch(bytes) {
		return nil
	}
	return &watch{tracker: t, hits: make([]uint8, len(bytes)/syscall.Getpagesize())}
}

// reset copies what may differ; false where that is not known.
func (w *watch) reset(bytes, snapshot []byte) bool {
	if w.resets++; w.resets%hotResets == 0 {
		clear(w.hits)
	}
	ok := true
	return w.tracker.each(bytes, &w.regions, func(from, to int) {
		copy(bytes[from:to], snapshot[from:to])
		ok = w.cool(bytes, from, to) && ok
	}) && ok
}

// cool has the kernel watch the pages of a range again, but for those that are hot.
func (w *watch) cool(bytes []byte, from, to int) bool {
	page := syscall.Getpagesize()
	for at := from; at < to; {
		if w.hits[at/page] == hotHits {
			at += page
			continue
		}
		end := at
		for ; end < to && w.hits[end/page] < hotHits; end += page {
			w.hits[end/page]++
		}
		if !w.tracker.protect(bytes[at:end]) {
			return false
		}
		at = end
	}
	return true
}
