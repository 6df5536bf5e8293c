package rollout

// window knows how many of the last outcomes were failures.
type window struct {
	failed   []bool // a ring
	next     int
	seen     int
	failures int
}

func newWindow(size int32) *window { return &window{failed: make([]bool, size)} }

// add notes an outcome, in the place of the oldest.
func (w *window) add(failed bool) {
	if w.failed[w.next] {
		w.failures--
	}
	w.failed[w.next] = failed
	if failed {
		w.failures++
	}
	w.next = (w.next + 1) % len(w.failed)
	w.seen = min(w.seen+1, len(w.failed))
}

// exceeds tells whether, of a full window, more than percent failed.
func (w *window) exceeds(percent int32) bool {
	return w.seen == len(w.failed) && w.failures*100 > int(percent)*len(w.failed)
}
