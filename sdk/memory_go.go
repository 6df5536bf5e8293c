//go:build wasip1 && !tinygo

package sdk

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Stock Go cannot finish a collection between two exported calls: one that begins by itself stays
// half done, and memory grows without end. So it is switched off, and the SDK collects: before a
// call, when enough has been allocated since the last time, or in the middle of a call that copies
// very much (allocated).
const (
	bytesPerCollection = 2 << 20  // so that a collection takes half the fuel that the server grants a call by default
	bytesPerLook       = 64 << 10 // of request frames; a look costs about as much as a small hook
	bytesPerCall       = 1 << 10  // that a call counts for beside its frame
)

var (
	unseen    int    // bytes of frames since the last look
	collected uint64 // what had been allocated at the last collection
	heap      = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
)

func init() {
	debug.SetGCPercent(-1)
	metrics.Read(heap) // sets up its tables now, so that they are in a snapshot of the fresh instance
}

// beforeCall collects when it is time. Hooks allocate in proportion to what they read, so it looks after so many bytes
// of frames: every 30 calls or so for ordinary objects, every call for large ones.
func beforeCall(frame int) {
	if garbage > bytesPerCollection {
		collect()
	}
	if unseen += frame + bytesPerCall; unseen < bytesPerLook {
		return
	}
	unseen = 0
	metrics.Read(heap)
	if heap[0].Value.Uint64()-collected > bytesPerCollection {
		collect()
	}
}

func collect() {
	runtime.GC()
	metrics.Read(heap)
	garbage, collected = 0, heap[0].Value.Uint64()
}
