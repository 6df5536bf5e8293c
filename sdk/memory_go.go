//go:build wasip1 && !tinygo

package sdk

import (
	"runtime"
	"runtime/debug"
)

// Stock Go cannot finish a collection between two exported calls: one that begins by itself stays
// half done, and memory grows without end. So it is switched off, and the SDK collects before a call
// when one of the two limits is reached, or in the middle of a call that allocates very much.
const (
	callsPerCollection = 256
	bytesPerCollection = 4 << 20 // of frames and of copies that the SDK made
)

var calls int

func init() { debug.SetGCPercent(-1) }

// beforeCall collects when it is time.
func beforeCall() {
	if calls++; calls >= callsPerCollection || garbage > bytesPerCollection {
		collect()
	}
}

func collect() {
	calls, garbage = 0, 0
	runtime.GC()
}
