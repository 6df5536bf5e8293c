package crd

import (
	"encoding/json"
	"sync"
	"time"
)

// Bounds on the specs that are remembered: enough for one write of the largest definition there may be, and gone soon after it.
const (
	recentBytes = 8 << 20
	recentTime  = 10 * time.Second
)

// recentSpecs remembers the specs that were decoded lately, by their bytes. It is safe for concurrent use.
//
//   - A write passes a dozen steps that take and give bytes; without it each decodes and encodes the whole definition again.
type recentSpecs struct {
	mu     sync.Mutex
	known  map[specText]*specForms
	oldest []specText
	bytes  int
	forget *time.Timer
}

// specText is a spec as it is written in a version.
type specText struct{ apiVersion, text string }

// recent is what all definitions share.
var recent = &recentSpecs{known: map[specText]*specForms{}}

// get returns what is remembered of a spec, nil where that is nothing.
func (r *recentSpecs) get(apiVersion string, text json.RawMessage) *specForms {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[specText{apiVersion, string(text)}]
}

// put remembers a spec, and forgets the oldest that there is no room for.
func (r *recentSpecs) put(apiVersion string, text json.RawMessage, forms *specForms) {
	key := specText{apiVersion, string(text)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[key] != nil || len(text) > recentBytes {
		return
	}
	r.known[key], r.oldest, r.bytes = forms, append(r.oldest, key), r.bytes+len(text)
	for r.bytes > recentBytes {
		delete(r.known, r.oldest[0])
		r.bytes, r.oldest = r.bytes-len(r.oldest[0].text), r.oldest[1:]
	}
	if r.forget == nil {
		r.forget = time.AfterFunc(recentTime, r.clear)
	} else {
		r.forget.Reset(recentTime)
	}
}

// clear forgets everything.
func (r *recentSpecs) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known, r.oldest, r.bytes = map[specText]*specForms{}, nil, 0
}
